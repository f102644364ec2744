"""Searches for parameters of lazy learners in a convex body: the best that are (ε, δ)-DP, and those
that theorems of Asi, Koren, Liu and Talwar give.

For DP-OCO: as printed in Thm 3.12, corrected so that Thm 3.2 holds, and by the exact accounting.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple, Self, TypeAlias

import attrs

from antiphon.composition.accounting.calibration import budget, largest_where, short_rate
from antiphon.learners.convex.convex_losses import Body, ConvexLoss
from antiphon.learners.joint_curve import JointCurve, paired_curve, prefix_curve
from antiphon.learners.l2p.accountings import L2PSetting, Printed
from antiphon.learners.searching import ParameterSearch, keeps, rounds
from antiphon.numbers import InvalidArgument, exact, fixed_up, shown_down, shown_up
from antiphon.protocol.measures.kinds import Approximate

_ORDERS: Final = 48
_WIDTH: Final = 2
"""The bound to which a ``LazyPrefix`` learner clips the log-ratios by which it decides, in units of
their largest standard deviation."""


class Prefix(NamedTuple):
    """Parameters of a ``LazyPrefix`` learner: noise σ, cost c, clipping bound w, batch size B."""

    sigma: Fraction
    cost: Fraction
    clip: Fraction
    batch: int


def batches(horizon: int) -> list[int]:
    """The batch sizes that a search tries: powers of 2 up to 64, then powers of 4, and all rounds
    in one batch."""
    return sorted({1, 2, 8, 32, *(1 << k for k in range(2, horizon.bit_length(), 2)), horizon})


Tried: TypeAlias = tuple[int, float, float]
"""The type of the parameters that a search tries: (batch size, standard deviation of noisy sums, a
factor in the cost or in the probability of fake switches)."""


def least_spread(
    curve: Callable[[int, float, float], JointCurve], merit: Callable[[int, float, float], float],
    spreads: tuple[float, float, int], shares: tuple[float, float, int], sizes: Iterable[int],
    target: Fraction, chance: Fraction,
) -> Tried:  # fmt: skip
    """Parameters with the least ``merit`` among those found for the batch sizes ``sizes``: for each
    size, the least standard deviation of noisy sums that is (ε, δ)-DP with some cost or probability
    of fake switches, whose factor is in ``shares``; ``target`` is ε and ``chance`` δ.

    The search is over the inverses of ``spreads``, in plain floats; at the end ``keeps`` decides
    about (ε, δ).
    """

    def best(batch: int) -> Tried:
        def private(precision: float, share: float) -> bool:
            tried = curve(batch, 1 / precision, share)
            return tried.seems_to_keep(float(target), float(chance), _ORDERS, 5e4)

        def spread(precision: float, _: float) -> float:
            return 1 / precision

        search = ParameterSearch(private, spread, spreads, shares)
        share = search.least().middle
        return batch, search.bound(share), share

    batch, spread, share = min(map(best, sizes), key=lambda tried: merit(*tried))
    while not keeps(curve(batch, spread, share), target, chance):
        spread *= 1.003
    return batch, spread, share


def _prefix(batch: int, sigma: float, share: float) -> Prefix:
    """Rational parameters of a ``LazyPrefix`` learner with noise of the deviation σ = ``sigma`` and
    batches of B = ``batch`` rounds: clipping bound w = 2/σ, cost ``share``·Bw."""
    cost = short_rate(share * batch * _WIDTH / sigma)
    return Prefix(short_rate(sigma), cost, short_rate(_WIDTH / sigma), batch)


@lru_cache(maxsize=64)
def lazy_prefix(
    horizon: int, dimension: int, target: Fraction, chance: Fraction, batch: int | None = None
) -> Prefix:
    """The parameters of an (ε, δ)-DP ``LazyPrefix`` learner with about the least √d·σ + √(BT), for
    T = ``horizon`` rounds in d = ``dimension`` dimensions: noise of deviation σ >= 1, and batch
    size B. If B is given, with the least σ; ``target`` is ε and ``chance`` δ."""

    def curve(batch: int, sigma: float, share: float) -> JointCurve:
        return prefix_curve(horizon, **_prefix(batch, sigma, share)._asdict())

    def merit(batch: int, sigma: float, _: float) -> float:
        return math.sqrt(dimension) * sigma + math.sqrt(batch * horizon)

    low = 1 / (1e3 * math.sqrt(horizon) / min(float(target), 1))
    shares = 1e-2, max(1e2, 50 / float(target)), 10
    sizes = batches(horizon) if batch is None else [batch]
    return _prefix(*least_spread(curve, merit, (low, 1.0, 18), shares, sizes, target, chance))


# --- DP-OCO: the premises of Asi et al., Thm 3.2, and the parameters of Thm 3.12 ------------------

_CURE: Final = "DPOCO.corrected and DPOCO.tuned find parameters that hold"


class Premises(NamedTuple):
    """The parameters of DP-OCO in the premises of its privacy theorem (Asi et al., Thm 3.2 and
    Lemma 3.11), and the check of these premises."""

    setting: L2PSetting
    theorem: Printed
    beta: float
    regulariser: float
    lipschitz: float

    @property
    def closeness(self) -> float:
        """The bound 2βL²/λ + √(8βL² ln(2/δ₀)/λ) of Asi et al., Lemma 3.11, on the log-ratio of two
        successive measures, up to probability δ₀; β = ``beta``, λ = ``regulariser`` and L =
        ``lipschitz``."""
        ratio = self.beta * self.lipschitz**2 / self.regulariser
        return 2 * ratio + math.sqrt(8 * ratio * math.log(2 / self.setting.loose))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as keyword arguments of ``DPOCO``."""
        found = self.setting
        return {
            "rate": float(found.rate), "fakes": float(found.fakes), "batch": found.batch,
            "loose": float(found.loose), "tail": float(self.theorem.tail), "beta": self.beta,
            "regulariser": self.regulariser,
        }  # fmt: skip

    @property
    def measure(self) -> Approximate:
        """The (ε, δ) that Asi et al., Thm 3.2, state for these parameters, rounded up."""
        return self.theorem.measure(self.setting)

    def check(self, further: Iterable[str] = ()) -> None:
        """Checks the premises. Raises: InvalidArgument, with a message for each premise that fails
        and the messages ``further``, if there are any."""
        text = "; ".join(chain(self._violations(), further))
        if text:
            raise InvalidArgument(f"{text}. {_CURE}")

    def _violations(self) -> Iterator[str]:
        yield from self.theorem.violations(self.setting)
        rate = float(self.setting.rate)
        if self.closeness > rate:
            yield (
                f"Lemma 3.11 gives D_∞ <= {shown_up(self.closeness)} at δ₀ = "
                f"{shown_up(self.setting.loose)}, and Assumption 3.1 asks for η = "
                f"{shown_down(rate)}: {fixed_up(self.closeness / rate, 2)} times as much"
            )


@attrs.frozen
class OCOTask:
    """The problem for which parameters of DP-OCO are sought: number of rounds T, dimension d,
    diameter D of the body, Lipschitz constant L of the loss, ε and δ."""

    horizon: int
    dimension: int
    width: float
    lipschitz: float
    epsilon: Fraction
    delta: Fraction

    @classmethod
    def of(cls, horizon: int, body: Body, loss: ConvexLoss, epsilon: object, delta: object) -> Self:
        """The problem for this body and loss. Raises: InvalidArgument for an impossible ε or δ."""
        target, chance = budget(epsilon, delta)
        slope = loss.lipschitz(body)
        return cls(rounds(horizon), body.dimension, 2 * body.reach, slope, target, chance)

    def as_printed(self) -> Premises:
        """The parameters of Asi et al., Thm 3.12, as printed, without a check of their premises."""
        return self.premises(self.rate, self.rate / float(self.epsilon), mended=False)

    def printed(self) -> Premises:
        """The parameters of Asi et al., Thm 3.12, as printed. Raises: InvalidArgument where their
        Thm 3.2 or Lemma 3.11 does not hold."""
        return self._checked(self.as_printed())

    def corrected(self) -> Premises:
        """The parameters of Asi et al., Thm 3.12, corrected, with the largest rate η up to the
        theorem's for which their Thm 3.2 gives (ε, δ)."""

        def made(rate: float) -> Premises:
            fakes = max(4 * rate / float(self.epsilon), -rate * self.batch * math.log(self.tail))
            return self.premises(rate, fakes * (1 + 2.0**-20), mended=True)

        def private(rate: float) -> bool:
            found = made(rate)
            return found.setting.fakes < 1 and exact.at_most(found.measure.epsilon, self.epsilon)

        return self._checked(made(largest_where(private, self.rate * 2.0**-30, self.rate, 40)))

    def _checked(self, found: Premises) -> Premises:
        found.check(found.theorem.beyond(found.setting, self.epsilon, self.delta))
        return found

    @property
    def batch(self) -> int:
        """The batch size 1/(2ε ln(1/δ)) of Asi et al., Thm 3.12, rounded up."""
        return math.ceil(1 / (-2 * float(self.epsilon) * math.log(self.delta)))

    @property
    def tail(self) -> float:
        """The probability δ₁ of too many draws, such that the terms with δ₁ are half of the δ of
        Asi et al., Thm 3.2."""
        return float(self.delta) / (4 * -(-self.horizon // self.batch) * self.batch)

    @property
    def rate(self) -> float:
        """The rate η = ε^(2/3)/(T^(1/3) ln(T/δ)) of Asi et al., Thm 3.12."""
        long = math.log(self.horizon / self.delta)
        return math.pow(float(self.epsilon), 2 / 3) / (math.cbrt(self.horizon) * long)

    def regulariser(self, rate: float) -> float:
        """The weight λ = (L/D)·max{√T, √(d ln T)/η} of Thm 3.12's regulariser, for η = ``rate``."""
        spread = math.sqrt(self.dimension * math.log(max(self.horizon, 2))) / rate
        return self.lipschitz / self.width * max(math.sqrt(self.horizon), spread)

    def premises(self, rate: float, fakes: float, *, mended: bool) -> Premises:
        """The parameters for the rate η and the probability p = ``fakes`` of a fake switch, with δ₀
        and δ₁ that contribute half of δ each, and β = η²λ/(20L²), λ = ``regulariser``, divided by
        ln(2/δ₀) if ``mended``."""
        each = 2 / rate - math.log(self.tail) / fakes
        loose = self.tail / (each * math.e * self.batch) * (1 - 2.0**-20)
        if not loose:
            raise InvalidArgument("δ₀ is less than a double can be: give a larger delta")
        regulariser = self.regulariser(rate)
        beta = rate * rate * regulariser / (20 * self.lipschitz**2)
        setting = L2PSetting(
            rate=exact.fraction(rate), horizon=self.horizon, batch=self.batch,
            fakes=exact.fraction(fakes), loose=exact.fraction(loose),
        )  # fmt: skip
        return Premises(
            setting, Printed(tail=self.tail * (1 - 2.0**-20)),
            beta / math.log(2 / loose) if mended else beta, regulariser, self.lipschitz,
        )  # fmt: skip


# --- parameters of DP-OCO by the exact accounting -------------------------------------------------


class Chosen(NamedTuple):
    """The parameters of ``DPOCO`` that a search has chosen: the regulariser's weight λ, β, the
    probability p of a fake switch, the batch size B and the rate η."""

    regulariser: float
    beta: float
    fakes: float
    batch: int
    rate: float


def _chosen(asked: OCOTask, batch: int, spread: float, share: float) -> Chosen:
    """The parameters of ``DPOCO`` for noisy sums of standard deviation s = ``spread``: the best
    weight λ of the regulariser, β = 2λ/s², and a probability of fake switches that is proportional
    to ``share`` and at most 1/2."""
    half, long = asked.width / 2, asked.dimension * math.log(max(asked.horizon, 2))
    square = batch * asked.horizon * asked.lipschitz**2 / 4 + long * spread**2 / 2
    regulariser = math.sqrt(square) / half
    beta = 2 * regulariser / spread**2
    reach = beta * asked.lipschitz * asked.width
    return Chosen(regulariser, beta, min(0.5, share * 2 * batch * reach), batch, reach / 2)


@lru_cache(maxsize=64)
def exactly(asked: OCOTask) -> Chosen:
    """The parameters of ``DPOCO`` that are (ε, δ)-DP by the exact accounting, with about the least
    λR² + L²BT/(4λ) + d ln T/β, for T rounds in batches of B, dimension d, Lipschitz constant L, and
    R half the body's diameter.

    That figure, 2λR² at the best λ, is proportional to the best λ.
    """

    def curve(batch: int, *tried: float) -> JointCurve:
        found = _chosen(asked, batch, *tried)
        reach = found.beta * asked.lipschitz * asked.width
        rho = Fraction(found.beta * asked.lipschitz**2 / found.regulariser)
        return paired_curve(asked.horizon, batch, found.fakes, batch * reach, reach, rho)

    def merit(batch: int, *tried: float) -> float:
        return _chosen(asked, batch, *tried).regulariser

    high = 1e6 * math.sqrt(asked.horizon) / min(float(asked.epsilon), 1)
    spreads, shares, sizes = (1 / high, 1e3, 20), (1e-2, 1e2, 6), batches(asked.horizon)
    best = least_spread(curve, merit, spreads, shares, sizes, asked.epsilon, asked.delta)
    return _chosen(asked, *best)
