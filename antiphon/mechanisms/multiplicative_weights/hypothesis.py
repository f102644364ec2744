"""The public hypothesis of multiplicative weights, computed identically on any machine.

It is the distribution W_x ∝ e^(rate·s_x) on a universe of ``size`` elements, where the s_x are
sums of whole numbers and so exact. Weights are whole numbers too, in units of 2^-bits of the
largest, computed by operations that IEEE 754 rounds alike everywhere; each is within one unit of
its real value: half a unit for rounding, the rest for e^x, computed to 2^-45.
"""

from typing import Final, TypeAlias, Union

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.protocol import BOTTOM, TOP, Claim, Coins, ContinualMechanism, Pure, Signal, proved
from antiphon.protocol.registry import column_safe, register
from antiphon.protocol.spaces import Either, Finite, Integers, Signature
from antiphon.verifiers.models import event_level

Whole = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

_BITS: Final = 40
_PER_HALVING: Final = 1 / 0.6931471805599453
_HIGH: Final = 0.6931471803691238
"""The first 32 bits of ln 2: the product with any whole number below 2^21 is an exact double."""
_LOW: Final = 1.9082149292705877e-10
_LEAST: Final = -100.0
"""The least exponent x in use, to which smaller ones are raised: e^x is less than half a unit of a
weight, and rounded to 0."""


def bits(size: int, largest: int) -> int:
    """The number of bits for the weights w_x: so few that a sum Σ v_x w_x over ``size`` elements,
    with query values v_x <= ``largest``, fits 62 bits."""
    return min(_BITS, 61 - (size * largest).bit_length())


def powers(exponents: Doubles) -> Doubles:
    """The powers e^x of an array of x <= 0, to a relative error of 2^-45."""
    halvings = np.rint(exponents * _PER_HALVING)
    rest = exponents - halvings * _HIGH - halvings * _LOW
    total = np.ones_like(rest)
    for k in range(14, 0, -1):  # The loop sums Taylor's series of e^rest, for |rest| <= ln(2)/2.
        total = 1.0 + rest * total / k
    return np.ldexp(total, halvings.astype(np.int32))


def weights(sums: Whole, rate: float, fineness: int) -> Whole:
    """Integer weights proportional to e^(rate·sums), the largest being 2^fineness."""
    exponents = np.maximum((sums - sums.max()) * rate, _LEAST)
    found: Whole = np.rint(np.ldexp(powers(exponents), fineness)).astype(np.int64)
    return found


def expected(query: Whole, heavy: Whole, rows: int) -> int:
    """The answer of the hypothesis W to a query v: the int nearest to rows·Σ v_x W_x, where W is
    the distribution with weights ``heavy``."""
    total, sum_ = int(heavy.sum()), int(query @ heavy)
    return (2 * rows * sum_ + total) // (2 * total)


Said: TypeAlias = Union[int, Signal]
_SAID: Final = Either((Integers(), Finite((TOP, BOTTOM))))


@register("antiphon.Echo/1")
@column_safe
@attrs.frozen
class Echo(ContinualMechanism[None, Said, Said]):
    """A mechanism that answers each message with itself: an int, ⊤ or ⊥.

    A post-processor whose answer depends on a message from its left, such as a public query,
    lacks the response property (CM §6.1); sending the answer through an Echo gives it the property.
    Privacy: 0-DP w.r.t. pairs that are all identical; proved.

    >>> Echo().start().send(7)
    7
    """

    @property
    def initial_state(self) -> None:
        return None

    @property
    def signature(self) -> Signature:
        return Signature(_SAID, _SAID)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "both sides of each pair are the same message"
        return proved(self, Pure(0), event_level(events=0), source)

    def step(self, state: None, message: Said, coins: Coins) -> tuple[None, Said]:
        return None, message
