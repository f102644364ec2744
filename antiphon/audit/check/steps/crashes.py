"""A step that raises, or that refuses too late."""

from __future__ import annotations

from antiphon.audit.check.report import Finding, Trial
from antiphon.audit.check.subject import Subject
from antiphon.audit.check.taken_steps import Taken
from antiphon.numbers.errors import AntiphonError, PartError, place, told
from antiphon.protocol.cursor import Side
from antiphon.protocol.records.labels import message_label


def check(subject: Subject) -> Trial:
    """Live a crash is HALT: in silence, if nobody looks at ``session.failures``."""
    met = set[tuple[object, ...]]()
    for taken in subject.taken:
        error = taken.error
        if error is None or (key := (type(error), place(error), taken.refused)) in met:
            continue
        met.add(key)  # each fault is shown with the first message at which it happened
        if isinstance(error, PartError):
            what = f"{error}, on {said(taken)}"
            yield Finding("crashes", what, subject.where(), "return a plain tuple of these")
        elif not isinstance(error, AntiphonError):
            yield Finding(
                "crashes",
                f"a step raised {told(error)} on {said(taken)}, of its own space",
                place(error),
                "answer every message of the query space, declare a smaller one, or raise "
                "InvalidArgument before drawing to refuse the message",
            )
        elif taken.tape:
            yield Finding(
                "crashes",
                f"a step raised {told(error)} on {said(taken)} after it had drawn coins: that is "
                "no refusal, and ends the session",
                place(error),
                "refuse a message before anything is drawn",
            )
    return subject.tried


def said(taken: Taken) -> str:
    """The message of a step, and the side of a post-processor that it came from."""
    *side, message = taken.inputs
    label = message_label(message)
    return f"{label} from the {'left' if side[0] is Side.LEFT else 'right'}" if side else label
