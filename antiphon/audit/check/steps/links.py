"""What a post-processor declares of itself, and does not keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from antiphon.audit.check.report import Finding, LeftOut
from antiphon.audit.check.subject import Subject
from antiphon.audit.check.taken_steps import Step, Taken, take
from antiphon.audit.check.where import where
from antiphon.composition.complex_mechanism import Lifting
from antiphon.composition.properties import check_properties
from antiphon.numbers.errors import AntiphonError, Intractable
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.messages import identical
from antiphon.protocol.post_processor import Forwarding, PostProcessor, Side, forwarding

_ROUNDS: Final = 8
_PAIRS: Final = 5000
_HOPS: Final = 8


def declarations(subject: Subject) -> Iterator[Finding]:
    """``deterministic`` and ``forwards_queries``, on which claims and theorems rely."""
    part = subject.player
    assert isinstance(part, PostProcessor)
    said = forwarding(part)
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


def properties(subject: Subject) -> Iterator[Finding]:
    """The three properties between f and f' that a ``lifting`` declares (CM §6.1)."""
    part = subject.part
    declared = getattr(part, "lifting", None)
    if not isinstance(part, PostProcessor) or not isinstance(declared, Lifting):
        raise LeftOut("it declares no lifting")
    try:
        found = check_properties(
            part, declared.outer, declared.inner, queries=subject.messages, rounds=_ROUNDS,
            limit=_PAIRS,
        )  # fmt: skip
    except (Intractable, AntiphonError) as error:
        raise LeftOut(f"its runs cannot be listed: {error}") from None
    if found is not None:
        yield Finding(
            "properties",
            f"lacks the {found.property.value} property that its lifting declares: {found.reason}",
            where(part, "exchange", "step"),
            "mend the step, or declare an f' that allows what it sends; composition."
            "check_properties shows the two runs",
        )
