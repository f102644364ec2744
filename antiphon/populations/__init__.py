"""A million replicas at once: columns of numbers, their coins, and the play of a population."""
