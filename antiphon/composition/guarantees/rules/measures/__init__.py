"""Rules about concurrent compositions whose purse holds measures: ρ, μ, η, curves."""
