"""In which sense a mechanism is private, how much, and what that implies in another sense."""

from antiphon.protocol.measures.conversions import (
    CONVERSIONS,
    Conversion,
    approximate,
    converted,
    implies,
)
from antiphon.protocol.measures.kinds import (
    MEASURES,
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
    parameters_of,
)

__all__ = [
    "CONVERSIONS",
    "MEASURES",
    "Approximate",
    "BoundedRange",
    "Conversion",
    "Dominated",
    "DominatingPair",
    "GaussianDP",
    "Measure",
    "Pure",
    "Renyi",
    "ZeroConcentrated",
    "approximate",
    "converted",
    "implies",
    "parameters_of",
]
