"""Randomized response: RR_{ε,δ} on bits (CM Def. 2.3) and on k values; and mechanisms that may leak
a bit.

Counterexamples of sparse parallel composition: M_δ (CM §5.2, Thm 1.4), and M_{p,E} for zCDP.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

import attrs

from antiphon.composition.accounting.pairs.compose import dominated_measure
from antiphon.composition.accounting.pairs.noise import ResponsePair
from antiphon.composition.accounting.pairs.points import FinitePair, MixturePair
from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument, exact, up
from antiphon.numbers.normal import gaussian_delta, quantile_above
from antiphon.protocol import BOTTOM, EMPTY, TOP, Claim, Coins, ContinualMechanism, Signal, proved
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.measures import kinds
from antiphon.protocol.measures.divergences import SLACK, response_divergence
from antiphon.protocol.measures.kinds import Approximate, Pure
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.spaces import BITS, Finite, Integers, Signature
from antiphon.verifiers.models import bounded, event_level, neighbouring_start

_LARGE = Fraction(1000)
"""An ε past which e^(-ε) is 0 in doubles; the true bit is then answered w.p. 1 - 2^-50."""
_ANSWERS = Finite(tuple((bit, flag) for bit in (0, 1) for flag in (TOP, BOTTOM)))


@register("antiphon.RandomizedResponse/1")
@column_safe
@attrs.frozen
class RandomizedResponse(NoninteractiveMechanism[int, tuple[int, Signal]]):
    """Randomized response RR_{ε,δ}: b ↦ (b,⊤) w.p. δ; (b,⊥) w.p. (1-δ)e^ε/(1+e^ε); (1-b,⊥)
    otherwise.

    The universal (ε, δ)-DP NIM on a pair of neighbours: every other one is a
    post-processing of it (CM Thm 2.5). NIM: bit -> (bit, ⊤ or ⊥), then HALT.
    Privacy: (ε, δ)-DP w.r.t. f_∼ on bits; proved. Exact for ``epsilon=Log(q)``; for
    another ε, e^ε/(1+e^ε) is rounded towards 1/2, so the claim still holds.
    Source: CM Def. 2.3.
    Raises: InvalidArgument for epsilon < 0 or NaN, delta outside [0, 1].

    >>> RandomizedResponse(epsilon=0, delta=1).start().send(1)
    (1, TOP)
    """

    epsilon: exact.ExactEpsilon = attrs.field(converter=fields.any_epsilon, kw_only=True)
    delta: Fraction = attrs.field(default=Fraction(0), converter=fields.probability, kw_only=True)

    @property
    def signature(self) -> Signature:
        return Signature(BITS, _ANSWERS, BITS)

    @property
    def claims(self) -> tuple[Claim, ...]:
        measure = Approximate(self.epsilon, self.delta)
        return proved(self, measure, neighbouring_start(), "CM Def. 2.3")

    @property
    def truth(self) -> Fraction | float:
        """The probability of the true bit, given ⊥: e^ε/(1+e^ε), never rounded up."""
        if isinstance(self.epsilon, exact.Log):
            return self.epsilon.argument / (1 + self.epsilon.argument)
        if self.epsilon == 0:
            return Fraction(1, 2)
        return max(0.5, (1 - 2**-50) / (1 + math.exp(-float(min(self.epsilon, _LARGE)))))

    def respond(self, dataset: int, coins: Coins) -> tuple[int, Signal]:
        if coins.bernoulli(self.delta):
            return dataset, TOP
        return (dataset if coins.bernoulli(self.truth) else 1 - dataset), BOTTOM


_BITS: Final = 64
"""The number of bits to which an irrational e^(-ε) is computed."""
_VALUES: Final = fields.at_most(fields.MOST_UPDATES, "group them")


def _values(value: object) -> int:
    if fields.check_size(value, "values", _VALUES) == 1:
        raise InvalidArgument("values must be an int >= 2: a single value has no information")
    return value  # type: ignore[return-value]


@attrs.frozen(kw_only=True)
class OneOfMany(NoninteractiveMechanism[int, int]):
    """A response on values 0, …, k-1: the value itself w.p. e^ε/(e^ε+k-1), else another.
    Abstract."""

    epsilon: exact.ExactEpsilon = attrs.field(converter=fields.any_epsilon)
    values: int = attrs.field(converter=_values)
    truth: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The probability that the answer is the value itself, never rounded up."""

    def __attrs_post_init__(self) -> None:
        if isinstance(self.epsilon, exact.Log):
            weight, other = self.epsilon.argument, Fraction(1)
        else:
            above = exact.exp_bracket(self.epsilon, _BITS)[1]
            weight, other = Fraction(1 << _BITS), Fraction(above)
        set_derived(self, truth=weight / (weight + (self.values - 1) * other))

    @property
    def signature(self) -> Signature:
        values = Integers(0, self.values - 1)
        return Signature(values, values, values)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source, lie = "Kairouz, Bonawitz, Ramage 2016", (1 - self.truth) / (self.values - 1)
        # All answers but 0 and 1 are merged into one, whose probability ``rest`` is the same for
        # the values 0 and 1.
        rest = (self.values - 2) * lie
        pairs = dominated_measure(FinitePair, (self.truth, lie, rest), (lie, self.truth, rest))
        return proved(self, Pure(self.epsilon), neighbouring_start(), source, *pairs)


@register("antiphon.KaryResponse/1")
@column_safe
@attrs.frozen(kw_only=True)
class KaryResponse(OneOfMany):
    """k-ary randomized response: the value itself w.p. e^ε/(e^ε+k-1), else a uniform other; k =
    ``values``.

    Privacy: ε-DP w.r.t. f_∼ on any two values, and dominated by its distributions on two of them;
    proved. Exact for ``epsilon=Log(q)``; for another ε the probability of the truth is rounded down
    (towards 1/k), so the claim still holds. Source: Kairouz, Bonawitz, Ramage 2016 (k-RR); for k =
    2 Warner 1965. Raises: InvalidArgument for epsilon < 0 or NaN, values < 2.

    >>> KaryResponse(epsilon=100, values=5).start(seed=1).send(3)
    3
    """

    def respond(self, dataset: int, coins: Coins) -> int:
        if coins.bernoulli(self.truth):
            return dataset
        other = coins.uniform_integer(self.values - 1)
        return other + (other >= dataset)

    def frequencies(self, counts: Sequence[int]) -> tuple[float, ...]:
        """Unbiased estimates of the shares of the values, from how often each was answered."""
        users, lie = sum(counts), (1 - self.truth) / (self.values - 1)
        if len(counts) != self.values or not users:
            raise InvalidArgument(f"counts has one number for each of the {self.values} values")
        return tuple(float((Fraction(n, users) - lie) / (self.truth - lie)) for n in counts)

    def error_bound(self, users: int, *, beta: float) -> float:
        """A bound on the error of every estimated share, which holds with probability at least 1 -
        beta.

        Hoeffding for each value and a union bound: √(ln(2k/beta)/(2·users)) / (truth - lie).
        Infinite for ε = 0, where answers have no information.
        """
        width = math.sqrt(
            math.log(2 * self.values / fields.beta(beta)) / (2 * exact.whole(users, "users"))
        )
        apart = self.truth - (1 - self.truth) / (self.values - 1)
        return width / float(apart) * (1 + 1e-12) if apart else math.inf


_SHOWN: Final = Finite((TOP, BOTTOM, 0, 1))
TWO_BITS = bounded(event_level(), 2)
"""The verification function g of CM §5.2: at most two pairs of bits, at most one of which
differs."""


class BitExposed(ContinualMechanism[Signal, int, int | Signal]):
    """A mechanism that takes bits and answers ⊤, ⊥ or a bit; ⊤ is its initial state. Abstract."""

    __slots__ = ()

    @property
    def initial_state(self) -> Signal:
        return TOP

    @property
    def signature(self) -> Signature:
        return Signature(BITS, _SHOWN, BITS)


@register("antiphon.LeakyBit/1")
@column_safe
@attrs.frozen
class LeakyBit(BitExposed):
    """The mechanism M_δ: it answers ⊤ until it breaks, w.p. δ each time (answer ⊥), and then echoes
    bits.

    State: ⊤ (whole) or ⊥ (broken). (⊤, bit) -> ⊤ w.p. 1-δ, ⊥ w.p. δ; (⊥, bit) -> the bit.
    Privacy: (0, δ)-DP w.r.t. g (``TWO_BITS``), which is not first-pair consistent; proved.
    Source: CM §5.2, the counterexample of Thm 1.4.
    Raises: InvalidArgument for delta outside [0, 1].
    """

    delta: Fraction = attrs.field(converter=fields.probability, kw_only=True)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return proved(self, Approximate(0, self.delta), TWO_BITS, "CM §5.2")

    def step(self, state: Signal, message: int, coins: Coins) -> tuple[Signal, int | Signal]:
        if state is BOTTOM:
            return state, message
        return (BOTTOM, BOTTOM) if coins.bernoulli(self.delta) else (TOP, TOP)


_STEP: Final = 1 + 2.0**-7
_LARGEST: Final = 700.0
_FAR: Final = 60
"""The largest ε for which ``ExposedResponse`` computes its ρ and μ from its parameters; for a
larger ε it claims the ρ and μ of plain randomized response, which are hardly larger."""
_SOURCE: Final = "docs/sparse.md, In Rényi DP"


def _probability(value: object) -> Fraction:
    return fields.probability(exact.probability(value, "probability"))


@register("antiphon.ExposedDivergence/1", state=True)
@attrs.frozen
class ExposedDivergence:
    """The Rényi divergence of M_{p,E}: α ↦ ln(1 - p + p·e^((α-1)·D_α(RR_E)))/(α-1),
    rounded up."""

    probability: Fraction
    epsilon: exact.ExactEpsilon

    def __call__(self, order: float) -> float:
        p, whole = up(self.probability), response_divergence(self.epsilon, order)
        size = (order - 1) * whole
        if not p or math.isinf(order):
            return whole if p else 0.0
        if size < _LARGEST:
            found = math.log1p(p * math.expm1(size)) * (1 + SLACK)
        else:
            found = size + math.log(p) + math.exp(-_LARGEST) / p + SLACK * (size - math.log(p))
        return min(found / (order - 1) * (1 + SLACK), whole)


@register("antiphon.ExposedResponse/1")
@column_safe
@attrs.frozen
class ExposedResponse(BitExposed):
    """The mechanism M_{p,E}: its first answer is whether it is exposed, w.p. p; if so, it answers a
    bit by randomized response RR_E.

    State: ⊤ (fresh), ⊥ (exposed), λ (done). (⊤, bit) -> ⊥ w.p. p, else ⊤ and done; (⊥, bit) ->
    the bit w.p. e^E/(1+e^E), else the other, and done; (λ, bit) -> ⊤.
    Privacy: D_α = ln(1-p+p·w)/(α-1), w = (e^(αE)+e^((1-α)E))/(1+e^E), w.r.t. at most two pairs of
    which at most one differs (``TWO_BITS``), which is not first-pair consistent; proved. So ρ-zCDP,
    μ-GDP and E-DP with the ρ and μ of its claims; but of n copies, one of which gets a differing
    pair, e^((α-1)D_α) = (1-p)^n + (1-(1-p)^n)·w: it grows to that of RR_E.
    Source: docs/sparse.md, derived for this project.
    Raises: InvalidArgument for a probability outside [0, 1], epsilon <= 0.
    """

    probability: Fraction = attrs.field(converter=_probability, kw_only=True)
    epsilon: exact.ExactEpsilon = attrs.field(converter=fields.log_epsilon, kw_only=True)
    truth: Fraction | float = attrs.field(init=False, eq=False, repr=False)
    """The probability e^E/(1+e^E) of the true bit, once exposed."""

    def __attrs_post_init__(self) -> None:
        set_derived(self, truth=RandomizedResponse(epsilon=self.epsilon).truth)

    @property
    def claims(self) -> tuple[Claim, ...]:
        p, epsilon = self.probability, self.epsilon
        if not p:
            return proved(self, Pure(0), TWO_BITS, _SOURCE)

        def exposed() -> MixturePair:
            """The dominating pair: with probability p, which is public, the pair of randomized
            response, and else one without privacy loss."""
            return MixturePair((p, 1 - p), (ResponsePair(epsilon), FinitePair((1,), (1,))))

        measures: tuple[kinds.Measure, ...] = (
            Pure(epsilon),
            kinds.ZeroConcentrated(concentrated(p, epsilon)),
            kinds.GaussianDP(gaussian(p, epsilon)),
            kinds.Renyi(ExposedDivergence(p, epsilon)),
            *dominated_measure(exposed),
        )
        return tuple(proved(self, each, TWO_BITS, _SOURCE)[0] for each in measures)

    def step(self, state: Signal, message: int, coins: Coins) -> tuple[Signal, int | Signal]:
        if state is TOP:
            return (BOTTOM, BOTTOM) if coins.bernoulli(self.probability) else (EMPTY, TOP)
        if state is BOTTOM:
            return EMPTY, message if coins.bernoulli(self.truth) else 1 - message
        return EMPTY, TOP


@lru_cache(maxsize=64)
def concentrated(probability: Fraction, epsilon: exact.ExactEpsilon) -> Fraction:
    """A ρ for which ``ExposedResponse`` is ρ-zCDP: at least D_α/α for its Rényi divergence D_α at
    every order α, rounded up.

    D_α does not fall as α grows, so D_β/α is a bound between the orders α and β, and E/α from α on.
    """
    end = exact.bracket(epsilon, 20)[1]
    if end > _FAR:
        return end  # This ρ = ε is large enough, as D_α <= ε for all orders α >= 1.
    divergence, most = ExposedDivergence(probability, epsilon), up(end)
    rho, order = 0.0, 1.0
    while most / order > rho:
        after = order * _STEP
        rho, order = max(rho, divergence(after) / order), after
    return Fraction(math.nextafter(rho * (1 + SLACK), math.inf))


@lru_cache(maxsize=64)
def gaussian(probability: Fraction, epsilon: exact.ExactEpsilon) -> Fraction:
    """A μ for which ``ExposedResponse`` M_{p,E} is μ-GDP: the least found for which the δ of μ-GDP
    at ε = E is at least p, the probability of exposure.

    That is enough, as the mechanism's own δ is at most p at an ε below E, and 0 from E on.

    At most that of RR_E itself, 2Φ⁻¹(e^E/(1+e^E)).
    """
    low, high, end = Fraction(0), 2 * quantile_above(epsilon), exact.bracket(epsilon, 20)[1]
    if end > _FAR:
        return high
    for _ in range(12):
        middle = (low + high) / 2
        enough = gaussian_delta(middle, end)[0] >= probability
        low, high = (low, middle) if enough else (middle, high)
    return high
