"""Subjects of conjectures: families of games with unknown mechanisms, to be found by search."""
