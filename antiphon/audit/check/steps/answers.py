"""What a part says that is outside of what it declares."""

from __future__ import annotations

from antiphon.audit.check.report import Finding, Trial
from antiphon.audit.check.subject import Subject
from antiphon.protocol.cursor import Side
from antiphon.protocol.messages import HALT
from antiphon.protocol.spaces import Space


def check(subject: Subject) -> Trial:
    """Theorems about discrete answers, and the parts beside it, rely on the signature."""
    told = set[str]()
    for taken in subject.taken:
        if taken.result is None:
            continue
        if subject.is_link and not isinstance(taken.result[1], Side):
            yield Finding(
                "answers",
                f"sends to {taken.result[1]!r:.40}, which is no side",
                subject.where(),
                "return (state, ap.Side.LEFT or ap.Side.RIGHT, message)",
            )
            continue
        space, whose = _space(subject, taken.result)
        said = taken.result[-1]
        if said is not HALT and whose not in told and not space.contains(said):
            told.add(whose)
            yield Finding(
                "answers",
                f"says {said!r:.60} ({type(said).__name__}), outside the {whose}, {space!s:.80}",
                subject.where(),
                "declare the space that it says things of, by exact types (1, True and 1.0 are "
                "three), or convert what it says",
            )
    return subject.tried


def _space(subject: Subject, result: tuple[object, ...]) -> tuple[Space, str]:
    if subject.right is not None and result[1] is Side.RIGHT:
        return subject.right.signature.queries, "query space on its right"
    return subject.system.signature.answers, "answer space"
