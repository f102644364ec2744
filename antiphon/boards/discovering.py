"""The post-processor of a board that finds its keys in the data: it opens and counts keys."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import attrs

from antiphon.boards.bounded_sums import BoundedSums, tell_counters
from antiphon.boards.opener import KEYS, Cells, KeyOpener, OpeningPurse, TuplesOf
from antiphon.boards.units import Batch, Batches, Row, SingleRow, Unit, User
from antiphon.composition import Create, Lifting
from antiphon.mechanisms import fields
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import HALT, Ask, Exchanged, ExchangePostProcessor, Status, register, spaces


@attrs.frozen(kw_only=True)
class Discovered:
    """The private rule that finds keys: a key is opened once enough users have sent it in one
    window.

    ``delta`` is the δ of the whole board; ``share`` the part of its ε that goes to the keys.
    """

    delta: Fraction = attrs.field(converter=fields.probability)
    share: Fraction = attrs.field(default=Fraction(1, 2), converter=fields.share)

    def __attrs_post_init__(self) -> None:
        if not 0 < self.delta < 1:
            raise InvalidArgument(
                "delta lies strictly between 0 and 1: without it no key is ever opened"
            )


def discovered(*, delta: float | Fraction, share: float | Fraction = Fraction(1, 2)) -> Discovered:
    """The ``keys`` of a board that finds them in the data, by a private rule (Theorem T3).

    A key is opened in a window where enough users have sent it, and counted from then on.
    ``delta``: the δ of the whole board, such as 10⁻⁶; ``share``: the part of ε that is for keys.

    >>> discovered(delta=1e-6)
    Discovered(delta=Fraction(1, 1000000), share=Fraction(1, 2))
    """
    return Discovered(delta=delta, share=share)


@register("antiphon.DiscoveringState/1", state=True)
class DiscoveringState(NamedTuple):
    """The state of ``DiscoveringSums``: the number of windows so far, the number of rows kept of
    each user, and the opened keys."""

    windows: int
    kept: tuple[tuple[User, int], ...]
    opened: tuple[str, ...]
    """The opened keys in the order of their counters' creation: by window, then alphabetically."""


@register("antiphon.DiscoveringSums/1")
@attrs.frozen(kw_only=True)
class DiscoveringSums(ExchangePostProcessor[DiscoveringState]):
    """The post-processor P: bounds rows like ``BoundedSums``, and counts keys that are found.

    A message is the whole batch of a window. Rows are kept; of each key that is not open yet the
    opener is told how many users have kept rows of it in *this* window. It creates a counter for
    each key that is opened, and tells every counter its sum and asks it. Rows of other keys count
    nowhere, and use up what their users may send. Answer: (key, count) by key.
    State: ``DiscoveringState``.
    Privacy: w.r.t. ``unit`` what ExtConComp promises w.r.t. f' = ``OpeningPurse(…)``, by CM
    Thm 6.1. *Proof.* P asks the opener once a window, and then does what its answer says
    (destination, response). Kept rows differ by the user's own only, in at most B/A of them, as
    ``BoundedSums`` proves: so sums differ by B units in all, and at most B/A cells differ. A cell
    has the number of *different* users of a key, so that one user moves it by one at most. ∎
    Of one row there is no proof: a row that changes its user can move a cell by two.
    """

    bounds: BoundedSums
    opener: KeyOpener

    def __attrs_post_init__(self) -> None:
        if isinstance(self.bounds.unit, SingleRow):
            raise InvalidArgument(
                "keys are found for units of users only: a row that changes its user moves the "
                "number of users of a key by two. Say unit='user-window' or 'user', or list keys"
            )

    @property
    def unit(self) -> Unit:
        """The verification function f: which streams of batches are neighbours."""
        return self.bounds.unit

    @property
    def cells(self) -> int:
        """A bound on the number of cells (keys in a window) whose numbers of users differ between
        two neighbouring streams."""
        bounds = self.bounds
        return bounds.units // max(abs(bounds.low), abs(bounds.high))

    @cached_property
    def counter(self) -> Create:
        """The message that creates the counter of a key."""
        return Create(self.bounds.counter)

    @property
    def lifting(self) -> Lifting:
        """The claim that streams that differ in one unit of privacy differ in at most ``cells``
        cells (keys in a window), and their sums by at most ``bounds.units`` units."""
        inner = OpeningPurse(
            opener=Create(self.opener), counter=self.counter, units=self.bounds.units,
            cells=self.cells,
        )  # fmt: skip
        return Lifting(self.unit, inner, Status.PROVED, "antiphon.boards.DiscoveringSums")

    @property
    def initial_state(self) -> DiscoveringState:
        return DiscoveringState(0, (), ())

    def signature(self, right: spaces.Signature) -> spaces.Signature:
        batches = Batches(None)
        count = spaces.Tuples((KEYS, self.bounds.counter.signature.answers))
        return spaces.Signature(batches, TuplesOf(count), batches)

    def exchange(self, state: DiscoveringState, batch: Batch) -> Exchanged[DiscoveringState]:
        """Process one window: bound its rows, open keys, send each counter its sum, and answer."""
        self.bounds.check_window(state.windows)
        if not state.windows:
            yield Create(self.opener)
        rows, kept = self.bounds.kept(batch, state.kept)
        told = yield Ask(cells_of(rows, state.opened), 0)
        if told is HALT:
            return state, HALT
        new = [key for key in told if key not in state.opened]
        for _ in new:
            yield self.counter
        opened = (*state.opened, *new)
        sums = self.bounds.summed(rows)
        ordered = [sums.get(key, 0) for key in opened]
        counts = yield from tell_counters((), ordered, begun=True, first=1)
        if counts is None:
            return state, HALT
        answer = tuple(sorted(zip(opened, counts, strict=True)))
        return DiscoveringState(state.windows + 1, kept, opened), answer


def cells_of(rows: Sequence[Row], opened: Sequence[str]) -> Cells:
    """The cells of a window: each key that is not open yet, with its number of users."""
    known, users = set(opened), dict[str, set[User]]()
    for user, key, _ in rows:
        if key not in known:
            users.setdefault(str(key), set()).add(user)
    return tuple(sorted((key, len(each)) for key, each in users.items()))
