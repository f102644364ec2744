"""The lazy leader whose noise is conditioned to the body: in doubles, so its claim is assumed."""

from __future__ import annotations

import attrs
import numpy as np

from antiphon.mechanisms.learners.oco.gibbs import check_body, gibbs
from antiphon.mechanisms.learners.oco.gradient_steps import Steps
from antiphon.mechanisms.learners.oco.lazy_prefix import LazyPrefix, Renewed, shown
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Renyi
from antiphon.protocol.registry import register


@register("antiphon.LazyGibbs/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class LazyGibbs(LazyPrefix):
    """Stands at x ∝ e^(-β(⟨G, x⟩ + λ‖x‖²)) on the body, and stays there lazily. *Not for release.*

    β = 2λ/(``sigma``·L)²; a step of G is worth L/``grid``. So y = -2λx is G plus
    N(0, (``sigma``·L)²I), conditioned to a body: of it ``LazyPrefix`` says when to stay.
    Privacy: that of ``LazyLeader``, against adversaries that listen, *assumed*, as points are drawn
    in doubles. Were they drawn exactly, its proof would hold word for word, but for what is
    drawn: as in ``DPOCO``, a point is βL²/λ-zCDP, which is 2/``sigma``², as there.
    Regret: projecting a noisy sum (``LazyLeader``) has less, as what is conditioned is drawn
    towards the middle, and its ratios are clipped more often where G is large.
    Source: Asi, Koren, Liu and Talwar, *Private Online Learning via Lazy Algorithms*, Sect. 3.2,
    without fake switches, with clipped ratios.
    Raises: InvalidArgument as ``LazyPrefix``, and for a body that is neither ball nor box.
    """

    def __attrs_post_init__(self) -> None:
        LazyPrefix.__attrs_post_init__(self)
        check_body(self.body)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "Asi, Koren, Liu and Talwar, on clipped Gaussian ratios; of exact points"
        return (Claim(Renyi(self.curve), self.verification, Status.ASSUMED, source),)

    def _drawn(self, total: Steps, coins: Coins) -> Renewed:
        slope = self.loss.lipschitz(self.body)
        beta = 2 * self.regulariser / (float(self.sigma) * slope) ** 2
        pull = np.array([float(each) for each in total]) * (-beta * slope / self.loss.grid)
        point = gibbs(self.body, pull, beta * self.regulariser, coins)
        return Renewed(tuple((point / -self._scale()).tolist()), shown(point))
