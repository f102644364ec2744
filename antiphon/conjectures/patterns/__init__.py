"""Subjects of conjectures: families of games with unknown mechanisms, for which a search is
made."""
