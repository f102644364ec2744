"""Checks of the contracts of all mechanisms, post-processors and verification functions, in each
step that was taken, and of their message spaces.

Each check is a function of the subject; its name is the check's name in reports.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

from antiphon.audit.check.examples import ALIENS
from antiphon.audit.check.report import Finding, Trial, Tried
from antiphon.audit.check.subject import Subject, Taken, source_place, take
from antiphon.numbers.errors import AntiphonError, PartError, ReplayMismatch, of_kind, place, told
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import HALT, ReplayedCoins, Side, Space, identical, message_label

_LISTED: Final = 2000
"""The largest number of elements of a space that are tried."""
CURE: Final = (
    "keep all that a step remembers in the state it returns, and draw all randomness from "
    "coins: nothing in self, globals, the clock or the order of a set"
)
_VALUES: Final = "use numbers, text, tuples, frozensets and frozen attrs classes"


def crashes(subject: Subject) -> Trial:
    """Find steps that raise, or that refuse a message only after they drew coins.

    In live use a crash is answered by HALT, and shows only in ``session.failures``.
    """
    met = set[tuple[object, ...]]()
    for taken in subject.taken:
        error = taken.error
        if error is None or (key := (type(error), place(error), taken.refused)) in met:
            continue
        met.add(key)  # A fault is reported with the first message that caused it.
        if isinstance(error, PartError):
            what = f"{error}, on {_said(taken)}"
            yield subject.finding("crashes", what, "return a plain tuple of these")
        elif not isinstance(error, AntiphonError):
            yield Finding(
                "crashes",
                f"a step raised {told(error)} on {_said(taken)}, of its own space",
                place(error),
                "answer every message of the query space, declare a smaller one, or raise "
                "InvalidArgument before drawing to refuse the message",
            )
        elif taken.tape:
            yield Finding(
                "crashes",
                f"a step raised {told(error)} on {_said(taken)} after it had drawn coins: that is "
                "no refusal, and ends the session",
                place(error),
                "refuse a message before anything is drawn",
            )
    return subject.tried


def _said(taken: Taken) -> str:
    """The message of a step in words; for a post-processor, with the side that it came from."""
    *side, message = taken.inputs
    label = message_label(message)
    return f"{label} from the {'left' if side[0] is Side.LEFT else 'right'}" if side else label


def purity(subject: Subject) -> Trial:
    """Find steps that change, in place, the state they are given: all sessions share that state."""
    for taken in subject.taken:
        if taken.changed:
            yield subject.finding(
                "purity",
                f"a step changes the state it is given, {of_kind(taken.before)}, in place: "
                "all sessions share it",
                "return a new state: (*state, x), attrs.evolve(state, …), array.copy()",
            )
    return subject.tried


def randomness(subject: Subject) -> Trial:
    """Find steps whose randomness does not all come from the coins.

    Draws from elsewhere are missing in recordings, enumerations and privacy figures.
    """
    for source in sorted(frozenset[str]().union(*(taken.used for taken in subject.taken))):
        cure = "draw from coins: coins.bernoulli(p), coins.discrete_laplace(scale), …"
        yield subject.finding("randomness", f"a step draws from {source}", cure)
    return subject.tried


def replay(subject: Subject) -> Trial:
    """Find steps that answer differently when they get the same state, message and coins again.

    Every step is repeated twice on its own tape: one that alternates agrees every second time.
    """
    for taken in chain.from_iterable(zip(subject.taken, subject.taken, strict=True)):
        if taken.changed or taken.result is None:
            continue  # Other checks report steps that raise, or that change their state.
        again = take(subject.player.step, taken.before, taken.inputs, ReplayedCoins(taken.tape))
        if again.result is None and isinstance(again.error, ReplayMismatch):
            yield subject.finding("replay", "a step asks for other coins when it is repeated", CURE)
        elif again.result is None or not identical(again.result[1:], taken.result[1:]):
            what = "a step answers differently when it is repeated with the same coins"
            yield subject.finding("replay", what, CURE)
    return subject.tried


def states(subject: Subject) -> Trial:
    """Find states that cannot be hashed, or that equal no state but themselves.

    The exact engine merges equal states, and a session keeps old ones.
    """
    for taken in subject.taken:
        if taken.changed or taken.result is None:
            continue
        for state in (taken.before, taken.result[0]):
            if not hashable(state):
                yield unhashable(state, subject.where())
                return subject.tried
        again = take(subject.player.step, taken.before, taken.inputs, ReplayedCoins(taken.tape))
        same = again.result is not None and identical(again.result[1:], taken.result[1:])
        if again.result and same and fingerprint(again.result[0]) != fingerprint(taken.result[0]):
            yield subject.finding(
                "states",
                f"the same step gives states ({type(again.result[0]).__name__}) that do not "
                "compare as equal",
                f"{_VALUES}: they are compared by value",
            )
    return subject.tried


def hashable(state: object) -> bool:
    """Whether a state can be a key of a dictionary."""
    try:
        hash(fingerprint(state))
    except TypeError:
        return False
    return True


def unhashable(state: object, where: str) -> Finding:
    """The finding about a state that cannot be a key of a dictionary."""
    what = f"a state, {of_kind(state)}, cannot be hashed: it could be changed in place"
    return Finding("states", what, where, _VALUES)


def answers(subject: Subject) -> Trial:
    """Find answers of a mechanism or post-processor outside the answer space that it declares.

    Theorems about discrete answers, and a chain's other parts, rely on the declared space.
    """
    named = set[str]()
    for taken in subject.taken:
        if taken.result is None:
            continue
        if subject.is_link and not isinstance(taken.result[1], Side):
            what = f"sends to {taken.result[1]!r:.40}, which is no side"
            cure = "return (state, ap.Side.LEFT or ap.Side.RIGHT, message)"
            yield subject.finding("answers", what, cure)
            continue
        space, whose = _space(subject, taken.result)
        said = taken.result[-1]
        if said is not HALT and whose not in named and not space.contains(said):
            named.add(whose)
            yield subject.finding(
                "answers",
                f"says {said!r:.60} ({type(said).__name__}), outside the {whose}, {space!s:.80}",
                "declare the space that it says things of, by exact types (1, True and 1.0 are "
                "three), or convert what it says",
            )
    return subject.tried


def _space(subject: Subject, result: tuple[object, ...]) -> tuple[Space, str]:
    if subject.right is not None and result[1] is Side.RIGHT:
        return subject.right.signature.queries, "query space on its right"
    return subject.system.signature.answers, "answer space"


def alphabets(subject: Subject) -> Trial:
    """Find declared spaces whose ``contains`` and ``enumerate`` disagree.

    The exact engine uses ``enumerate``; sessions, chains and verifiers use ``contains``.
    """
    signature, starts = subject.system.signature, subject.system.initial_states
    spaces = dict.fromkeys((signature.queries, signature.answers, signature.updates, starts))
    for space in spaces:
        for what in faults(space):
            yield Finding(
                "alphabets",
                f"{type(space).__name__}: {what}",
                source_place(space, "contains"),
                "contains(x) is True for exactly what enumerate() lists, by exact type, and "
                "never raises: compare with antiphon.protocol.identical",
            )
    return Tried(len(spaces), "space")


def faults(space: Space) -> Iterator[str]:
    """The faults of a space, on elements that it lists and on values of many types, in words."""
    listed = list(islice(space.enumerate(), _LISTED + 1)) if space.finite else []
    known = {fingerprint(each) for each in listed}
    for value in (*ALIENS, *listed):
        try:
            inside = space.contains(value)
        except Exception as error:
            yield f"contains raises {type(error).__name__} for {value!r:.40}"
            return
        if not space.finite or len(listed) > _LISTED:
            continue
        enumerated = fingerprint(value) in known
        if bool(inside) is not enumerated:
            yield (
                f"contains says {bool(inside)} of {value!r:.40}, {of_kind(value)}, which "
                f"enumerate {'lists' if enumerated else 'does not list'}"
            )
            return
