"""The driver: asks the table, and asks it again for each part that a rule wants to know of."""

from __future__ import annotations

from antiphon.composition.guarantees.derivation import Derivation
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rules_for
from antiphon.composition.guarantees.told import told_of
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.mechanism import Mechanism


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
