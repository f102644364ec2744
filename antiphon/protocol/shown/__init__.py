"""How results show themselves: one description each, read as text, as HTML, or on one line."""
