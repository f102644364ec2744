"""CM §5: sparse parallel composition."""
