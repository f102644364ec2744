"""The post-processor of a board whose rows DuckDB has summed: it feeds the sums to counters."""

from __future__ import annotations

from typing import Final, TypeAlias

import attrs

from antiphon.boards.bounded_sums import BoundedSums, tell_counters
from antiphon.boards.units import MESSAGES, Unit
from antiphon.composition import Create, Derivation, Lifting, Mark, Premise
from antiphon.mechanisms import fields
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import HALT, Refused, Status, Verification, register, spaces
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor

Sums: TypeAlias = "tuple[int, ...]"
_THEOREM: Final = "Bounded before it is sent (docs/boards.md)"


@register("antiphon.SumsWithin/1")
@attrs.frozen(kw_only=True)
class SumsWithin(Verification[int, Sums]):
    """A verification function of sums by window and key: they differ by at most ``units`` in all.

    Σ|x - y| over all pairs of sums (x, y). State: the units that are left.
    """

    swap_symmetric = True
    units: int = attrs.field(converter=fields.size, metadata=fields.VALUES)
    rows: Unit
    """The unit of privacy of the rows from which the sums are made."""

    messages = MESSAGES

    @property
    def protects(self) -> str:
        """The unit of privacy in words, as statements print it."""
        return self.rows.protects

    @property
    def initial_state(self) -> int:
        return self.units

    def step(self, state: int, zero: Sums, one: Sums, /) -> int | Refused:
        if len(zero) != len(one):
            return Refused("two windows have other numbers of keys")
        left = state - sum(abs(x - y) for x, y in zip(zero, one, strict=True))
        return left if left >= 0 else Refused(f"sums differ by more than {self.units} units")


@register("antiphon.GroupedSums/1")
@attrs.frozen(kw_only=True)
class GroupedSums(ExchangePostProcessor[int]):
    """The post-processor P for sums that are bounded already: it feeds one counter for each key.

    A message is a window's sums, in the order of the keys of ``bounds``, 0 where no row is; the
    answer is the counts so far. State: the number of windows so far.
    Privacy: w.r.t. ``SumsWithin`` of B units what ExtConComp promises w.r.t. ``SharedPurse`` of B
    units, by CM Thm 6.1. *Proof.* P sends and answers as ``BoundedSums`` does; of a pair of
    tuples it makes one pair of updates for each key, which differ as the sums do. ∎
    Raises: InvalidArgument past the last window; the state is unchanged.
    """

    bounds: BoundedSums
    """The rule by which rows were bounded, clipped and summed, with its bound B and its counter."""

    @property
    def initial_state(self) -> int:
        return 0

    @property
    def created(self) -> tuple[Create, ...]:
        """The messages that create the counters, one for each key."""
        return self.bounds.created

    @property
    def unit(self) -> SumsWithin:
        """The verification function of the sums: which streams of sums are neighbours."""
        return SumsWithin(units=self.bounds.units, rows=self.bounds.unit)

    @property
    def lifting(self) -> Lifting:
        """The claim that sums at most B units apart become updates at most B units apart."""
        source = "antiphon.boards.GroupedSums"
        return Lifting(self.unit, self.bounds.lifting.inner, Status.PROVED, source)

    def signature(self, right: spaces.Signature) -> spaces.Signature:
        sums = spaces.Tuples((spaces.Integers(),) * len(self.bounds.keys))
        return spaces.Signature(sums, self.bounds.signature(right).answers, sums)

    def exchange(self, state: int, sums: Sums) -> Exchanged[int]:
        """Process one window: send each counter its sum, and return all counts."""
        self.bounds.check_window(state)
        counts = yield from tell_counters(self.created, sums, begun=state > 0)
        return (state, HALT) if counts is None else (state + 1, counts)


def bounded_before(known: Derivation, engine: str, bounds: BoundedSums) -> Derivation:
    """The guarantee's derivation for neighbouring rows, from the one for neighbouring sums; its
    premise that the engine sums correctly is assumed."""
    premise = Premise(
        f"{engine} keeps, clips and sums the rows of each window as BoundedSums does",
        Mark.ASSUMED,
        "the same on all random files of its tests; nobody has proved it of its code",
    )
    text = f"neighbouring rows have sums within {bounds.units:,} units"
    return known.carried(_THEOREM, text, (premise,))


def check_engine(engine: object, *, in_total: bool, row: object) -> str:
    """The name of the engine, if it is known and can run the board. Raises: InvalidArgument."""
    if engine not in ("rows", "duckdb"):
        raise InvalidArgument("engine is 'rows' or 'duckdb'")
    if engine == "duckdb" and (in_total or row is not None):
        raise InvalidArgument(
            "engine='duckdb' keeps no rows and no users from one feed to the next: it takes "
            "per='window' and row=None; leave the engine out for others"
        )
    return str(engine)
