"""Exact checks of odometers of running compositions, against adversaries that stop at any time."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import attrs

from antiphon.composition import Create, ExtConComp, adaptive_parameters, sparse_parallel
from antiphon.composition.suitable import Suitable
from antiphon.numbers.exact import Log, at_most, bracket, epsilon
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import HALT, Approximate, Ask, Chain, Pair, message_label, outcomes, same
from antiphon.selfcheck.theorems.components import ANNOUNCE, corners
from antiphon.selfcheck.theorems.finite import WALK, FiniteResponse, claiming, promised
from antiphon.selfcheck.theorems.theorem import Check, Evidence
from antiphon.sessions.spending.in_epsilon import loss_until_now
from antiphon.sessions.spending.locating import Found, counted, find
from antiphon.verifiers import Identifier, Verifier, bounded, event_level, neighbouring_start

Reading: TypeAlias = Callable[[Found], "Fraction | Log | None"]
"""A function from a state to the odometer's bound on the privacy loss there; None: no bound."""
Gain: TypeAlias = Callable[[Fraction, Fraction, "Fraction | Log | None"], Fraction]
"""A function from a view's two probabilities and the odometer's bound to the adversary's gain if it
stops there."""
Law: TypeAlias = dict[Hashable, tuple[Any, Fraction]]
"""The states to which a view may lead, by fingerprint, each with the probability of view and state
together."""

_DIGITS: Final = 40


class BestStop(NamedTuple):
    """The largest expected gain from a position on, and the messages that lead to it."""

    gain: Fraction
    path: tuple[str, ...]


@attrs.define
class Stopped:
    """The best adversary against an odometer, by recursion: after each answer it stops or sends a
    message.

    ``games`` are V[f] ∘* I(b) ∘* ExtConComp for both b, the true world first.
    """

    _games: tuple[Chain, Chain]
    _catalogue: Sequence[Create]
    _queries: Sequence[object]
    _creations: int
    _reading: Reading
    _gain: Gain
    _known: dict[Hashable, BestStop] = attrs.field(init=False, factory=dict[Hashable, BestStop])

    def best(self, rounds: int) -> BestStop:
        """The adversary's best gain from the start, with at most ``rounds`` messages."""
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
        """The weighted states in both worlds, by answer; {} if V[f] refuses the message."""
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
    """The odometer's bound at ``delta``, as a function of the state; ``counting`` chooses the
    creations that count."""

    def read(found: Found) -> Fraction | None:
        loss = loss_until_now(found, counting(found), delta)
        return None if loss is None or loss == float("inf") else Fraction(loss)

    return read


def ever_above(zero: Fraction, one: Fraction, reading: Fraction | Log | None) -> Fraction:
    """The gain P = ``zero`` if the view's loss ln(P/Q), with Q = ``one``, exceeds the bound
    ``reading``; else 0."""
    if reading is None or zero <= one:
        return Fraction(0)
    above = not one or not at_most(epsilon(Log(zero / one)), reading)
    return zero if above else Fraction(0)


def beyond(zero: Fraction, one: Fraction, reading: Fraction | Log | None) -> Fraction:
    """The gain max(0, P - e^reading·Q) of a view of probabilities P = ``zero`` and Q = ``one``,
    rounded up."""
    if reading is None:
        return Fraction(0)
    return max(Fraction(0), zero - one * _exp_below(reading))


def _exp_below(value: Fraction | Log) -> Fraction:
    """A lower bound on e^value, by the first terms of its power series; ``value`` is >= 0."""
    if isinstance(value, Log):
        return value.argument
    low, term, total = bracket(value, _DIGITS)[0], Fraction(1), Fraction(1)
    for k in range(1, _DIGITS):
        term *= low / k
        total += term
    return total


SECTION = (5, 9)
"""The position of this module's rows in ``antiphon verify``: after those on filters."""
NAME = "Odometers"
TENTH = Fraction(1, 10)


def checks() -> Iterable[Check]:
    """The checks of odometers, with broken twins."""
    yield Check(NAME, "f_∞ of ε's, what differed counts: loss of 2 of 2 walks", walks)
    row = Check(NAME, "f_∞ of (ε, δ)'s, all that was created counts: 1 of 3 corners", _corners)
    two = Check(NAME, "two of (0, 1/10), by Σ(P - e^reading·Q)⁺", _of_two)
    yield from (row, two)
    yield row.twin("f_∞ of (ε, δ)'s, what differed counts: 1 of 3 corners", counting=_differed)
    yield two.twin("two of (0, 1/10), by P(loss > reading)", gain=ever_above)


def decided(
    f: Suitable, created: Create, queries: Iterable[object], creations: int, rounds: int,
    reading: Reading, gain: Gain, delta: Fraction,
) -> Evidence:  # fmt: skip
    """Evidence that an adversary that stops at any time has gain δ at most, in either world."""
    zero, one = (Verifier(f) @ Identifier(bit) @ ExtConComp() for bit in (0, 1))
    asked = tuple(queries)
    best = max(
        (
            Stopped(games, [created], asked, creations, reading, gain).best(rounds)
            for games in ((zero, one), (one, zero))
        ),
        key=lambda each: each.gain,
    )
    return Evidence(((epsilon(0), delta),), (best.gain,), "; ".join(best.path))


_AT_ZERO = reading_at(Fraction(0))


def walks(reading: Reading = _AT_ZERO) -> Evidence:
    """Evidence on two copies of a mechanism whose state changes before a pair differs: their loss
    is at most the sum of the ε of those that see a difference."""
    one = Create(promised(WALK, bounded(event_level(), 2), 2))
    f = sparse_parallel([one.parameters] * 2)
    return decided(f, one, (0, 1), 2, 5, reading, ever_above, Fraction(0))


def _differed(found: Found) -> list[Create]:
    """The creations of the mechanisms that have seen a difference."""
    assert found.guard is not None
    state = found.guard.state
    return [] if state is None else [each.created for each in state.children if each.differed]


def _corners(*, counting: Callable[[Found], Sequence[Create]] = counted) -> Evidence:
    """Evidence on the worst case of Theorem S; in the twin, the odometer counts only the creations
    that see a difference.

    The twin's gain is 37/64 (CM §5.2), above δ = 1/2, of which half is for the δ_i that count.
    """
    one, delta = corners(2, Fraction(1, 4), symmetric=True), Fraction(1, 2)
    f, reading = sparse_parallel([one.parameters]), reading_at(delta, counting)
    return decided(f, one, (0, 1, ANNOUNCE), 3, 7, reading, beyond, delta)


def _shifted() -> Create:
    """The creation of a (0, 1/10)-DP mechanism whose loss is ln(11/9) with probability 11/20."""
    mechanism = FiniteResponse(((11, 9), (9, 11)), name="shifted")
    return Create(claiming(mechanism, Approximate(0, TENTH), neighbouring_start()))


def _of_two(*, gain: Gain = beyond) -> Evidence:
    """Evidence on two (0, 1/10)-DP mechanisms. The twin counts as gain the whole probability of
    views whose loss exceeds the odometer's bound, which (ε, δ)-DP does not limit."""
    delta = 4 * TENTH
    return decided(adaptive_parameters(), _shifted(), (0, 1), 2, 4, reading_at(delta), gain, delta)
