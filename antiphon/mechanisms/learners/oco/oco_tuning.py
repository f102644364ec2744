"""Parameters of lazy learners in a convex body: the least of a figure of merit within (ε, δ)."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from antiphon.composition.accounting.renyi import from_renyi
from antiphon.mechanisms.learners.joint_curve import LARGE, HexagonCorner, JointCurve, corners
from antiphon.mechanisms.learners.searching import golden, largest, short, within
from antiphon.numbers.interval import Floats

Number: TypeAlias = float | Fraction


def prefix_curve(
    horizon: int, batch: int, sigma: Fraction, cost: Fraction, clip: Fraction
) -> JointCurve:
    """The bound of these parameters; its proof is in ``LazyLeader``."""
    apart = min(2 / sigma**2, 2 * clip)
    high = cost + 2 * batch * clip
    first = corners(cost, high, 2 * clip + (batch - 1) * apart)
    later = corners(cost, high, batch * apart)
    return JointCurve((first,), (later,), -(-horizon // batch) - 1, 2 / sigma**2)


def paired_curve(
    horizon: int,
    batch: int,
    fakes: float,
    margin: Number,
    reach: Number,
    rho: Fraction,
) -> JointCurve:
    """The bound of Alg. 1 with e^(-margin) in S, reach = βLD, points ρ-zCDP; proof: ``DPOCO``."""
    real = -math.log1p(-fakes)
    least = Fraction(real) + max(Fraction(0), Fraction(margin) - batch * Fraction(reach))
    most = Fraction(real) + Fraction(margin) + batch * Fraction(reach)
    other = (HexagonCorner(real, real, 0.0),)
    first = corners(least, most, 2 * Fraction(reach)), other
    later = corners(least, most, Fraction(0)), other
    return JointCurve(first, later, -(-horizon // batch) - 1, rho)


_ORDERS: Final = 48
_WIDTH: Final = 2
"""w, in standard deviations of a log-ratio: then 1 in 40 is clipped."""


class Prefix(NamedTuple):
    """σ, c, w and B."""

    sigma: Fraction
    cost: Fraction
    clip: Fraction
    batch: int


def keeps(curve: JointCurve, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the claim is (ε, δ)-DP: what decides."""
    return within(from_renyi(curve).epsilon_at(delta), epsilon)


def seems_to_keep(curve: JointCurve, epsilon: float, delta: float) -> bool:
    """The same in plain floats, many orders at once: where to look."""
    if not curve.batches:
        return True
    if max(each.own for decision in curve.first for each in decision) > LARGE:
        return False
    most = 50 * (1 - math.log(delta)) / epsilon
    less = np.geomspace(most / 5e4, most, _ORDERS)
    drawn = less * (1 + less) * float(curve.rho)

    def sizes(decisions: tuple[tuple[HexagonCorner, ...], ...]) -> Floats:
        total = np.zeros(_ORDERS)
        for each in decisions:
            own, other, more = np.array(each).T[:, :, None]
            logs = np.log(-np.expm1(-own)), np.log(-np.expm1(-other))
            draws = less * (logs[0] - logs[1]) + drawn + logs[0]
            total += np.logaddexp(less * more - own, draws).max(axis=0)
        return total

    total = sizes(curve.first) + (curve.batches - 1) * sizes(curve.later)
    shape = less * np.log(less) - (1 + less) * np.log1p(less) - math.log(delta)
    return bool(((total + shape) / less).min() <= epsilon)


def batches(horizon: int) -> list[int]:
    """Batches that are tried: powers of 2, from 64 on of 4, and all rounds as one."""
    return sorted({1, 2, 8, 32, *(1 << k for k in range(2, horizon.bit_length(), 2)), horizon})


class _Search(NamedTuple):
    """For the least σ with a batch."""

    horizon: int
    epsilon: float
    delta: float

    def curve(self, sigma: float, share: float, batch: int) -> JointCurve:
        """With c = share·Bw."""
        return prefix_curve(self.horizon, *_prefix(sigma, share, batch))

    def sigma(self, share: float, batch: int) -> float:
        """The least σ >= 1, as nearly as a search tells."""
        high = 1e3 * math.sqrt(self.horizon) / min(self.epsilon, 1)

        def private(precision: float) -> bool:
            return seems_to_keep(self.curve(1 / precision, share, batch), self.epsilon, self.delta)

        return 1 / largest(private, 1 / high, 1.0, 18)

    def share(self, batch: int) -> float:
        """The best c, as a part of Bw; 2/ε of it makes leaving nearly as likely in both worlds."""
        most = max(1e2, 50 / self.epsilon)
        return golden(lambda share: self.sigma(share, batch), 1e-2, most, 10).middle

    def best(self, batch: int) -> float:
        """The least σ with this batch."""
        return self.sigma(self.share(batch), batch)


def _prefix(sigma: float, share: float, batch: int) -> tuple[int, Fraction, Fraction, Fraction]:
    clip = short(_WIDTH / sigma)
    return batch, short(sigma), short(share * batch * _WIDTH / sigma), clip


@lru_cache(maxsize=64)
def lazy_prefix(
    horizon: int, dimension: int, target: Fraction, chance: Fraction, batch: int | None = None
) -> Prefix:
    """What has about the least √d·σ + √(BT) and is (ε, δ)-DP; with a given B, the least σ."""
    search = _Search(horizon, float(target), float(chance))
    if batch is None:

        def merit(batch: int) -> float:
            return math.sqrt(dimension) * search.best(batch) + math.sqrt(batch * horizon)

        batch = min(batches(horizon), key=merit)
    share = search.share(batch)

    def private(sigma: float) -> bool:
        return keeps(search.curve(sigma, share, batch), target, chance)

    sigma = search.sigma(share, batch)
    while not private(sigma):
        sigma *= 1.003
    _, found, cost, clip = _prefix(sigma, share, batch)
    return Prefix(found, cost, clip, batch)
