"""A step that raises, or that refuses too late."""

from __future__ import annotations

from collections.abc import Iterator

from antiphon.audit.check.report import Finding
from antiphon.audit.check.subject import Subject
from antiphon.numbers.errors import AntiphonError, PartError, place


def check(subject: Subject) -> Iterator[Finding]:
    """Live a crash is HALT: in silence, if nobody looks at ``session.failures``."""
    for taken in subject.taken:
        error = taken.error
        if error is None:
            continue
        if isinstance(error, PartError):
            yield Finding("crashes", str(error), subject.where(), "return a plain tuple of these")
        elif not isinstance(error, AntiphonError):
            yield Finding(
                "crashes",
                f"a step raised {type(error).__name__} on a message of its own space",
                place(error),
                "answer every message of the query space, declare a smaller one, or raise "
                "InvalidArgument before drawing to refuse the message",
            )
        elif taken.tape:
            yield Finding(
                "crashes",
                f"a step raised {type(error).__name__} after it had drawn coins: that is no "
                "refusal, and ends the session",
                place(error),
                "refuse a message before anything is drawn",
            )
