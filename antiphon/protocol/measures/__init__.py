"""Measures of privacy (pure, approximate, concentrated, …), and implications between them."""

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
