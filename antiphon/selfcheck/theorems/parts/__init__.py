"""The finite systems that theorems are checked on, and those with a fault that must fail."""
