"""What a post-processor declares of itself, and does not keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from antiphon.audit.check.report import Finding, LeftOut
from antiphon.audit.check.subject import Subject
from antiphon.audit.check.where import where
from antiphon.composition.complex_mechanism import Lifting
from antiphon.composition.properties import check_properties
from antiphon.numbers.errors import AntiphonError, Intractable
from antiphon.protocol.messages import identical
from antiphon.protocol.post_processor import PostProcessor, Side

_ROUNDS: Final = 8
_PAIRS: Final = 5000


def declarations(subject: Subject) -> Iterator[Finding]:
    """``deterministic`` and ``forwards_queries``, on which claims and theorems rely."""
    part = subject.player
    assert isinstance(part, PostProcessor)
    for taken in subject.taken:
        side, message = taken.inputs
        if part.deterministic and taken.tape:
            yield Finding(
                "declarations",
                "is declared deterministic, and draws coins",
                subject.where(),
                "leave out deterministic, or make its randomness a 0-DP mechanism that it creates",
            )
        if not part.forwards_queries or side is not Side.LEFT or taken.result is None:
            continue
        _, to, out = taken.result
        if to is not Side.RIGHT or not identical(out, message):
            yield _not_forwarding(subject, "sends something else than the message to the right")
    if part.forwards_queries and _remembers(subject):
        yield _not_forwarding(subject, "remembers queries: its answers depend on them")


def _not_forwarding(subject: Subject, what: str) -> Finding:
    return Finding(
        "declarations",
        f"is declared to forward queries, and {what}",
        subject.where(),
        "leave out forwards_queries: it lets the claims of the mechanism pass for those of P ∘* M",
    )


def _remembers(subject: Subject) -> bool:
    """Whether an answer is passed on otherwise after another query."""
    from antiphon.audit.check.taken_steps import take
    from antiphon.protocol.coins.tapes import ReplayedCoins

    player = subject.player
    assert isinstance(player, PostProcessor)
    step, start = player.step, player.initial_state
    heard = [taken for taken in subject.taken if taken.inputs[0] is Side.RIGHT and taken.result]
    for taken in heard[:20]:
        passed: list[object] = []
        for query in subject.messages[:4]:
            asked = take(step, start, (Side.LEFT, query), ReplayedCoins())
            if asked.result is not None:
                after = take(step, asked.result[0], taken.inputs, ReplayedCoins(taken.tape))
                passed += [] if after.result is None else [after.result[1:]]
        if any(not identical(each, passed[0]) for each in passed):
            return True
    return False


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
