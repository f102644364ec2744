"""In which sense a mechanism is private, how much, and what that implies in another sense."""

from antiphon.protocol.measures.conversions import (
    CONVERSIONS,
    Conversion,
    approximate,
    converted,
    implies,
)
from antiphon.protocol.measures.kinds import MEASURES, Measure, parameters_of

__all__ = [
    "CONVERSIONS",
    "MEASURES",
    "Conversion",
    "Measure",
    "approximate",
    "converted",
    "implies",
    "parameters_of",
]
