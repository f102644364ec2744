"""The main job on real data: a year of flights through adaptively created counters."""

from antiphon.demo.analyst import FlightAnalyst
from antiphon.demo.data import flights

__all__ = ["FlightAnalyst", "flights"]
