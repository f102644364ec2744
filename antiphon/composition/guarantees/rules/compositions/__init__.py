"""Rules about concurrent compositions, and the f that they promise something about."""
