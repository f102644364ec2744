"""CM Thm 4.12: mechanisms chosen adaptively, their parameters fixed in advance.

Figure: Comp[RR…] of the fixed parameters.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import DISCRETE, of_parameters
from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.validity import FixedParameters

THEOREM: Final = "CM Thm 4.12"
ENFORCED: Final = (
    Premise("the created parameters are a sub-multiset of the fixed ones", Mark.ENFORCED,
            "by V[f]"),
    DISCRETE,
    Premise("the pairs sent to M'_i are f'_i-valid", Mark.ENFORCED, "by V[f]"),
)  # fmt: skip
"""What V[f] sees to."""


@rule(THEOREM, ExtConComp, about=FixedParameters)
def fixed_parameters(system: ExtConComp, f: FixedParameters, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f^{ε₁,δ₁…ε_k,δ_k}."""
    return of_parameters(THEOREM, f, ENFORCED, inquiry)
