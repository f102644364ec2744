"""Subjects of conjectures: families of games with unknown mechanisms, which are searched for."""
