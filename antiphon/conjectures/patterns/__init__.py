"""The subjects of conjectures: families of games of which some part is sought."""
