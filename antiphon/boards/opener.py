"""The private rule by which a board finds keys in its data: Theorem T3 of docs/boards.md.

A *cell* is a key in a window; its number is how many users have kept rows of it there. Each cell is
a NIM of its own, which opens the key with probability π(n), n its number: π(0) = 0 and
π(n + 1) = min(E·π(n) + δ, 1 - (1 - π(n) - δ)/E, 1), E = e^ε: the largest that is (ε, δ)-DP for
numbers that differ by one. Cells of number 0 are never opened, so they need not be sent.

**Theorem T3.** The opener is created first. Then counters, all alike, are created in any number;
all pairs of updates of counters differ by at most B units, and of the opener's cells at most m
differ, each by one user. If one unit costs a counter at most ε₁, and the opener is (ε, δ)-DP for
one cell, the composition is as private as Comp[RR_{ε,δ} × m, RR_{Bε₁}]. *Proof.* Each cell is a
NIM that gets its number as its only query, so that it is first-pair consistent; all texts in all
windows are the universe, and those of number 0 in both worlds are never sent, as they answer "no"
surely. So the opener is CM Thm 5.5's composition of NIMs of which m differ: interactive
post-processing of RR_{ε,δ} × m. The counters are Theorem T1's: the view fixes their creations, too,
which are the same in both worlds and toss no coins, so its proof holds as it stands, and they are
interactive post-processing of RR_{Bε₁} (CM Thm 4.10). Both together are that of all RR. ∎
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, TypeAlias, cast

import attrs

from antiphon.boards.purse import OfUnits, moved, price_of_unit
from antiphon.boards.units import LONGEST_KEY
from antiphon.composition import Create, Derivation, ExtConComp, Mark, NoGuarantee, Premise
from antiphon.composition.accounting.bounds import times
from antiphon.composition.guarantees import composing
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.composition.guarantees.rules.fixed_compositions import leaf_claims
from antiphon.composition.suitable import Purse
from antiphon.mechanisms import fields
from antiphon.numbers import ExactEpsilon, InvalidArgument, Log, shown_short
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import Claim, Coins, ContinualMechanism, Refused, Space, Verification, spaces
from antiphon.protocol.measures.kinds import Approximate, Measure
from antiphon.protocol.messages import identical
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register

Cells: TypeAlias = "tuple[tuple[str, int], ...]"
"""The cells of a window: each key that somebody sent, with its number of users, sorted by key."""
THEOREM: Final = "Theorem T3 (docs/boards.md)"
_GRID: Final = 1 << 64
_MOST: Final = 10_000
"""The number of users that must surely open a key; an ε and δ too small for that are refused."""
_UNTIL: Final = 30
"""The largest ε for which e^ε is computed; a larger ε is treated as this one."""


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
_CELLS: Final = TuplesOf(spaces.Tuples((KEYS, spaces.Integers(1))))


@register("antiphon.CellsOfAWindow/1")
@attrs.frozen
class CellsOfAWindow(Space):
    """The space of a window's cells: tuples of (key, number of users), each key once, sorted."""

    discrete = True

    def contains(self, value: Any) -> bool:
        if not _CELLS.contains(value):
            return False
        return all(left[0] < right[0] for left, right in pairwise(value))


@register("antiphon.CellsWithin/1")
@attrs.frozen(kw_only=True)
class CellsWithin(Verification[int, Cells]):
    """A verification function: at most ``cells`` cells (keys in a window) differ, each by one user.

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
    """The probabilities π(n) that a key with n users is opened, up to the first that is 1. Raises:
    InvalidArgument.

    >>> [str(p) for p in opening(Log(2), Fraction(1, 10))]
    ['0', '1/10', '3/10', '7/10', '9/10', '1']
    """
    if isinstance(epsilon, Log):
        grown = epsilon.argument
    else:  # Rounding e^ε down makes the rule more private.
        grown = Fraction(math.exp(min(float(epsilon), _UNTIL)) * (1 - 2.0**-40))
    grown, known = max(grown, Fraction(1)), [Fraction(0)]
    while known[-1] < 1:
        p = known[-1]
        most = min(grown * p + delta, 1 - (1 - p - delta) / grown, Fraction(1))
        # Long fractions are rounded down, but not below p, the last probability: π never falls.
        if most.denominator > _GRID:
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
    """A mechanism that answers which keys were sent by enough users, by Theorem T3.

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
        self.probabilities  # This raises an error if no key would be opened.  # noqa: B018

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


@register("antiphon.OpeningPurse/1")
@attrs.frozen(kw_only=True)
class OpeningPurse(OfUnits):
    """The verification function f' of a board that finds keys: a ``KeyOpener`` is created first,
    then any number of counters.

    Creations are identical pairs. At most ``cells`` cells of the opener differ, each by one; all
    updates of all counters differ by at most ``units``. State: the created mechanisms; the units
    and the cells that are left.
    """

    opener: Create
    counter: Create
    units: int = attrs.field(converter=fields.size, metadata=fields.VALUES)
    cells: int = attrs.field(converter=fields.size, metadata=fields.VALUES)
    prescribed: int = attrs.field(default=1, init=False, eq=False, repr=False)

    @property
    def purse(self) -> Vector[int]:
        return Vector((self.units, self.cells))

    def reads(self, measure: Measure) -> bool:
        return True

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        wanted = self.counter if count else self.opener
        return purse if identical(created, wanted) else Refused("no such creation is next")

    def _pay(self, purse: Purse, index: object, x: Any, y: Any) -> Vector[int] | Refused:
        units, cells = purse
        if index == 0:
            left = CellsWithin(cells=self.cells).step(cells, x, y)
            return left if type(left) is Refused else Vector((units, left))
        left = moved(units, x, y)
        return left if type(left) is Refused else Vector((left, cells))


@rule(THEOREM, ExtConComp, about=OpeningPurse)
def opened(system: ExtConComp, f: OpeningPurse, inquiry: Inquiry) -> Steps:
    """The guarantee of ExtConComp w.r.t. f' by Theorem T3: the opener is (ε, δ)-DP for one cell, of
    which m may differ, counters are ε₁-DP for one unit, of which B may differ, and the guarantee is
    that of Comp[RR_{ε,δ} × m, RR_{Bε₁}].

    Raises: NoGuarantee if the first creation is no ``KeyOpener``, or a counter lacks T1's premises.
    """
    opener = f.opener.mechanism
    if type(opener) is not KeyOpener or f.opener.claim is None:
        raise NoGuarantee(
            THEOREM, "a KeyOpener, whose cells are independent", "the first creation is none",
            "create KeyOpener(epsilon=…, delta=…) first",
        )  # fmt: skip
    price = price_of_unit(f.counter, THEOREM)
    known = yield from leaf_claims((f.opener, f.counter))
    total = times(price.epsilon, f.units)
    parameters = [(opener.epsilon, opener.delta)] * f.cells
    premises = (
        Premise("all counters are alike, and creations the same in both worlds", Mark.ENFORCED,
                "by V[f']"),
        Premise(f"at most {f.cells:,} cells differ, each by one user", Mark.ENFORCED, "by V[f']"),
        Premise(f"all updates together differ by at most {f.units:,} units", Mark.ENFORCED,
                "by V[f']"),
        Premise("a counter is pure w.r.t. one unit in one update", Mark.CHECKED,
                lambda: f"ε₁ = {shown_short(price.epsilon)}"),
        Premise("its updates are an interval of ints, and its answers are discrete", Mark.CHECKED),
    )  # fmt: skip
    return Derivation(
        THEOREM,
        lambda: (
            f"numbers of users, of which at most {f.cells:,} differ, at "
            f"ε = {shown_short(opener.epsilon)} and δ = {shown_short(opener.delta)} each, and "
            f"units of change, at most {f.units:,}, at ε₁ = {shown_short(price.epsilon)} each"
        ),
        f,
        composing.composed([*parameters, (total, Fraction(0))]),
        premises,
        tuple(dict.fromkeys(known)),
    )
