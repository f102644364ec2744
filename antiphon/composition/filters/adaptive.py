"""The verification function of a composition with a budget."""

from __future__ import annotations

import attrs

from antiphon.composition.creation import Create
from antiphon.composition.suitable import Purse, Suitable
from antiphon.composition.validity import NOT_DISCRETE
from antiphon.protocol.claims import Status
from antiphon.protocol.measures.kinds import (
    GaussianDP,
    Measure,
    ZeroConcentrated,
    parameters_of,
)
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Refused


@register("antiphon.AdaptiveParameters/1")
@attrs.frozen
class AdaptiveParameters(Suitable):
    """Suitable, and every V[f'] holds; parameters and number are the adversary's to choose.

    f of ``ExtConComp(budget=…)``: what may be created is the budget's to decide, so an
    unbudgeted composition promises nothing with respect to it. As in CM Def. 4.11, every
    created mechanism has discrete answers. zCDP and GDP claims are taken too.
    """

    @property
    def checks_all(self) -> bool:
        return True

    def takes(self, create: Create) -> bool:
        claim = create.claim
        if claim is None or claim.status is Status.REFUTED:
            return False
        return _adds_up(claim.measure)

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        if not created.mechanism.signature.answers.discrete:
            return NOT_DISCRETE
        return purse


def _adds_up(measure: Measure) -> bool:
    """Whether a filter can add it up: it states an (ε, δ), or a ρ, or implies one."""
    return isinstance(measure, ZeroConcentrated | GaussianDP) or parameters_of(measure) is not None


def adaptive_parameters() -> AdaptiveParameters:
    """f of a composition with a budget: parameters chosen adaptively (Haney et al. 2023)."""
    return AdaptiveParameters()
