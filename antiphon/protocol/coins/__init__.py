"""With which coins a step is run: sampled, taped or enumerated; and exact samplers."""

from antiphon.protocol.coins.coins import Coins, Draw, Number, integer_weights
from antiphon.protocol.coins.sampled import (
    SampledCoins,
    generator,
    seed_sequence,
    seeded_words,
    system_words,
)

__all__ = [
    "Coins",
    "Draw",
    "Number",
    "SampledCoins",
    "generator",
    "integer_weights",
    "seed_sequence",
    "seeded_words",
    "system_words",
]
