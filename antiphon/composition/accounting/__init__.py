"""What a composition of fixed parameters promises, rounded outward (theory §4)."""

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.interval import Interval
from antiphon.composition.accounting.optimal import optimal
from antiphon.composition.accounting.simple import advanced, basic

__all__ = ["Interval", "PrivacyCurve", "advanced", "basic", "optimal"]
