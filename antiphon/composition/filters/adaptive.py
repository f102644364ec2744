"""The verification function of a composition with a budget."""

from __future__ import annotations

import attrs

from antiphon.composition.creation import Create
from antiphon.composition.filters.budget import Budget
from antiphon.composition.suitable import Purse, Suitable
from antiphon.composition.validity import NOT_DISCRETE
from antiphon.protocol.claims import Status
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Refused


@register("antiphon.AdaptiveParameters/1")
@column_safe
@attrs.frozen
class AdaptiveParameters(Suitable):
    """Suitable, and every V[f'] holds; parameters and number are the adversary's to choose.

    f of ``ExtConComp(budget=…)``: what may be created is the budget's to decide, so an
    unbudgeted composition promises nothing with respect to it. As in CM Def. 4.11, every
    created mechanism has discrete answers. With the ``budget`` f reads the claims that it can add
    up; without, every claim that is not refuted, and the composition raises InvalidArgument for
    one that its own cannot.
    """

    budget: Budget | None = attrs.field(default=None)

    @property
    def checks_all(self) -> bool:
        return True

    def takes(self, create: Create) -> bool:
        claim = create.claim
        if claim is None or claim.status is Status.REFUTED:
            return False
        return self.budget is None or self.budget.takes(claim.measure)

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        if not created.mechanism.signature.answers.discrete:
            return NOT_DISCRETE
        return purse


def adaptive_parameters(budget: Budget | None = None) -> AdaptiveParameters:
    """f of a composition with a budget: parameters chosen adaptively (Haney et al. 2023)."""
    return AdaptiveParameters(budget)
