"""Sources of randomness for steps (sampled, taped or enumerated), and exact samplers."""
