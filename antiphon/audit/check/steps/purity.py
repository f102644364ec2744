"""A step that changes the state it is given (law 1)."""

from __future__ import annotations

from antiphon.audit.check.report import Finding, Trial
from antiphon.audit.check.subject import Subject


def check(subject: Subject) -> Trial:
    """What is changed in place is shared by every session: also the initial state."""
    for taken in subject.taken:
        if taken.changed:
            yield Finding(
                "purity",
                f"a step changes the state it is given, a {type(taken.before).__name__}, in place: "
                "all sessions share it",
                subject.where(),
                "return a new state: (*state, x), attrs.evolve(state, …), array.copy()",
            )
    return subject.tried
