"""Randomized response: RR_{ε,δ} on bits (CM Def. 2.3), and on k values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition.accounting.pairs.compose import dominated
from antiphon.composition.accounting.pairs.points import FinitePair
from antiphon.mechanisms import fields
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.named import set_derived
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Approximate, Pure
from antiphon.protocol.messages import BOTTOM, TOP, Symbol
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Finite, Integers, Signature
from antiphon.verifiers.models import neighbouring_start

_LARGE = Fraction(1000)
"""An ε past which e^(-ε) is 0 in doubles; the truth is then told w.p. 1 - 2^-50."""
_ANSWERS = Finite(tuple((bit, flag) for bit in (0, 1) for flag in (TOP, BOTTOM)))


@register("antiphon.RandomizedResponse/1")
@column_safe
@attrs.frozen
class RandomizedResponse(NoninteractiveMechanism[int, tuple[int, Symbol]]):
    """RR_{ε,δ}: b ↦ (b,⊤) w.p. δ; (b,⊥) w.p. (1-δ)e^ε/(1+e^ε); (1-b,⊥) otherwise.

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

    def respond(self, dataset: int, coins: Coins) -> tuple[int, Symbol]:
        if coins.bernoulli(self.delta):
            return dataset, TOP
        return (dataset if coins.bernoulli(self.truth) else 1 - dataset), BOTTOM


_BITS: Final = 64
"""To how many bits e^(-ε) is known where it is irrational."""
_VALUES: Final = fields.at_most(fields.MOST_UPDATES, "group them")


def _values(value: object) -> int:
    if fields.check_size(value, "values", _VALUES) == 1:
        raise InvalidArgument("values must be an int >= 2: with one value there is nothing to tell")
    return value  # type: ignore[return-value]


@register("antiphon.KaryResponse/1")
@column_safe
@attrs.frozen(kw_only=True)
class KaryResponse(NoninteractiveMechanism[int, int]):
    """A value of 0, …, k-1 ↦ itself w.p. e^ε/(e^ε+k-1), else a uniform other; k = ``values``.

    Privacy: ε-DP w.r.t. f_∼ on any two values, and dominated by its laws on two of them; proved.
    Exact for ``epsilon=Log(q)``; for another ε the probability of the truth is rounded down
    (towards 1/k), so the claim still holds.
    Source: Kairouz, Bonawitz, Ramage 2016 (k-RR); for k = 2 Warner 1965.
    Raises: InvalidArgument for epsilon < 0 or NaN, values < 2.

    >>> KaryResponse(epsilon=100, values=5).start(seed=1).send(3)
    3
    """

    epsilon: exact.ExactEpsilon = attrs.field(converter=fields.any_epsilon)
    values: int = attrs.field(converter=_values)
    truth: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The probability of the value itself, never rounded up."""

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
        source = "Kairouz, Bonawitz, Ramage 2016"
        pairs = dominated(FinitePair, *self._two)
        return proved(self, Pure(self.epsilon), neighbouring_start(), source, *pairs)

    @property
    def _two(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """The laws of the answers 0, 1 and all others, to 0 and to 1."""
        lie = (1 - self.truth) / (self.values - 1)
        rest = (self.values - 2) * lie
        return (self.truth, lie, rest), (lie, self.truth, rest)

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
        """What no estimated share errs by more than, with probability at least 1 - beta.

        Hoeffding for each value and a union bound: √(ln(2k/beta)/(2·users)) / (truth - lie).
        Infinite for ε = 0, whose answers tell nothing.
        """
        width = math.sqrt(
            math.log(2 * self.values / fields.beta(beta)) / (2 * exact.whole(users, "users"))
        )
        apart = self.truth - (1 - self.truth) / (self.values - 1)
        return width / float(apart) * (1 + 1e-12) if apart else math.inf
