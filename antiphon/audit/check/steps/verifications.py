"""Verification functions: explored as automata, on pairs of a few messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import product
from typing import Final

import attrs
import numpy as np

from antiphon.audit.check.content import content
from antiphon.audit.check.report import Finding
from antiphon.audit.check.steps.columns import disagreement
from antiphon.audit.check.steps.columns import finding as column_finding
from antiphon.audit.check.steps.replay import CURE
from antiphon.audit.check.steps.states import hashable, unhashable
from antiphon.audit.check.watch import watched
from antiphon.audit.check.where import where
from antiphon.numbers.errors import PartError, place
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import spaces
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe, is_column_safe
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import BOTTOM, TOP, Pair, identical
from antiphon.protocol.verification import Refused, Verification, read, swap_symmetric

_MOST: Final = 1500
"""Pairs that are tried."""
_WORDS: Final = 200
_WIDE: Final = 4096


@attrs.frozen
class Read:
    """A pair that was read in a state, after a list of pairs."""

    word: tuple[Pair, ...]
    before: object
    pair: Pair
    after: object
    error: Exception | None


def explored(
    f: Verification, messages: tuple[object, ...], first: tuple[Pair, ...] = ()
) -> Iterator[Read]:
    """Every pair of the messages in every state that they lead to, as far as ``_MOST``."""
    start = f.initial_state
    for pair in first:
        start = read(f, start, pair.zero, pair.one)
    waiting: deque[tuple[object, tuple[Pair, ...]]] = deque([(start, first)])
    seen, tried = {_key(start)}, 0
    while waiting:
        state, word = waiting.popleft()
        for zero, one in product(messages, repeat=2):
            tried += 1
            if tried > _MOST:
                return
            pair = Pair(zero, one)
            try:
                after, error = read(f, state, zero, one), None
            except Exception as raised:
                after, error = None, raised
            yield Read(word, state, pair, after, error)
            if error is None and type(after) is not Refused and _key(after) not in seen:
                seen.add(_key(after))
                waiting.append((after, (*word, pair)))


def _key(state: object) -> object:
    return fingerprint(state) if hashable(state) else content(state)


def steps(f: Verification, messages: tuple[object, ...]) -> Iterator[Finding]:
    """What a step of f returns, changes and repeats."""
    here = where(f, "step")
    for each in explored(f, messages):
        found = list(_step(f, each, here))
        yield from found
        if found:
            return  # a faulty f need not lead anywhere


def _step(f: Verification, each: Read, here: str) -> Iterator[Finding]:
    if isinstance(each.error, PartError):
        yield Finding(
            "states",
            str(each.error).partition(":")[0] + ": it would let the pair pass",
            here,
            str(each.error).partition(": ")[2],
        )
    elif each.error is not None:
        yield Finding(
            "crashes",
            f"a step raises {type(each.error).__name__} on a pair of the messages tried: the "
            "verifier takes that for a refusal",
            place(each.error),
            "answer every pair of Q × Q; if these are none of them, pass messages=[…]",
        )
    elif not hashable(each.after):
        yield unhashable(each.after, here)
    yield from _repeated(f, each, here)


def _repeated(f: Verification, each: Read, here: str) -> Iterator[Finding]:
    if each.error is not None:
        return
    held, used, after = content(each.before), set[str](), each.after
    with watched(used):
        try:
            after = read(f, each.before, each.pair.zero, each.pair.one)
        except Exception:
            after = None
    if content(each.before) != held:
        what = f"a step changes the state it is given, a {type(each.before).__name__}, in place"
        yield Finding("purity", what, here, "return a new state")
    elif used:
        what = f"a step draws from {', '.join(sorted(used))}"
        yield Finding("randomness", what, here, "f is a function of the pairs: it draws nothing")
    elif _key(after) != _key(each.after):
        yield Finding("replay", "a step is not repeatable", here, CURE)


def dead(f: Verification, messages: tuple[object, ...]) -> Iterator[Finding]:
    """f of a sequence is what its automaton says, and stays ⊥ once it is."""
    for number, each in enumerate(explored(f, messages)):
        if number == _WORDS:
            return
        if each.error is not None:
            continue
        word = (*each.word, each.pair)
        refused = type(each.after) is Refused
        longer = [(*word, pair) for pair in each.word[:2]] if refused else []
        for sequence in (word, *longer):
            if f(sequence) is not (BOTTOM if refused else TOP):
                yield Finding(
                    "dead",
                    "f of a sequence is not what its steps say, or not ⊥ for ever",
                    where(f, "__call__"),
                    "leave __call__ to Verification: it steps until a pair is refused",
                )
                return


def consistency(f: Verification, messages: tuple[object, ...]) -> Iterator[Finding]:
    """``first_pair_consistent`` (CM Def. 5.3), on which CM Thm 5.5 relies."""
    if not f.first_pair_consistent:
        return
    for each in _after_an_identical_pair(f, messages):
        differs = not identical(each.pair.zero, each.pair.one)
        if differs and each.error is None and type(each.after) is not Refused:
            yield Finding(
                "consistency",
                "says that it is first-pair consistent, and allows a differing pair after an "
                "identical first one",
                where(f, "first_pair_consistent"),
                "leave out first_pair_consistent, or refuse such pairs",
            )
            return


def swaps(f: Verification, messages: tuple[object, ...]) -> Iterator[Finding]:
    """``swap_symmetric``, for which the exact engine plays one world only."""
    if not swap_symmetric(f):
        return
    waiting = deque([(f.initial_state, f.initial_state)])
    start = _key(f.initial_state)
    seen, tried = {(start, start)}, 0
    while waiting and tried < _MOST:
        state, other = waiting.popleft()
        for zero, one in product(messages, repeat=2):
            tried += 1
            try:
                after = read(f, state, zero, one), read(f, other, one, zero)
            except Exception:
                continue  # ``steps`` says so
            refused = [type(each) is Refused for each in after]
            if refused[0] is not refused[1]:
                yield Finding(
                    "swaps",
                    "says that it is swap symmetric, and refuses a sequence which it allows with "
                    "the sides of every pair exchanged",
                    where(f, "swap_symmetric"),
                    "leave out swap_symmetric, of f or of its relation, or let both pass",
                )
                return
            if not refused[0] and (key := (_key(after[0]), _key(after[1]))) not in seen:
                seen.add(key)
                waiting.append(after)


def _after_an_identical_pair(f: Verification, messages: tuple[object, ...]) -> Iterator[Read]:
    for each in explored(f, messages):
        if each.word:
            return
        allowed = each.error is None and type(each.after) is not Refused
        if allowed and identical(each.pair.zero, each.pair.one):
            yield from explored(f, messages, (each.pair,))


def columns(f: Verification, messages: tuple[object, ...]) -> Iterator[Finding]:
    """``@column_safe``: that f reads columns as it reads numbers."""
    numbers = [each for each in messages if type(each) in (int, float)]
    if not is_column_safe(f) or not numbers:
        return
    for kind in (int, float):
        own = [each for each in numbers if type(each) is kind]
        if not own:
            continue
        asker, script = _Asks(f, kind, len(own), min(own)), (0,) * 4
        what = disagreement(asker, None, script, np.random.SeedSequence(len(own)))
        if what:
            yield column_finding(what, where(f, "step"))
            return


@column_safe
@attrs.frozen
class _Asks(ContinualMechanism):
    """Draws pairs of numbers, wide enough to be columns, and answers whether f allows them."""

    f: Verification
    kind: type[float]
    """int or float."""
    values: int
    least: float

    @property
    def signature(self) -> spaces.Signature:
        return spaces.Signature(spaces.BITS, spaces.BITS)

    @property
    def initial_state(self) -> object:
        return self.f.initial_state

    def step(self, state: object, message: object, coins: Coins) -> tuple[object, int]:
        sides = [self._side(coins.uniform_integer(_WIDE) % self.values) for _ in range(2)]
        after = read(self.f, state, *sides)
        return (state, 0) if type(after) is Refused else (after, 1)

    def _side(self, place: int) -> float:
        return self.least + (place * 0.5 if self.kind is float else place)


CHECKS: Final = (
    ("steps", steps), ("dead", dead), ("consistency", consistency), ("swaps", swaps),
    ("columns", columns),
)  # fmt: skip
MESSAGES: Final = (0, 1, 2)
"""Tried where none are given."""
