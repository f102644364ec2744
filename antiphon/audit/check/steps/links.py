"""What a post-processor declares of its coins and queries, and does not keep."""

from __future__ import annotations

from typing import Final

from antiphon.audit.check.report import Finding, LeftOut, Trial
from antiphon.audit.check.subject import Subject
from antiphon.audit.check.taken_steps import Step, Taken, take
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.cursor import Side
from antiphon.protocol.forwarding import Forwarding, forwarding
from antiphon.protocol.messages import identical

_HOPS: Final = 8


def check(subject: Subject) -> Trial:
    """``deterministic`` and ``forwards_queries``, on which claims and theorems rely."""
    part = subject.player
    assert isinstance(part, PostProcessor)
    said = forwarding(part)
    if said is None and not part.deterministic:
        raise LeftOut("it declares nothing of its queries and coins")
    for taken in subject.taken:
        if part.deterministic and taken.tape:
            yield Finding(
                "declarations",
                "is declared deterministic, and draws coins",
                subject.where(),
                "leave out deterministic, or make its randomness a 0-DP mechanism that it creates",
            )
        if said is not None and not _forwarded(taken, said):
            yield _not_forwarding(subject, "sends something else than the message to the right")
    if said is not None and _remembers(subject):
        yield _not_forwarding(subject, "remembers queries: its answers depend on them")
    return subject.tried


def _forwarded(taken: Taken, said: Forwarding) -> bool:
    """Whether a step sends a left message on; or, on an answer, only what is said to be asked."""
    if taken.result is None:
        return True
    (side, message), (_, to, out) = taken.inputs, taken.result
    if side is Side.LEFT:
        return to is Side.RIGHT and identical(out, message)
    return to is Side.LEFT or any(identical(out, each) for each in said.asks)


def _not_forwarding(subject: Subject, what: str) -> Finding:
    return Finding(
        "declarations",
        f"is declared to forward queries, and {what}",
        subject.where(),
        "leave out forwards_queries, as it lets the claims of the mechanism pass for those of "
        "P ∘* M; or name what P asks of its own, whatever it was told: Forwarding(asks=…)",
    )


def _remembers(subject: Subject) -> bool:
    """Whether answers are passed on otherwise after another query."""
    player = subject.player
    assert isinstance(player, PostProcessor)
    step, start = player.step, player.initial_state
    heard = [taken for taken in subject.taken if taken.inputs[0] is Side.RIGHT and taken.result]
    for taken in heard[:20]:
        passed: list[object] = []
        for query in subject.messages[:4]:
            asked = take(step, start, (Side.LEFT, query), ReplayedCoins())
            if asked.result is not None:
                passed += _passed(step, asked.result[0], taken)
        if any(not identical(each, passed[0]) for each in passed):
            return True
    return False


def _passed(step: Step, state: object, heard: Taken) -> list[object]:
    """What becomes of an answer, and of the same again after each thing that is asked for it."""
    said: list[object] = []
    for _ in range(_HOPS):
        after = take(step, state, heard.inputs, ReplayedCoins(heard.tape))
        if after.result is None:
            break
        state = after.result[0]
        said += after.result[1:]
        if after.result[1] is Side.LEFT:
            break
    return [tuple(said)] if said else []
