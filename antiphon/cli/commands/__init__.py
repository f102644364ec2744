"""The implementations of the commands, one file each."""
