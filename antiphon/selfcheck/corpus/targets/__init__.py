"""Standard targets with known truth."""
