"""Measures fixed in advance, mechanisms chosen adaptively: they add up.

Divergences of every order do: given the transcript the mechanisms are independent, so the moment
Σ P^α Q^(1-α) is at most the product of W_j(h_j), the most that mechanism j can still reach on
f'_j-valid pairs after h_j, and of e^((α-1)D_i) for what the purse still holds; a query or a
creation never raises it (Lyu 2022). Σρ is that; Σμ² is concurrent f-DP (Vadhan and Zhang 2023).
Figure: that of the sum. η-BR counts as η-DP too (CM Thm 4.12), and the least is taken.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import of_measures
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.guarantees.rules.compositions.fixed_parameters import ENFORCED
from antiphon.composition.validity import FixedMeasures

THEOREM: Final = "concurrent composition in each measure (Lyu 2022; Vadhan and Zhang 2023)"


@rule(THEOREM, ExtConComp, about=FixedMeasures)
def fixed_measures(system: ExtConComp, f: FixedMeasures, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f^{ρ₁…ρ_k}."""
    return of_measures(THEOREM, f, ENFORCED, inquiry)
