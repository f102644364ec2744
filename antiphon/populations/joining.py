"""Joining blocks of replicas: after a split, blocks with equal states go on as one block, although
their last answers differ.

A step that answers ⊤ or ⊥ by the truth of a column splits its block. If the parts have equal
states, and the adversary does not use the answers, their future has the same law: the parts are
joined, and the history records which replica got which answer. So a sparse vector that never halts
has one block and not 2^rounds.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

import attrs
import numpy as np
from numpy.typing import DTypeLike

from antiphon.populations.arithmetic import Lanes, Values
from antiphon.populations.columns import Column
from antiphon.protocol.adversary import History

Codes: TypeAlias = Values
_PLAIN: Final = (int, bool, str, bytes, type(None))
_DENSE: Final = 1 << 16
"""The largest number of possible transcripts that are counted in a dense array."""


@attrs.frozen(eq=False)
class OneOf:
    """One of a few possible values for each replica of ``lanes``; used in the history of answers
    only, and never sent to a party."""

    choices: tuple[object, ...]
    _codes: Codes = attrs.field(alias="codes", repr=False)
    """The index of each replica's choice; for two choices, packed as bits."""
    lanes: Lanes

    @staticmethod
    def of(choices: tuple[object, ...], codes: Codes, lanes: Lanes) -> OneOf:
        """A ``OneOf`` with these codes (indices of choices), as bits if there are two choices."""
        return OneOf(choices, np.packbits(codes) if len(choices) == 2 else codes, lanes)

    def at(self, lanes: Lanes) -> Codes:
        """The index of each replica's choice, for the replicas in ``lanes``."""
        codes = self._codes
        if len(self.choices) == 2:
            codes = np.unpackbits(codes, count=self.lanes.size)
        return codes if lanes is self.lanes else codes[lanes.places(self.lanes)]


def key(value: Any) -> Hashable:
    """A hashable key by which values are compared; columns and unknown objects are equal only if
    they are the same object."""
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is float:
        return kind, value.hex()
    if kind in _PLAIN or issubclass(kind, enum.Enum):
        return kind, value
    if issubclass(kind, tuple):
        items: tuple[object, ...] = value
        return (kind, *map(key, items))  # pyright: ignore[reportUnknownVariableType]
    if kind is not Column and attrs.has(kind) and not hasattr(kind, "step"):
        return kind, *(key(getattr(value, field.name)) for field in attrs.fields(kind))
    return kind, id(value)


def is_symbol(answer: object) -> bool:
    """Whether an answer is a plain value that many replicas can share, such as True or "halt": no
    column, float or other object."""
    kind = type(answer)
    return kind in _PLAIN or issubclass(kind, enum.Enum)


def one_of(parent: Lanes, parts: Sequence[tuple[Lanes, object]]) -> tuple[Lanes, object]:
    """Parts of a block joined again: the block of all their replicas, and their values, as one
    value if all are equal, else as a ``OneOf``."""
    size = sum(lanes.size for lanes, _ in parts)
    if len(parts) == 2 and all(lanes.parent is parent for lanes, _ in parts):
        return parent, _by_mask(parent, parts)
    lanes = parent
    if size < parent.size:
        ids = [part.places(Lanes(part.total)) for part, _ in parts]
        lanes = Lanes(size, np.concatenate(ids), parent.total)
    found = {key(value): value for _, value in parts}
    if len(found) == 1:
        return lanes, parts[0][1]
    order = {name: code for code, name in enumerate(sorted(found, key=str))}
    codes = np.empty(size, np.min_scalar_type(len(found) - 1))
    for part, value in parts:
        codes[part.places(lanes)] = order[key(value)]
    return lanes, OneOf.of(tuple(found[name] for name in order), codes, lanes)


def _by_mask(parent: Lanes, parts: Sequence[tuple[Lanes, object]]) -> object:
    """The joined value of the two parts into which a column of truth values has split a block; this
    special case of ``one_of`` is faster."""
    ordered = sorted(parts, key=lambda part: str(key(part[1])))
    values = tuple(value for _, value in ordered)
    if key(values[0]) == key(values[1]):
        return values[0]
    return OneOf.of(values, ordered[1][0].mask, parent)


def split(lanes: Lanes, answers: Sequence[object]) -> Iterator[tuple[Lanes, History]]:
    """Each transcript that occurs in a joined block: the replicas that have it, and its answers."""
    slots = [each for each in answers if type(each) is OneOf]
    if not slots:
        yield lanes, History(answers)
        return
    codes, _ = _combined(lanes, slots)
    found, which = np.unique(codes, return_inverse=True)
    order = np.argsort(which, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(which))[:-1])
    for code, places in zip(found.tolist(), parts, strict=True):
        yield lanes.only(np.sort(places)), History(_decoded(answers, code))


def _combined(lanes: Lanes, slots: Sequence[OneOf]) -> tuple[Codes, int]:
    """For each replica, a number that encodes its choices in ``slots`` (the answers that differ
    between replicas), and the number of possible codes."""
    total = math.prod(len(slot.choices) for slot in slots)
    kind: DTypeLike = np.uint16 if total <= _DENSE else np.int64 if total < 2**62 else object
    codes: Codes = np.zeros(lanes.size, kind)
    for slot in slots:
        codes = codes * len(slot.choices) + slot.at(lanes).astype(kind)
    return codes, total


def _decoded(answers: Sequence[object], code: int) -> list[object]:
    made: list[object] = []
    for answer in reversed(answers):
        if type(answer) is OneOf:
            code, place = divmod(code, len(answer.choices))
            answer = answer.choices[place]
        made.append(answer)
    return made[::-1]


@attrs.define
class Tally:
    """The counts of discrete transcripts over all blocks; where answers are choices (``OneOf``),
    each combination of choices is a transcript."""

    _answers: dict[Hashable, tuple[object, ...]] = attrs.field(
        factory=dict[Hashable, tuple[object, ...]]
    )
    _dense: dict[Hashable, Codes] = attrs.field(factory=dict[Hashable, Codes])
    """Where few combinations of choices are possible: the counts of all, as an array. The key: for
    each answer, its symbol or the choices."""
    _sparse: dict[Hashable, dict[int, int]] = attrs.field(factory=dict[Hashable, dict[int, int]])
    """Where many are possible: the count of each combination of choices that occurred; keys as in
    ``_dense``."""

    def add(self, lanes: Lanes, answers: Sequence[object]) -> bool:
        """Count the transcripts of a block; False, without counting, if an answer is neither a
        plain symbol nor a choice among symbols."""
        slots = [each for each in answers if type(each) is OneOf]
        if not slots or not all(type(each) is OneOf or is_symbol(each) for each in answers):
            return False
        codes, total = _combined(lanes, slots)
        form = tuple(key(each.choices) if type(each) is OneOf else key(each) for each in answers)
        self._answers.setdefault(form, tuple(answers))
        if total <= _DENSE:
            dense = self._dense.setdefault(form, np.zeros(total, np.int64))
            dense += np.bincount(codes, minlength=total)
            return True
        counts = self._sparse.setdefault(form, {})
        found, times = np.unique(codes, return_counts=True)
        for code, count in zip(found.tolist(), times.tolist(), strict=True):
            counts[code] = counts.get(code, 0) + count
        return True

    def transcripts(self) -> Iterator[tuple[tuple[object, ...], int]]:
        """Every transcript that occurred, with its count."""
        for form, answers in self._answers.items():
            if form in self._sparse:
                for code, count in self._sparse[form].items():
                    yield tuple(_decoded(answers, code)), count
                continue
            sides = (each.choices if type(each) is OneOf else (each,) for each in answers)
            for transcript, count in zip(product(*sides), self._dense[form].tolist(), strict=True):
                # ``product`` lists the combinations in the order of the array: the last choice
                # changes fastest.
                if count:
                    yield transcript, count
