"""The basic filter: ε and δ add up."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.composition.filters.budget import Amounts, Filter, epsilon_delta
from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.measures.kinds import Measure
from antiphon.protocol.registry import register


@register("antiphon.BasicFilter/1")
@attrs.frozen
class BasicFilter(Filter):
    """Charge while Σε_i <= ε and Σδ_i <= δ: then all is (ε, δ)-DP.

    Sums are exact: eleven charges of 1/11 fit a budget of 1, and two of ``Log(3)`` one of
    ``Log(9)``. Takes pure and approximate claims.
    Proof: let each charge be an RR_{ε_i,δ_i}(b). Whether it says ⊤ does not depend on b, and it
    does so with probability δ_i given the past; as the δ_i add up to at most δ on every path,
    some ⊤ comes with probability at most δ. Without one, the likelihood ratio is at most
    e^{Σε_i} <= e^ε on every path.
    Source: Rogers, Roth, Ullman, Vadhan 2016; concurrent by Haney et al. 2023.

    >>> from antiphon.protocol import Pure
    >>> budget = BasicFilter(epsilon=1)
    >>> state = budget.initial_state
    >>> for _ in range(11):
    ...     state = budget.charge(state, Pure(Fraction(1, 11)))
    >>> budget.spent(state), budget.remaining(state)
    ((Fraction(1, 1), Fraction(0, 1)), (Fraction(0, 1), Fraction(0, 1)))
    >>> budget.charge(state, Pure(0.1)).requested
    (Fraction(1, 10), Fraction(0, 1))
    """

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon, kw_only=True)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability, kw_only=True)
    source = "Rogers, Roth, Ullman, Vadhan 2016; concurrent: Haney et al. 2023"

    @property
    def limits(self) -> Amounts:
        return self.epsilon, self.delta

    def cost(self, measure: Measure) -> Amounts:
        return epsilon_delta(measure, "charge it to a ConcentratedFilter or a WhitehouseFilter")
