"""The lazy leader: whole sums, discrete Gaussian noise, and no real number before it is public."""

from __future__ import annotations

import attrs
import numpy as np

from antiphon.mechanisms.learners.convex.bodies import Point
from antiphon.mechanisms.learners.oco.gradient_steps import Steps, plus
from antiphon.mechanisms.learners.oco.lazy_prefix import LazyPrefix, Renewed, shown
from antiphon.populations.each_replica import for_each
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Renyi
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register


@register("antiphon.LazyLeader/1")
@column_safe(of="loss")
@attrs.frozen(kw_only=True)
class LazyLeader(LazyPrefix):
    """Holds y = G + discrete Gaussian noise, and stands where ⟨y, x⟩ + λ‖x‖² is least in the body.

    See ``LazyPrefix`` for when it stays with y. The point is post-processing of y.

    Privacy: D_α <= (F + (K-2)·F')/(α-1), K = ⌈T/B⌉, F and F' the largest contributions of a
    decision (``decisions``) with a in [c, c+2Bw], c = ``cost``, which in the two worlds are at most
    2w + (B-1)u apart for F and Bu for F', u = min{2Q²/σ², 2w}, and with R = e^(α(α-1)·2Q²/σ²);
    w.r.t. ``verification``, against adaptive adversaries, *proved*:

    Reveal more than is said: each of the K-1 decisions (stay, or draw), and each y that is drawn.
    An answer is a function of the last y, and the next datum is chosen from those and the
    adversary's own coins; so it is enough to bound E = Σ P^α Q^(1-α) over the sequences of what is
    revealed, P and Q the laws in the two worlds, in either order. P and Q factor into conditional
    laws given what was revealed, so E is at most the product of what each decision can contribute,
    whatever came before, by induction from the last decision back. Given the past, y and so the
    point are known, and are the same. So each g_t is the same in both worlds, a function of the
    point and the datum, but for the one datum that differs; all have ‖g_t‖ <= Q, exactly.

    * The first y is drawn before any datum counts: 1. So are all decisions before that datum.
    * From then on the sums G₀ and G₁ differ by one and the same g - g', of norm at most 2Q. What is
      drawn is G plus noise in each world, so E' <= R (Canonne, Kamath, Steinke 2020, Thm 4,
      coordinate by coordinate: ‖G₀-G₁‖²·α/(2σ²)).
    * Each clipped ratio lies in [-w, w], so a lies in [c, c+2Bw]. That of a round with the same g
      differs by at most 2|⟨G₀-G₁, g⟩|/(2σ²) <= 2Q²/σ², as clipping moves no two numbers apart, and
      by at most 2w: by u. That of the round which differs itself: by at most 2w. So at the end of
      its batch a differs by at most 2w + (B-1)u, and at the end of a later one by at most Bu.

    By ``decisions`` these contribute e^F and e^F' at most. The batch that differs is followed by
    at most K-2 decisions, and if it is the last, by none.
    a is rational and the coin that tosses e^(-a) exact, as is the noise.
    Source: Asi, Koren, Liu and Talwar, *Private Online Learning via Lazy Algorithms*, Alg. 1,
    without fake switches, on a Gaussian law whose ratios are clipped; the bound is derived here.
    Raises: InvalidArgument as ``LazyPrefix``.

    >>> import numpy as np
    >>> from antiphon.mechanisms.learners.convex import Ball, LinearLoss
    >>> body, loss = Ball(dimension=2), LinearLoss(dimension=2, grid=10)
    >>> learner = LazyLeader.tuned(horizon=2**10, body=body, loss=loss, epsilon=1, delta=1e-6)
    >>> session = learner.start(seed=1)
    >>> session.send(np.array([10, 0])), bool(np.linalg.norm(session.send("advice")) < 1.001)
    (TOP, True)
    """

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "Asi, Koren, Liu and Talwar, Alg. 1, on clipped Gaussian ratios; proved here"
        return proved(self, Renyi(self.curve), self.verification, source)

    def _drawn(self, total: Steps, coins: Coins) -> Renewed:
        noise = coins.discrete_gaussians(self.deviation, len(total))
        noisy = plus(total, noise)
        return Renewed(noisy, shown(for_each(self._point, noisy)))

    def _point(self, noisy: Steps) -> Point:
        """Where it stands with such a sum."""
        return self.body.project(np.array([float(each) for each in noisy]) * -self._scale())
