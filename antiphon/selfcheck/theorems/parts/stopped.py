"""Whoever may stop at any time: what an odometer must bound, over all adversaries, exactly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from antiphon.composition.creation import Create
from antiphon.composition.spending.charged import counted
from antiphon.composition.spending.finding import Found, find
from antiphon.composition.spending.odometers import loss_until_now
from antiphon.numbers.exact import Log, at_most, bracket, epsilon
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.chain import Chain
from antiphon.protocol.coins.enumeration import outcomes
from antiphon.protocol.messages import HALT, Ask, Pair, same
from antiphon.protocol.records.labels import message_label

Reading: TypeAlias = Callable[[Found], "Fraction | Log | None"]
"""What an odometer says of a state; None: it has no bound."""
Gain: TypeAlias = Callable[[Fraction, Fraction, "Fraction | Log | None"], Fraction]
"""Of stopping where a view has these probabilities, and the odometer says that."""
Law: TypeAlias = dict[Hashable, tuple[Any, Fraction]]
"""States that are possible after what was said, with their probabilities."""

_DIGITS: Final = 40


class BestStop(NamedTuple):
    """The most that can be gained from a node on, and how."""

    gain: Fraction
    path: tuple[str, ...]


class Stopped:
    """The recursion over what was said: the best of stopping now and of every message.

    ``games`` are V[f] ∘* I(b) ∘* ExtConComp, the world that is true first.
    """

    def __init__(
        self,
        games: tuple[Chain, Chain],
        catalogue: Sequence[Create],
        queries: Sequence[object],
        creations: int,
        reading: Reading,
        gain: Gain,
    ) -> None:
        self._games, self._creations = games, creations
        self._catalogue, self._queries = catalogue, queries
        self._reading, self._gain = reading, gain
        self._known: dict[Hashable, BestStop] = {}

    def best(self, rounds: int) -> BestStop:
        """From the start, with so many messages."""
        start = self._games[0].initial_state, self._games[1].initial_state
        zero, one = ({fingerprint(each): (each, Fraction(1))} for each in start)
        return self._from((zero, one), rounds)

    def _from(self, laws: tuple[Law, Law], left: int) -> BestStop:
        said = (frozenset((state, p) for state, (_, p) in law.items()) for law in laws)
        key = (left, *said)
        if key not in self._known:
            self._known[key] = self._found(laws, left)
        return self._known[key]

    def _found(self, laws: tuple[Law, Law], left: int) -> BestStop:
        state = next(state for law in laws for state, _ in law.values())
        found = find(self._games[0], state)
        zero, one = map(_mass, laws)
        best = BestStop(self._gain(zero, one, self._reading(found)), ())
        for message in self._messages(found) if left else ():
            told = [self._from(pair, left - 1) for pair in self._after(laws, message).values()]
            gain = sum((each.gain for each in told), Fraction(0))
            if gain > best.gain:
                likely = max(told, key=lambda each: each.gain)
                best = BestStop(gain, (message_label(message), *likely.path))
        return best

    def _messages(self, found: Found) -> Iterable[object]:
        if len(found.children) < self._creations:
            yield from map(same, self._catalogue)
        for index in range(len(found.children)):
            for zero in self._queries:
                for one in self._queries:
                    yield Pair(Ask(zero, index), Ask(one, index))

    def _after(self, laws: tuple[Law, Law], message: object) -> dict[Hashable, tuple[Law, Law]]:
        """By answer; nothing for what V[f] refuses."""
        found: dict[Hashable, tuple[Law, Law]] = {}
        for world, law in enumerate(laws):
            for state, p in law.values():
                step = partial(self._games[world].step, state, message)
                for q, (after, answer) in outcomes(step):
                    if answer is HALT:
                        return {}
                    into = found.setdefault(fingerprint(answer), ({}, {}))[world]
                    key = fingerprint(after)
                    before = into[key][1] if key in into else Fraction(0)
                    into[key] = after, before + p * q
        return found


def _mass(law: Law) -> Fraction:
    return sum((p for _, p in law.values()), Fraction(0))


def reading_at(delta: Fraction, counting: Callable[[Found], Sequence[Create]] = counted) -> Reading:
    """What ``session.budget.at(delta).loss`` is, where ``counting`` says which creations count."""

    def read(found: Found) -> Fraction | None:
        loss = loss_until_now(found, counting(found), delta)
        return None if loss is None or loss == float("inf") else Fraction(loss)

    return read


def ever_above(zero: Fraction, one: Fraction, reading: Fraction | Log | None) -> Fraction:
    """P(v), if the privacy loss ln P(v)/Q(v) is above the reading."""
    if reading is None or zero <= one:
        return Fraction(0)
    above = not one or not at_most(epsilon(Log(zero / one)), reading)
    return zero if above else Fraction(0)


def beyond(zero: Fraction, one: Fraction, reading: Fraction | Log | None) -> Fraction:
    """max(0, P(v) - e^reading·Q(v)), rounded up."""
    if reading is None:
        return Fraction(0)
    return max(Fraction(0), zero - one * _exp_below(reading))


def _exp_below(value: Fraction | Log) -> Fraction:
    """At most e^value: Σ x^k/k! of its first terms, for a value >= 0."""
    if isinstance(value, Log):
        return value.argument
    low, term, total = bracket(value, _DIGITS)[0], Fraction(1), Fraction(1)
    for k in range(1, _DIGITS):
        term *= low / k
        total += term
    return total
