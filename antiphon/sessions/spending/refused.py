"""A refusal in ε at a δ: what was asked for, what is spent, and what remains."""

from __future__ import annotations

import math
from fractions import Fraction

from antiphon.composition.filters.budget import Filter, Refusal, RefusedInEpsilon
from antiphon.composition.filters.sums import Sum
from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.composition.guarantees.rules.compositions.filters import promised, within
from antiphon.numbers.interval import down, up


def refused_at(refusal: Refusal, budget: Filter, delta: Fraction) -> RefusedInEpsilon | None:
    """The figures of ``InEpsilon``, of the moment of a refusal; None: nothing is promised at δ.

    ``requested`` is by how much ``spent`` would have grown.
    """
    (amount, lost), (more, lose) = refusal.spent, refusal.requested
    try:
        total, spent, grown = (
            curve.epsilon_at(delta) if delta >= curve.least_delta else math.inf
            for curve in (
                promised(budget),
                within(budget, refusal.spent),
                within(
                    budget, (Sum().plus(amount).plus(more).value, min(lost + lose, Fraction(1)))
                ),
            )
        )
    except NoGuarantee:
        return None
    if math.isinf(total):
        return None
    spent = min(spent, total)
    asked = math.inf if math.isinf(grown) else up(Fraction(grown) - Fraction(spent))
    return RefusedInEpsilon(delta, asked, spent, down(Fraction(total) - Fraction(spent)))
