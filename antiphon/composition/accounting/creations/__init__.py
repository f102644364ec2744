"""k-sparse parallel composition of n creations (docs/sparse.md)."""
