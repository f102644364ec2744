"""Rules about chains P ∘* M: what is said of M, and what P makes of it."""
