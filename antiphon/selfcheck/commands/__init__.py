"""The commands that check this library."""
