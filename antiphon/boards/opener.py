"""Keys that are found in the data: which ones are opened is told by a private rule, Theorem T3.

A *cell* is a key in a window; its number is how many users have kept rows of it there. Each cell is
a NIM of its own, which opens the key with probability π(n), n its number: π(0) = 0 and
π(n + 1) = min(E·π(n) + δ, 1 - (1 - π(n) - δ)/E, 1), E = e^ε: the largest that is (ε, δ)-DP for
numbers that differ by one. Cells of number 0 are never opened, so they need not be sent.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, TypeAlias, cast

import attrs

from antiphon.boards.units import LONGEST_KEY
from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol import (
    Approximate,
    Claim,
    Coins,
    ContinualMechanism,
    Refused,
    Space,
    Verification,
    register,
    spaces,
)
from antiphon.protocol.provenance import proved

Cells: TypeAlias = "tuple[tuple[str, int], ...]"
"""The cells of a window: the keys that somebody sent, each with its number of users, by key."""
THEOREM: Final = "Theorem T3 (docs/boards.md)"
_GRID: Final = 1 << 64
_MOST: Final = 10_000
"""The largest number of users for which a key may still stay closed."""
_UNTIL: Final = 30
"""The largest ε of one cell; past it e^ε is no larger here."""


@register("antiphon.TuplesOf/1")
@attrs.frozen
class TuplesOf(Space):
    """The tuples of any length whose entries lie in one space."""

    space: Space

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return self.space.discrete

    def contains(self, value: object) -> bool:
        if type(value) is not tuple:
            return False
        return all(map(self.space.contains, cast("tuple[object, ...]", value)))


KEYS: Final = spaces.Texts(LONGEST_KEY)


@register("antiphon.CellsOfAWindow/1")
@attrs.frozen
class CellsOfAWindow(TuplesOf):
    """The space of cells: tuples of (key, number), in the order of the keys, each key once."""

    space: Space = attrs.field(default=spaces.Tuples((KEYS, spaces.Integers(1))), init=False)

    def contains(self, value: Any) -> bool:
        if not TuplesOf.contains(self, value):
            return False
        return all(left[0] < right[0] for left, right in pairwise(value))


@register("antiphon.CellsWithin/1")
@attrs.frozen(kw_only=True)
class CellsWithin(Verification[int, Cells]):
    """A verification function: at most ``cells`` cells differ, over all windows, each by one user.

    State: the cells that are left.
    """

    swap_symmetric = True
    cells: int = attrs.field(converter=fields.size, metadata=fields.VALUES)

    @property
    def initial_state(self) -> int:
        return self.cells

    def step(self, state: int, zero: Cells, one: Cells, /) -> int | Refused:
        of_zero, of_one = dict(zero), dict(one)
        numbers = [(of_zero.get(key, 0), of_one.get(key, 0)) for key in of_zero | of_one]
        if any(abs(x - y) > 1 for x, y in numbers):
            return Refused("the number of a cell differs by more than one user")
        left = state - sum(x != y for x, y in numbers)
        return left if left >= 0 else Refused(f"more than {self.cells} cells differ")


@lru_cache(maxsize=64)
def opening(epsilon: ExactEpsilon, delta: Fraction) -> tuple[Fraction, ...]:
    """The probabilities π(0), π(1), …, up to the first that is 1. Raises: InvalidArgument.

    >>> [str(p) for p in opening(Log(2), Fraction(1, 10))]
    ['0', '1/10', '3/10', '7/10', '9/10', '1']
    """
    if isinstance(epsilon, Log):
        grown = epsilon.argument
    else:  # rounded down, so that the rule is more private than it says
        grown = Fraction(math.exp(min(float(epsilon), _UNTIL)) * (1 - 2.0**-40))
    grown, known = max(grown, Fraction(1)), [Fraction(0)]
    while known[-1] < 1:
        p = known[-1]
        most = min(grown * p + delta, 1 - (1 - p - delta) / grown, Fraction(1))
        if most.denominator > _GRID:  # down, but never below p, which is itself allowed
            most = max(p, Fraction(math.floor(most * _GRID), _GRID))
        if most == p or len(known) > _MOST:
            raise InvalidArgument(
                "no key would be opened before 10,000 users send it: the ε and δ of the keys are "
                "too small"
            )
        known.append(most)
    return tuple(known)


@register("antiphon.KeyOpener/1")
@attrs.frozen(kw_only=True)
class KeyOpener(ContinualMechanism[int, Cells, "tuple[str, ...]"]):
    """A mechanism that tells which keys enough users have sent, by Theorem T3.

    A query is the cells of a window; the answer is the keys that it opens, in the order of their
    texts, never by who came first. State: 0; each cell has coins of its own.
    Privacy: (ε, δ)-DP w.r.t. ``CellsWithin(cells=1)``. *Proof.* Cells are independent, given the
    queries. One differs, in numbers n and n + 1: it is opened with π(n) and π(n + 1), and
    π(n + 1) <= Eπ(n) + δ and 1 - π(n) <= E(1 - π(n + 1)) + δ are what π is made of; the others
    hold as π grows. ∎ Several cells: Theorem T3, in ``OpeningPurse``.
    Raises: InvalidArgument for an ε and δ so small that 10,000 users may open no key.
    """

    epsilon: ExactEpsilon = attrs.field(converter=fields.log_epsilon)
    delta: Fraction = attrs.field(converter=fields.probability)

    def __attrs_post_init__(self) -> None:
        self.probabilities  # an ε that opens nothing is refused now  # noqa: B018

    @property
    def probabilities(self) -> tuple[Fraction, ...]:
        """The probability that a key is opened, by its number of users; 1 for all larger ones."""
        return opening(self.epsilon, self.delta)

    @property
    def initial_state(self) -> int:
        return 0

    @property
    def signature(self) -> spaces.Signature:
        cells = CellsOfAWindow()
        return spaces.Signature(cells, TuplesOf(KEYS), cells)

    @property
    def claims(self) -> tuple[Claim, ...]:
        measure = Approximate(self.epsilon, self.delta)
        return proved(self, measure, CellsWithin(cells=1), THEOREM)

    def step(self, state: int, message: Any, coins: Coins) -> tuple[int, tuple[str, ...]]:
        known, cells = self.probabilities, cast("Cells", message)
        opened = [
            key for key, number in cells if coins.bernoulli(known[min(number, len(known) - 1)])
        ]
        return state, tuple(opened)
