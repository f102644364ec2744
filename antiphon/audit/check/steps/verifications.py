"""Checks of a verification function f, by reading many sequences of pairs of a few messages."""

from collections import deque
from collections.abc import Iterator
from itertools import chain, islice, product, takewhile
from typing import Final

import attrs
import numpy as np

from antiphon.audit.check.report import Finding, NotApplicable, Trial, Tried
from antiphon.audit.check.steps import columns
from antiphon.audit.check.steps.contracts import CURE, hashable, unhashable
from antiphon.audit.check.subject import content, record_randomness, source_place
from antiphon.composition.guarantees.inclusion import declared, outside
from antiphon.numbers.errors import PartError, of_kind, place, told
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import Coins, ContinualMechanism, column_safe, message_label, spaces
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.messages import BOTTOM, TOP, Pair, identical
from antiphon.protocol.verification import Refused, Verification, read, swap_symmetric

_MOST: Final = 1500
"""The largest number of pairs that are tried."""
_WORDS: Final = 200
_WIDE: Final = 4096


@attrs.frozen
class Read:
    """One step of f: a pair that f read, the pairs before it, and f's states before and after."""

    word: tuple[Pair, ...]
    before: object
    pair: Pair
    after: object
    error: Exception | None

    @property
    def allowed(self) -> bool:
        """Whether f allowed the pair."""
        return self.error is None and type(self.after) is not Refused

    @property
    def differs(self) -> bool:
        """Whether f allowed the pair, and its two messages differ."""
        return self.allowed and not identical(self.pair.zero, self.pair.one)


def explored(
    f: Verification, messages: tuple[object, ...], first: tuple[Pair, ...] = ()
) -> Iterator[Read]:
    """The steps of f, up to a limit, on all pairs of the messages in all reachable states."""
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
            found = Read(word, state, pair, after, error)
            yield found
            if found.allowed and _key(after) not in seen:
                seen.add(_key(after))
                waiting.append((after, (*word, pair)))


def _key(state: object) -> object:
    return fingerprint(state) if hashable(state) else content(state)


_PAIR: Final = "differing pair"


def steps(f: Verification, messages: tuple[object, ...]) -> Trial:
    """Find faults of f's steps: wrong return values, changed states, and unrepeatable results."""
    here, tried = source_place(f, "step"), 0
    for each in explored(f, messages):
        tried += each.differs
        found = list(_step(f, each, here))
        yield from found
        if found:
            break  # The states after a faulty step are not explored.
    return Tried(tried, _PAIR)


def _step(f: Verification, each: Read, here: str) -> Iterator[Finding]:
    if isinstance(each.error, PartError):
        yield Finding(
            "states",
            f"{str(each.error).partition(':')[0]}: it would let {_said(each)} pass",
            here,
            str(each.error).partition(": ")[2],
        )
    elif each.error is not None:
        yield Finding(
            "crashes",
            f"a step raises {told(each.error)} on {_said(each)}: the verifier takes that for a "
            "refusal",
            place(each.error),
            "answer every pair of Q × Q; if these are none of them, pass messages=[…]",
        )
    elif not hashable(each.after):
        yield unhashable(each.after, here)
    yield from _repeated(f, each, here)


def _said(each: Read) -> str:
    """The pair that f read, and the pairs before it, in words."""
    before = f" after {message_label(each.word)}" if each.word else ""
    return f"{message_label(each.pair)}{before}"


def _repeated(f: Verification, each: Read, here: str) -> Iterator[Finding]:
    if each.error is not None:
        return
    held, used, after = content(each.before), set[str](), each.after
    with record_randomness(used):
        try:
            after = read(f, each.before, each.pair.zero, each.pair.one)
        except Exception:
            after = None
    if content(each.before) != held:
        what = f"a step changes the state it is given, {of_kind(each.before)}, in place"
        yield Finding("purity", what, here, "return a new state")
    elif used:
        what = f"a step draws from {', '.join(sorted(used))}"
        yield Finding("randomness", what, here, "f is a function of the pairs: it draws nothing")
    elif _key(after) != _key(each.after):
        yield Finding("replay", "a step is not repeatable", here, CURE)


def dead(f: Verification, messages: tuple[object, ...]) -> Trial:
    """Check that f of a sequence is what its steps say, and that f stays ⊥ after its first ⊥."""
    tried = 0
    for each in islice(explored(f, messages), _WORDS):
        if each.error is not None:
            continue
        tried += each.differs
        word = (*each.word, each.pair)
        refused = type(each.after) is Refused
        longer = [(*word, pair) for pair in each.word[:2]] if refused else []
        for sequence in (word, *longer):
            if f(sequence) is not (BOTTOM if refused else TOP):
                yield Finding(
                    "dead",
                    "f of a sequence is not what its steps say, or not ⊥ for ever",
                    source_place(f, "__call__"),
                    "leave __call__ to Verification: it steps until a pair is refused",
                )
                return Tried(tried, _PAIR)
    return Tried(tried, _PAIR)


def consistency(f: Verification, messages: tuple[object, ...]) -> Trial:
    """Check a declared ``first_pair_consistent`` (CM Def. 5.3), a premise of CM Thm 5.5."""
    if not f.first_pair_consistent:
        raise NotApplicable("it does not declare that it is first-pair consistent")
    tried = 0
    firsts = takewhile(lambda each: not each.word, explored(f, messages))
    alike = [each.pair for each in firsts if each.allowed and not each.differs]
    for each in chain.from_iterable(explored(f, messages, (pair,)) for pair in alike):
        tried += not identical(each.pair.zero, each.pair.one)
        if each.differs:
            yield Finding(
                "consistency",
                "declares that it is first-pair consistent, and allows a differing pair after an "
                "identical first one",
                source_place(f, "first_pair_consistent"),
                "leave out first_pair_consistent, or refuse such pairs",
            )
            break
    return Tried(tried, _PAIR)


def swaps(f: Verification, messages: tuple[object, ...]) -> Trial:
    """Check a declared ``swap_symmetric``, by which the exact engine solves one world only."""
    if not swap_symmetric(f):
        raise NotApplicable("it does not declare that it is swap symmetric")
    waiting = deque([(f.initial_state, f.initial_state)])
    start = _key(f.initial_state)
    seen, tried, differing = {(start, start)}, 0, 0
    while waiting and tried < _MOST:
        state, other = waiting.popleft()
        for zero, one in product(messages, repeat=2):
            tried += 1
            try:
                after = read(f, state, zero, one), read(f, other, one, zero)
            except Exception:
                continue  # The check ``steps`` reports an f that raises.
            refused = [type(each) is Refused for each in after]
            differing += not (all(refused) or identical(zero, one))
            if refused[0] is not refused[1]:
                yield Finding(
                    "swaps",
                    "declares that it is swap symmetric, but refuses a sequence that it allows "
                    "with the sides of every pair exchanged",
                    source_place(f, "swap_symmetric"),
                    "leave out swap_symmetric, of f or of its relation, or let both pass",
                )
                return Tried(differing, _PAIR)
            if not refused[0] and (key := (_key(after[0]), _key(after[1]))) not in seen:
                seen.add(key)
                waiting.append(after)
    return Tried(differing, _PAIR)


def narrower(f: Verification, messages: tuple[object, ...]) -> Trial:
    """Check a declared ``narrower_than``: that the wider f' allows every sequence that f allows."""
    wider = declared(f)
    if wider is None:
        raise NotApplicable("it declares no wider f, narrower_than")
    word = outside(f, wider, messages)
    if word is not None:
        yield Finding(
            "narrower",
            f"declares that it is narrower than {message_label(wider)}, and allows "
            f"{message_label(word)}, which that refuses",
            source_place(f, "narrower_than"),
            "declare a wider f, or refuse such pairs",
        )
    return Tried(sum(each.differs for each in explored(f, messages)), _PAIR)


def column_safety(f: Verification, messages: tuple[object, ...]) -> Trial:
    """Check ``@column_safe``: f must decide on columns (arrays with one number for each replica) as
    on plain numbers."""
    if not is_column_safe(f):
        raise NotApplicable("it does not declare that it is column safe")
    numbers = [each for each in messages if type(each) in (int, float)]
    for kind in (int, float):
        own = [each for each in numbers if type(each) is kind]
        if not own:
            continue
        asker, script = _Asks(f, kind, len(own), min(own)), (0,) * 4
        what = columns.disagreement(asker, None, script, np.random.SeedSequence(len(own)))
        if what:
            yield columns.finding(what, source_place(f, "step"))
            break
    return Tried(len(numbers), "number")


@column_safe
@attrs.frozen
class _Asks(ContinualMechanism):
    """A mechanism that draws pairs of numbers, as columns, and answers whether f allows each."""

    f: Verification
    kind: type[float]
    """The type of the drawn numbers: int or float."""
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
    ("narrower", narrower), ("columns", column_safety),
)  # fmt: skip
MESSAGES: Final = (0, 1, 2)
"""The messages that are tried if the caller gives none."""
