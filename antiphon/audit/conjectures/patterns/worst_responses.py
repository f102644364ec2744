"""What a filter is given to charge for: of each claim a mechanism that keeps it and loses most.

* (ε, δ): RR_{ε,δ}. Whatever keeps the claim is a post-processor of it, interactive or not (CM
  Thm 2.5, App. A; Kairouz, Oh and Viswanath 2015), so nothing loses more, by any measure.
* A moment c of an order α: RR_ε with a probability p, else silence, so that 1 + p(w-1) = c, where
  w is the moment of RR_ε. At the order α itself no other mechanism of this claim loses more, for
  then a composition multiplies the moments (theory of ``RenyiFilter``): to adapt is of no use.
* ρ-zCDP: RR_ε with ε²/2 <= ρ (Bun and Steinke 2016, Prop. 1.4). Only Gaussian noise has D_α = αρ at
  all α, and that is not finite. So this is not the worst, but nearly, for a small ρ and α: its D_2
  is 0.98·2ρ for ρ = 1/50.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any, Final, TypeAlias, Union

import attrs

from antiphon.audit.conjectures.exact_figures import Figure, TightDelta, TightMoment, shown
from antiphon.audit.conjectures.patterns.pattern import SOURCE
from antiphon.audit.conjectures.tables import DENOMINATOR, TableMechanism, whole_weights
from antiphon.audit.exact.question import Question, rational_growth
from antiphon.composition.accounting.renyi import OnlyAt
from antiphon.composition.creation import Create
from antiphon.composition.filters.decimals import root_below
from antiphon.composition.purses import Parameters, pairs
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import Log
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Renyi, ZeroConcentrated
from antiphon.verifiers.models import neighbouring_start

Charged: TypeAlias = Union[Parameters, ZeroConcentrated, Renyi]
"""(ε, δ), ρ-zCDP, or ``Renyi(OnlyAt(α, moment))``."""
_BIT: Final = (0, 1)


def charged(given: Any) -> tuple[Charged, ...]:
    """Claims as they are charged. Raises: InvalidArgument for one that has no finite mechanism."""
    try:
        claims: list[Any] = list(given)
    except TypeError:
        return pairs(given)  # which says what to give
    return tuple(map(_one, claims))


def _one(given: Any) -> Charged:
    if type(given) is ZeroConcentrated:
        return given
    if type(given) is not Renyi:
        (parameters,) = pairs([given])
        return parameters
    curve: Any = given.curve
    if type(curve) is not OnlyAt or curve.moment <= 1:
        raise InvalidArgument(
            "of a Rényi claim a search can say what is worst at one whole order only: give "
            "Renyi(OnlyAt(order, moment)), with a moment e^((α-1)D) above 1"
        )
    return given


@attrs.frozen
class WorstResponse:
    """A claim, the creation of the mechanism that is charged for it, and what it keeps to."""

    claim: Charged
    creation: Create
    figure: Figure
    limit: Fraction

    @property
    def lost(self) -> Fraction:
        """What it loses, by the exact engine: at most the limit."""
        created = self.creation
        assert created.claim is not None
        question = Question(created.mechanism, created.claim.verification, report=None)
        found = self.figure.tight(question, 1)
        assert found is not None
        return found

    @property
    def bounds_divergences(self) -> bool:
        """Whether a divergence follows from the claim."""
        return not isinstance(self.claim, tuple) or not self.claim[1]

    def __str__(self) -> str:
        if isinstance(self.claim, ZeroConcentrated):
            return f"{self.claim.rho}-zCDP"
        if isinstance(self.claim, Renyi):
            return f"of moment {self.limit} at {self.figure}"
        epsilon, delta = self.claim
        return f"({shown(epsilon)}, {delta})-DP"


def worst(claim: Charged) -> WorstResponse:
    """The mechanism of a claim."""
    if isinstance(claim, ZeroConcentrated):
        return _concentrated(claim)
    if isinstance(claim, Renyi):
        return _of_moment(claim)
    epsilon, delta = claim
    response = RandomizedResponse(epsilon=epsilon, delta=delta)
    return WorstResponse(claim, Create(response), TightDelta(epsilon), delta)


def _concentrated(claim: ZeroConcentrated) -> WorstResponse:
    growth, _ = rational_growth(root_below(2 * claim.rho))
    response = RandomizedResponse(epsilon=Log(Fraction(floor(growth * DENOMINATOR), DENOMINATOR)))
    source = "Bun and Steinke 2016, Prop. 1.4"
    asserted = Claim(claim, response.claims[0].verification, Status.PROVED, source)
    created, kept = Create(response, asserted), TightDelta(response.epsilon)
    return WorstResponse(claim, created, kept, Fraction(0))


def _of_moment(claim: Renyi) -> WorstResponse:
    curve: Any = claim.curve
    order, moment, odds = curve.order, Fraction(curve.moment), 2
    while response_moment(odds, order) < moment:
        odds *= 2
    told = (moment - 1) / (response_moment(odds, order) - 1)
    true, false = told * Fraction(odds, 1 + odds), told * Fraction(1, 1 + odds)
    rows = (1 - told, true, false), (1 - told, false, true)
    asserted = Claim(claim, neighbouring_start(), Status.PROVED, SOURCE)
    weights = tuple(map(whole_weights, rows))
    made = TableMechanism(f"moment {moment}", _BIT, 3, weights, claims=(asserted,))
    return WorstResponse(claim, Create(made), TightMoment(order), moment)


def response_moment(odds: int, order: int) -> Fraction:
    """Σ p^α q^(1-α) of RR_ε, e^ε = odds."""
    return (Fraction(odds) ** order + Fraction(odds) ** (1 - order)) / (1 + odds)
