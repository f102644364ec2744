"""States that are no values: unhashable, or the same only as objects."""

from __future__ import annotations

from antiphon.audit.check.report import Finding, Trial
from antiphon.audit.check.subject import Subject
from antiphon.audit.check.taken_steps import take
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.messages import identical

_CURE = "use numbers, text, tuples, frozensets and frozen attrs classes"


def check(subject: Subject) -> Trial:
    """The exact engine merges equal states, and a session hands old ones on."""
    for taken in subject.taken:
        if taken.changed or taken.result is None:
            continue
        for state in (taken.before, taken.result[0]):
            if not hashable(state):
                yield unhashable(state, subject.where())
                return subject.tried
        again = take(subject.player.step, taken.before, taken.inputs, ReplayedCoins(taken.tape))
        same = again.result is not None and identical(again.result[1:], taken.result[1:])
        if again.result and same and not _alike(again.result[0], taken.result[0]):
            yield Finding(
                "states",
                f"the same step gives states ({type(again.result[0]).__name__}) that do not "
                "compare as equal",
                subject.where(),
                f"{_CURE}: they are compared by value",
            )
    return subject.tried


def _alike(one: object, other: object) -> bool:
    return fingerprint(one) == fingerprint(other)


def hashable(state: object) -> bool:
    """Whether a state can be a key."""
    try:
        hash(fingerprint(state))
    except TypeError:
        return False
    return True


def unhashable(state: object, where: str) -> Finding:
    """A state that cannot be a key."""
    what = f"a state, a {type(state).__name__}, cannot be hashed: it could be changed in place"
    return Finding("states", what, where, _CURE)
