"""Trees as pictures: the mechanisms that refute a conjecture, and their adversary."""
