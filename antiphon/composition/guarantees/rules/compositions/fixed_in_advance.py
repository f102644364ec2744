"""Mechanisms chosen adaptively, what each of them asserts fixed in advance.

*(ε, δ)*: CM Thm 4.12. Figure: Comp[RR…] of the fixed parameters.

*In each other measure* they add up: divergences of every order do, since given the transcript the
mechanisms are independent, so that the moment Σ P^α Q^(1-α) is at most the product of W_j(h_j), the
most that mechanism j can still reach on f'_j-valid pairs after h_j, and of e^((α-1)D_i) for what
the purse still holds; a query or a creation never raises it (Lyu 2022). Σρ is that; Σμ² is
concurrent f-DP (Vadhan and Zhang 2023). Figure: that of the sum. η-BR counts as η-DP too (CM
Thm 4.12), and the least is taken.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import DISCRETE, adding, summed
from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.validity import FixedInAdvance, FixedMeasures, FixedParameters

_ENFORCED: Final = (
    Premise("the created parameters are a sub-multiset of the fixed ones", Mark.ENFORCED,
            "by V[f]"),
    DISCRETE,
    Premise("the pairs sent to M'_i are f'_i-valid", Mark.ENFORCED, "by V[f]"),
)  # fmt: skip
"""What V[f] sees to."""


@rule("CM Thm 4.12", ExtConComp, about=(FixedParameters, FixedMeasures))
def fixed_in_advance(system: ExtConComp, f: FixedInAdvance, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f^{ε₁,δ₁…ε_k,δ_k}, or f^{ρ₁…ρ_k}."""
    row = adding(f)
    return summed(row.fixed, row, f, _ENFORCED, inquiry)
