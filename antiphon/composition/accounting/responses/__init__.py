"""Comp[RR…], the worst of all compositions with these (ε, δ): bounds, and the tight curve."""
