"""Three accountings of the privacy of L2P (lazy to private), each with its premises."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar, Final

import attrs

from antiphon.learners.joint_curve import L2PCurve
from antiphon.mechanisms import fields
from antiphon.numbers import ExactEpsilon, InvalidArgument, exact, shown_down, shown_up
from antiphon.numbers.interval import above, up
from antiphon.protocol import Approximate, Measure, Renyi, register
from antiphon.protocol.measures.divergences import SLACK

_PAPER: Final = "Asi, Koren, Liu and Talwar, Thm 3.2"
MOST_RATE: Final = Fraction(1, 10)
"""The largest learning rate η for which Thm 3.2 of Asi, Koren, Liu and Talwar holds."""
_SMALL: Final = Fraction(1, 10**300)
"""The probability δ₁ of too many draws below which ln(1/δ₁) is computed from numerator and
denominator, as a double would underflow."""
_ENOUGH: Final = 5.0
"""The least ln(1/δ₁) for which the proof of ``Repaired`` holds, where δ₁ is the probability of too
many draws."""


@attrs.frozen(kw_only=True)
class L2PSetting:
    """The parameters of L2P (lazy to private) that determine its privacy: rate η, number of rounds
    T, batch size B, probability p of a fake switch (a draw whatever the losses), the probability δ₀
    up to which one loss may change log-ratios by more than η, and the margin m in the factor
    e^(-mBη) of the probability to stay."""

    rate: ExactEpsilon
    horizon: int
    batch: int
    fakes: Fraction
    margin: int = 2
    loose: Fraction = Fraction(0)

    @property
    def batches(self) -> int:
        """The number K = ⌈T/B⌉ of batches, of which the last may be shorter; where Asi et al. have
        T, this library uses K·B."""
        return -(-self.horizon // self.batch)


def _tail(value: object) -> Fraction:
    found = fields.check_positive(value, "tail")
    if found >= 1:
        raise InvalidArgument("tail, which is δ₁, lies strictly between 0 and 1")
    return found


class Accounting(ABC):
    """A way to bound the privacy loss of L2P (lazy to private) from its parameters. Abstract."""

    __slots__ = ()
    __immutable__ = True
    source: ClassVar[str]
    tail: Fraction | None = None
    """The probability δ₁ of too many draws, for an accounting that counts draws; else None."""

    @abstractmethod
    def measure(self, setting: L2PSetting) -> Measure:
        """The privacy measure that is claimed for L2P with these parameters, rounded up."""

    @abstractmethod
    def violations(self, setting: L2PSetting) -> Iterator[str]:
        """Yields an error message for each premise that fails, with its numbers and a remedy."""

    def check(self, setting: L2PSetting) -> None:
        """Checks the premises. Raises: InvalidArgument for the first premise that does not hold."""
        for text in self.violations(setting):
            raise InvalidArgument(text)

    def covers(self, setting: L2PSetting) -> bool:
        """Whether the bound is proved for these parameters, also against adversaries that choose
        each loss after the advice."""
        long = self.tail is None or _length(self.tail) >= _ENOUGH * (1 + SLACK)
        return not setting.loose and long


@attrs.frozen(kw_only=True)
class CountsDraws(Accounting):
    """An accounting that assumes a number of draws, which is exceeded with probability δ₁ =
    ``tail`` at most, and claims (ε, δ). Abstract."""

    tail: Fraction = attrs.field(converter=_tail)

    @staticmethod
    @abstractmethod
    def epsilon(rate: float, fakes: float, batches: int, length: float) -> float:
        """The claimed ε, in doubles without rounding up, for the rate η = ``rate``, fake switches
        with p = ``fakes``, K = ``batches`` and ℒ = ln(1/δ₁) = ``length``."""

    @abstractmethod
    def delta(self, setting: L2PSetting) -> Fraction:
        """The claimed δ, at most 1."""

    def measure(self, setting: L2PSetting) -> Approximate:
        given = up(setting.rate), float(setting.fakes), setting.batches, _length(self.tail)
        epsilon = exact.epsilon(above(self.epsilon(*given) * (1 + SLACK)))
        return Approximate(epsilon, self.delta(setting))


@register("antiphon.l2p.Printed/1")
@attrs.frozen(kw_only=True)
class Printed(CountsDraws):
    """The accounting of L2P by Asi et al., Thm 3.2, as printed, with the number of batches K =
    ⌈T/B⌉ in place of T/B, δ₁ = ``tail`` and ℒ = ln(1/δ₁).

    ε = 2η/p + η + 3Kη²pℒ/2 + √(6Kη²pℒ²), δ = 2KB(2/η + ℒ/p)eBδ₀ + 2KBδ₁, if η <= 1/10, Kp >= 1 and
    ηBℒ <= p. The paper's proof is for losses that are chosen beforehand (Def. 2.1), and counts only
    fake switches, although a real switch draws as well: so this library does not rely on it. Where
    δ₀ = 0 and ℒ >= 5, ``Repaired`` proves a smaller ε and δ, so the claim is *proved*; otherwise
    *assumed*.
    """

    source: ClassVar[str] = _PAPER

    @staticmethod
    def epsilon(rate: float, fakes: float, batches: int, length: float) -> float:
        spread = batches * rate**2 * fakes * length
        return 2 * rate / fakes + rate + 1.5 * spread + math.sqrt(6 * spread * length)

    def delta(self, setting: L2PSetting) -> Fraction:
        rounds = setting.batches * setting.batch
        lost = Fraction(0)
        if setting.loose:
            each = 2 / up(setting.rate) + _length(self.tail) / float(setting.fakes)
            lost = Fraction(each * math.e * (1 + SLACK)) * setting.batch * setting.loose
        return min(Fraction(1), 2 * rounds * (lost + self.tail))

    def violations(self, setting: L2PSetting) -> Iterator[str]:
        yield from _premises(setting, _length(self.tail))

    def beyond(self, setting: L2PSetting, epsilon: Fraction, delta: Fraction) -> Iterator[str]:
        """Yields an error message if Thm 3.2 of Asi et al. gives more than the asked ε, and another
        for δ."""
        told = self.measure(setting)
        for name, found, most in (("ε", told.epsilon, epsilon), ("δ", told.delta, delta)):
            if not exact.at_most(found, most):
                yield f"Thm 3.2 gives {name} = {shown_up(found)}, more than {shown_down(most)}"


@register("antiphon.l2p.Repaired/1")
@attrs.frozen(kw_only=True)
class Repaired(CountsDraws):
    """The repaired accounting of Asi et al., Thm 3.2, *proved*: ε = 2η/p + ρ + 2√(ρℒ) with ρ =
    Kη²pℒ, and δ = 2δ₁, for the rate η, K batches, fake switches with probability p, δ₁ = ``tail``
    and ℒ = ln(1/δ₁).

    Premises: those of Thm 3.2, δ₀ = 0, and ℒ >= 5. Reveal more than the answers: after each batch
    whether the followed expert x was kept, whether the hidden one y was, and the experts drawn.
    This determines the answers and, with the adversary's own coins, the next loss; so let P and Q
    be the laws of the revealed values in the two worlds.

    *Decisions.* Given the past, x and y are known, and the same. After a batch, x is kept with
    probability s = (1-p)e^(-a), where a is mBη minus the amount by which the batch moved x past y;
    y with 1-p. A batch without the loss that differs gives the same a in both worlds, by (ii). The
    one with it gives two that are at most 2η apart. So s₀/s₁ <= e^(2η), and as both are at most
    1-p, (1-s₀)/(1-s₁) <= 1 + (1-p)(1-e^(-2η))/p <= e^(2η/p): this one bit has a privacy loss of at
    most 2η/p, and the others have none.

    *Draws.* The laws of a draw have a log-ratio of range 2η, so each is η²/2-zCDP (Cesar and Rogers
    2021). Stop the process before draw N+1, N = ⌊2Kpℒ⌋. Let Q' be Q with that one bit as in P. The
    stopped P and Q' differ by at most N adaptive draws, which are Nη²/2 <= ρ-zCDP; so
    P(S) <= e^(ρ+2√(ρℒ))Q'(S) + δ₁, and Q'(S) <= e^(2η/p)Q(S), of events S with N draws at most.

    *Their number.* Given any past, x is drawn with probability at most
    1 - (1-p)e^(-(m+1)Bη) <= p + 3Bη <= p + 3p/ℒ, and y with p; of these are at most K each, with a
    mean of at most M(2 + 3/ℒ) in all, M = Kp >= 1. By Chernoff there are more than 2Mℒ with
    probability at most exp(M(2ℒ(1 + ln((2 + 3/ℒ)/(2ℒ))) - 2 - 3/ℒ)), which is at most e^(-ℒ) = δ₁
    for ℒ >= 5. So P(S) <= e^ε Q(S) + 2δ₁ of all events S, and the same the other way round.

    Source: the proof of Thm 3.2, which omits real switches in N, and conditions on the draws: both
    repaired here, for adaptive adversaries.
    """

    source: ClassVar[str] = f"{_PAPER}; its proof, mended here"

    @staticmethod
    def epsilon(rate: float, fakes: float, batches: int, length: float) -> float:
        rho = batches * rate**2 * fakes * length
        return 2 * rate / fakes + rho + 2 * math.sqrt(rho * length)

    def delta(self, setting: L2PSetting) -> Fraction:
        return min(Fraction(1), 2 * self.tail)

    def violations(self, setting: L2PSetting) -> Iterator[str]:
        length = _length(self.tail)
        yield from _exactly(setting, "repaired")
        yield from _premises(setting, length)
        if length < _ENOUGH * (1 + SLACK):
            yield (
                f"the repaired accounting asks for ln(1/δ₁) >= {_ENOUGH:g}, and here it is "
                f"{shown_down(length)}: take a smaller δ₁ (tail)"
            )


@register("antiphon.l2p.Optimised/1")
@attrs.frozen
class Optimised(Accounting):
    """The accounting of L2P by the Rényi bound of ``L2PCurve``, *proved* for any number K of
    batches.

    e^((α-1)D_α) <= max{X, F}·X^(k-1)·Y^k for each order α, k = K-1, with X, Y and F as there.
    Premise: δ₀ = 0, so no ratio is cut at 1. Reveal the same as in ``Repaired`` (``joint_curve``).
    Whether the hidden expert y is kept, and its replacement, are independent of x's part given the
    past: each decision contributes a product. R bounds the contribution of a draw, as two laws of
    it have a log-ratio of range 2η. Then

    * before the batch with the loss that differs all is the same in both worlds: 1;
    * from then on, y contributes (1-p) + p·E' with E' <= R, so at most Y: k times at most;
    * after that batch x is kept with one s in both worlds, and contributes s + (1-s)E'. As a is at
      most mBη + Bη, s >= (1-p)e^(-(m+1)Bη), and that is at most X: k-1 times at most;
    * at the end of the batch itself x is kept with s_i = (1-p)e^(-a_i), a_i in
      [(m-1)Bη, (m+1)Bη] and |a₀-a₁| <= 2η, and contributes s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R,
      which is largest at a corner of the hexagon of those pairs: where s₀ = s₁, and it is at most
      X, or at one of four that F looks at.

    Source: Asi, Koren, Liu and Talwar, Alg. 1; this bound is derived here, as that of
    ``LazyExperts``. It needs none of the conditions of Thm 3.2.
    """

    source: ClassVar[str] = "Asi, Koren, Liu and Talwar, Alg. 1; bound proved here"

    def measure(self, setting: L2PSetting) -> Renyi:
        return Renyi(
            L2PCurve(
                setting.rate, setting.fakes, setting.margin, setting.batch, setting.batches - 1
            )
        )

    def violations(self, setting: L2PSetting) -> Iterator[str]:
        return _exactly(setting, "optimised")


def _length(tail: Fraction) -> float:
    """The logarithm ℒ = ln(1/δ₁), rounded up, for δ₁ = ``tail`` < 1/2; a larger δ₁ gives no
    claim."""
    small = tail < _SMALL
    found = math.log(tail.denominator) - math.log(tail.numerator) if small else -math.log(tail)
    return found * (1 + SLACK)


def _premises(setting: L2PSetting, length: float) -> Iterator[str]:
    """Yields an error message for each violated premise of Asi et al., Thm 3.2; ``length`` is
    ln(1/δ₁)."""
    rate, fakes = up(setting.rate), float(setting.fakes)
    if not exact.at_most(setting.rate, MOST_RATE):
        yield f"Thm 3.2 asks for η <= 1/10, and here η = {shown_up(rate)}: take a smaller rate"
    if not setting.fakes < 1:
        yield f"Thm 3.2 asks for p < 1, and here p = {shown_up(fakes)}"
    if setting.batches * setting.fakes < 1:
        yield (
            f"Thm 3.2 asks for ⌈T/B⌉·p >= 1, and here {setting.batches}·{shown_down(fakes)} = "
            f"{shown_down(setting.batches * setting.fakes)}: take more fake switches (fakes) or "
            "shorter batches"
        )
    found = rate * setting.batch * length
    if found * (1 + SLACK) > fakes:
        yield (
            f"Thm 3.2 asks for η·B·ln(1/δ₁)/p <= 1, and here {shown_up(rate)}·{setting.batch}·"
            f"{shown_up(length)}/{shown_down(fakes)} = {shown_up(found / fakes)}: take more fake "
            "switches (fakes), shorter batches or a smaller rate"
        )


def _exactly(setting: L2PSetting, name: str) -> Iterator[str]:
    if setting.loose:
        yield (
            f"the {name} accounting is proved for measures with δ₀ = 0 (loose), and here it is "
            f"{shown_up(setting.loose)}: use Printed, which is assumed"
        )
