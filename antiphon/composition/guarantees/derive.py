"""The driver: asks the table, and asks it again for each part that a rule wants to know of.

A rule answers w.r.t. the f₁ that its theorem speaks of. Here alone that is compared with the f that
was asked about:

* *Fewer sequences*: f allows no more than f₁, so every adversary w.r.t. f is one w.r.t. f₁.
* *Group privacy* (Vadhan 2017, Lemma 2.2): f allows k differing pairs for each of f₁; for a CM the
  hybrids change the differing pairs in turn. Figure: ``GroupCurve``.

Of any other f nothing is said, not even as assumed: what f₁ promises is then known to say nothing.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.guarantees.curves import GroupCurve
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.inclusion import group, includes
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rules_for
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification

FEWER: Final = "fewer sequences"
GROUP: Final = "group privacy (Vadhan 2017, Lemma 2.2)"


def derive(inquiry: Inquiry) -> Derivation:
    """The derivation that answers an inquiry. A deep system costs a list, not a call stack.

    Raises: NoGuarantee where no theorem applies; InvalidArgument for what is no mechanism.
    """
    waiting: list[Steps] = [_asked(inquiry)]
    answer: Derivation | None = None
    while waiting:
        try:
            part = next(waiting[-1]) if answer is None else waiting[-1].send(answer)
        except StopIteration as done:
            waiting.pop()
            answer = done.value
        else:
            waiting.append(_asked(part))
            answer = None
    assert answer is not None
    return answer


def _asked(inquiry: Inquiry) -> Steps:
    """The rules of one inquiry in turn, until one answers; and what that says of the f asked about.

    A rule may answer w.r.t. another f: whichever its theorem speaks of.
    """
    system, f = inquiry.system, inquiry.verification
    if not isinstance(system, Mechanism):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgument(f"a guarantee is about a mechanism, not a {type(system).__name__}")
    for rule in rules_for(inquiry):
        answer = rule.derive(system, f, inquiry)
        if answer is not None and not isinstance(answer, Derivation):
            answer = yield from answer
        if answer is not None:
            return answer if answer.verification is f else told_of(answer, f)
    raise AssertionError("the rules about any mechanism answer, or raise")


def told_of(known: Derivation, f: Verification | None) -> Derivation:
    """What is known, said of f; None: of whatever it is about.

    Raises: NoGuarantee if it says nothing of f.
    """
    first = known.verification
    if f is None or identical(first, f):
        return known
    if includes(first, f):
        return _fewer(known, f)
    size = group(first, f)
    if size is not None:
        return _group(known, f, size)
    raise NoGuarantee(
        known.theorem, f"an f that allows no more than {message_label(first)}, or k times as much",
        f"f is {message_label(f)}", "leave f out, or ask about one that allows less",
    )  # fmt: skip


def _fewer(known: Derivation, f: Verification) -> Derivation:
    def text() -> str:
        wider = message_label(known.verification)
        return f"every sequence valid for {message_label(f)} is valid for {wider}"

    statement = "the same, as every adversary w.r.t. this f is one w.r.t. that"
    premises = (Premise(text, Mark.CHECKED),)
    return Derivation(FEWER, statement, f, known.curve, premises, (known,), known.measures)


def _group(known: Derivation, f: Verification, size: int) -> Derivation:
    premise = Premise(f"{size} groups of pairs, each as in the claim", Mark.CHECKED)
    statement = f"{size} steps of what is claimed: hybrids change the differing pairs in turn"
    return Derivation(GROUP, statement, f, GroupCurve(known.curve, size), (premise,), (known,))
