"""What may be conjectured about: families of games of which some part is sought."""
