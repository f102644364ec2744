"""A million replicas at once: columns, their coins, and how a population is played."""
