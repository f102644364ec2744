"""The subjects of conjectures: families of games in which some mechanisms are sought."""
