"""The least ε and δ of a composition of fixed parameters."""

from __future__ import annotations

from functools import cached_property

import attrs

from antiphon.composition.accounting.atoms import Atoms
from antiphon.composition.accounting.closed_forms import OfParameters
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.line import Inversions
from antiphon.composition.accounting.parameters import Given, Parameters, parameters
from antiphon.composition.accounting.product import Product
from antiphon.numbers import exact
from antiphon.numbers.interval import Interval


@attrs.frozen(repr=False)
class OptimalCurve(OfParameters):
    """The tight curve of Comp[RR_{ε_i,δ_i}]."""

    width: float

    @property
    def method(self) -> str:
        return "optimal"

    @property
    def source(self) -> str:
        if len(self.composed.epsilons) <= 1:
            return "Kairouz, Oh and Viswanath 2015, Thm 3.3"
        return "Murtagh and Vadhan 2016, Thm 1.5"

    def _stick(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        return self._law.stick(epsilon)

    @cached_property
    def _product(self) -> Product:
        return Product((Responses(self.composed.epsilons),))

    @cached_property
    def _law(self) -> Atoms | Inversions:
        if Atoms.suit(self.composed.epsilons):
            return Atoms(self.composed.epsilons)
        return Inversions(self._product, self.width, relatively=False)

    def _guess(self, delta: float) -> tuple[float, float]:
        room, survival = delta - self.floor.upper, self.composed.survival.lower
        if not 0 < room < survival:
            return 0.0, self._enough
        stick = room / survival
        at, spread = self._product.where(stick)
        low, high = at - spread / 64, at + spread / 64
        return min(max(low, 0.0), self._enough), min(max(high, 0.0), self._enough)


def optimal(given: Parameters | Given, *, times: int = 1, width: float = 1e-6) -> OptimalCurve:
    """The tight privacy curve of mechanisms with these (ε_i, δ_i), fixed in advance.

    No composition of (ε_i, δ_i)-DP mechanisms leaks more than randomized response does
    (CM Thm 2.5, 4.12), so the curve is exact for the worst case. ``times`` repeats the list.
    Equal or few parameters: relative error 1e-12 of δ and less, O(√k) time. Many unlike ones:
    ``width`` nats in ε are aimed at (see ``line``); for δ > 0.99 of large unlike ε it is more, by
    about 1/(1-δ): 64 times at 0.9999 of 200 in [3, 10]. Both ends are always certified, rounding
    and whatever is left out are in them, and their ``.width`` says how far apart they are.

    Raises: InvalidArgument for what is no list of (ε, δ), ε < 0, δ outside [0, 1], or an
    asked-for δ below 1-Π(1-δ_i); CompositionError for parameters still to be chosen (use a
    filter); Intractable, with the cure, for a ``width`` that takes too long.

    >>> f"{optimal([(0.1, 1e-6)], times=1000).delta_at(12):.12f}"  # 0.00803938893566860924…
    '0.008039388936'
    """
    return OptimalCurve(parameters(given, times), float(exact.positive(width, "width")))
