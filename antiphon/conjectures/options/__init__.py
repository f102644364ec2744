"""Options of ``antiphon conjecture``."""
