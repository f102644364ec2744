"""A demo on real data: a year of flights, counted privately by adaptively created counters."""

from antiphon.demo.data import flights
from antiphon.demo.survey import FlightAnalyst

__all__ = ["FlightAnalyst", "flights"]
