"""The post-processor P of a board: bounds, clips and sums each window's rows, for the counters."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, get_args

import attrs

from antiphon.boards import units
from antiphon.boards.purse import SharedPurse
from antiphon.boards.units import Batch, Batches, Key, Row, SingleRow, SingleUser, Unit, User
from antiphon.composition import Create, Lifting
from antiphon.mechanisms import COUNT, fields
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import HALT, Ask, ContinualMechanism, Status, register, spaces
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor, in_turn
from antiphon.protocol.provenance import CREATED


@register("antiphon.SumsState/1", state=True)
class SumsState(NamedTuple):
    """The state of a board's post-processor: the number of windows so far, and the number of rows
    kept of each user if that is limited."""

    windows: int
    kept: tuple[tuple[User, int], ...]


@register("antiphon.BoundedSums/1")
@attrs.frozen(kw_only=True)
class BoundedSums(ExchangePostProcessor[SumsState]):
    """The post-processor P: sums rows by key and window, and feeds a counter for each key.

    A message is the whole batch of a window, possibly empty. The first ``per_user`` rows of a user
    are kept, in each window or, with ``in_total``, overall; their amounts are clipped to [``low``,
    ``high``] and summed by key. Every counter gets its sum (0 without rows), and is asked for its
    count. Answer: the counts so far, in the order of ``keys``. State: ``SumsState``; memory for
    each user only with ``in_total``. Privacy: w.r.t. ``unit`` that of ExtConComp w.r.t. f' =
    ``SharedPurse(…, units=B)``, by CM Thm 6.1, B as in ``units``. *Proof.* The creations come with
    the first batch, in both runs. After each batch P sends to each counter twice, in a fixed order
    for any rows, until an answer is HALT; the second message is the same (destination). It answers
    the tuple of the counters' answers, or HALT, and is over, if one was HALT (response). Which rows
    of a user are kept depends on that user's rows only, so sums differ by rows of the differing
    user, and a row moves one sum by at most A = max(|low|, |high|). *Added or removed*: one side
    has kept rows of the user, at most c, and the other none: cA; for one window, with c counted in
    total, the other side may keep up to c later rows instead: 2cA. *Replaced*: at most c rows on
    each side: 2cA. For a whole stream, c counted in each window means c times the number of
    windows. *One row* added or removed: if it was kept, at most one later row is kept in its place:
    2A; replaced by one of the same user: both are in one place, so both are kept or neither is: 2A;
    by one of another user: both users' rows are as if one was removed, or added: 4A. Where every
    row is kept (``per_user`` None): A, and 2A. ∎ Source: docs/boards.md, with broken twins that
    keep one row more, or forget counted users. Raises: InvalidArgument for a message that is no
    batch, and past the last window; the state is unchanged.

    >>> from antiphon.composition import ComplexMechanism
    >>> from antiphon.mechanisms import BalancedTreeCounter
    >>> counter = BalancedTreeCounter(horizon=2, epsilon=1000, largest=100, sensitivity=1)
    >>> board = BoundedSums(keys=("FR", "DE"), windows=2, counter=counter, per_user=1)
    >>> session = ComplexMechanism(board).start(seed=1)
    >>> session.send((("ada", "FR", 1), ("ada", "DE", 1), ("bob", "FR", 1))), session.send(())
    ((2, 0), (2, 0))
    """

    keys: tuple[Key, ...] = attrs.field(converter=units.public_keys)
    windows: int = attrs.field(converter=fields.size, metadata=fields.STREAM)
    counter: ContinualMechanism = attrs.field(metadata=CREATED)
    per_user: int | None = attrs.field(
        converter=attrs.converters.optional(fields.size), metadata=fields.COUNTS
    )
    in_total: bool = attrs.field(default=False, validator=fields.boolean)
    low: int = attrs.field(default=0, validator=attrs.validators.instance_of(int))
    high: int = attrs.field(default=1, validator=attrs.validators.instance_of(int))
    unit: Unit = attrs.field(
        factory=units.SingleUserWindow, validator=attrs.validators.instance_of(get_args(Unit))
    )

    def __attrs_post_init__(self) -> None:
        if self.low > self.high or self.low == self.high == 0:
            raise InvalidArgument("low must be at most high, and one of them not 0")
        if self.per_user is None and type(self.unit) is not SingleRow:
            raise InvalidArgument(
                "per_user bounds what one user adds; without it one row can be protected, by "
                "unit='row', but no user"
            )

    @property
    def initial_state(self) -> SumsState:
        return SumsState(0, ())

    @property
    def units(self) -> int:
        """The number B: the sums of two neighbouring streams of rows differ by at most B in
        total."""
        largest, rows, unit = max(abs(self.low), abs(self.high)), self.per_user, self.unit
        if rows is None:
            return (2 if unit.replaced else 1) * largest
        if isinstance(unit, SingleRow):
            return (4 if unit.replaced and not unit.same_user else 2) * largest
        if isinstance(unit, SingleUser):
            ever = rows if self.in_total else rows * self.windows
            return (2 if unit.replaced else 1) * ever * largest
        return (2 if unit.replaced or self.in_total else 1) * rows * largest

    @cached_property
    def created(self) -> tuple[Create, ...]:
        """The messages that create the counters, one for each key."""
        return (Create(self.counter),) * len(self.keys)

    @property
    def lifting(self) -> Lifting:
        """The claim that streams differing in one unit of privacy become counter updates that
        differ by at most ``units`` in all."""
        inner = SharedPurse(self.created, units=self.units)
        return Lifting(self.unit, inner, Status.PROVED, "antiphon.boards.BoundedSums")

    def signature(self, right: spaces.Signature) -> spaces.Signature:
        batches = Batches(self.keys)
        counts = spaces.Tuples((self.counter.signature.answers,) * len(self.keys))
        return spaces.Signature(batches, counts, batches)

    def exchange(self, state: SumsState, batch: Batch) -> Exchanged[SumsState]:
        """Process one window: bound and sum its rows, send each counter its sum, and answer."""
        self.check_window(state.windows)
        sums, kept = self.bounded(batch, state.kept)
        ordered = [sums.get(key, 0) for key in self.keys]
        counts = yield from tell_counters(self.created, ordered, begun=state.windows > 0)
        return (state, HALT) if counts is None else (SumsState(state.windows + 1, kept), counts)

    def check_window(self, windows: int) -> None:
        """Check that another window may come. Raises: InvalidArgument past the last one."""
        if windows >= self.windows:
            raise InvalidArgument(
                f"all {self.windows} windows have come: begin another board, whose ε is its own"
            )

    def bounded(
        self, batch: Batch, kept: tuple[tuple[User, int], ...]
    ) -> tuple[dict[Key, int], tuple[tuple[User, int], ...]]:
        """A pair: the sums of the kept rows by key, and the number of kept rows by user."""
        rows, kept = self.kept(batch, kept)
        return self.summed(rows), kept

    def summed(self, rows: Iterable[Row]) -> dict[Key, int]:
        """The sums of some rows by key, each amount clipped to [``low``, ``high``]."""
        low, high, sums = self.low, self.high, dict[Key, int]()
        for _, key, amount in rows:
            sums[key] = sums.get(key, 0) + min(max(amount, low), high)
        return sums

    def kept(
        self, batch: Batch, kept: tuple[tuple[User, int], ...]
    ) -> tuple[Sequence[Row], tuple[tuple[User, int], ...]]:
        """The rows of a batch that are kept, at most ``per_user`` of each user, and the new numbers
        of rows kept of each user so far; ``kept``: these numbers before the batch."""
        most, counted, rows = self.per_user, dict(kept), list[Row]()
        if most is None:
            return batch, ()
        for row in batch:
            before = counted.get(row[0], 0)
            if before == most:
                continue
            counted[row[0]] = before + 1
            rows.append(row)
        return rows, tuple(counted.items()) if self.in_total else ()


def tell_counters(
    created: Sequence[Create], sums: Iterable[int], *, begun: bool, first: int = 0
) -> Generator[object, Any, tuple[object, ...] | None]:
    """A generator of messages: it sends each counter its sum, then asks it for its count; it
    returns all counts, or None once a counter has halted.

    The counters are created first, unless the stream has ``begun``. ``first``: the index of the
    first one.
    """
    if not begun:
        yield from in_turn(created)
    heard: list[object] = []
    for place, each in enumerate(sums, first):
        told = yield Ask(each, place)
        count = HALT if told is HALT else (yield Ask(COUNT, place))
        if count is HALT:
            return None  # If one counter has halted, the whole board is over.
        heard.append(count)
    return tuple(heard)
