"""What checks this library: its theorems on finite systems, and a corpus with known truth."""
