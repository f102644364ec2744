"""With which coins a step is run: sampled, taped or enumerated; and exact samplers."""
