"""Rules about single mechanisms: what they claim, and what follows from that alone."""
