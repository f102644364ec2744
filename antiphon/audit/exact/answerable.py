"""Errors for empty exact questions: messages that no mechanism takes, creations f never accepts."""

from __future__ import annotations

from collections.abc import Sequence

from antiphon.audit.exact.purses import only_spends
from antiphon.composition.concurrent import Concurrent
from antiphon.composition.creation import Create
from antiphon.composition.suitable import Suitable
from antiphon.composition.validity import NOT_CONSISTENT
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.protocol import ContinualMechanism, Refused, Status, message_label
from antiphon.protocol.messages import distinct
from antiphon.protocol.registry import name_of


def check_queries(
    system: ContinualMechanism, given: tuple[object, ...] | None, creations: Sequence[Create]
) -> None:
    """Check that some mechanism takes each of the given messages: no message is dropped silently.

    Raises: InvalidArgument.
    """
    if given is not None and not given:
        raise InvalidArgument("queries is empty, so nothing can be asked: leave it out for all")
    takers, shape = [system], ""
    if isinstance(system, Concurrent):
        made = [child.created for child in system.children(system.initial_state)]
        takers = list(distinct(each.mechanism for each in (*made, *creations)))
        shape = "; queries holds the messages of the mechanisms themselves, q and not Ask(q, i)"
    for query in given or ():
        if not any(each.signature.queries.contains(query) for each in takers):
            spaces = "; ".join(
                f"{name_of(each)}, which takes {each.signature.queries}" for each in takers
            )
            raise InvalidArgument(
                f"queries lists {of_kind(query)} outside the query space of {spaces}{shape}"
            )


def check_taken(f: Suitable, creations: Sequence[Create]) -> None:
    """Check that f accepts a creation and lets its pairs differ: else a tight figure would be 0.

    Raises: InvalidArgument, with the reason for each creation.
    """
    named: list[str] = []
    for create in creations:
        why = _never(f, create)
        if why is None:
            return
        named.append(f"{message_label(create.mechanism)}, which f never takes: {why.reason}")
    if named:
        raise InvalidArgument(
            f"catalogue lists {'; and '.join(named)}. Give f parameters that are asserted"
        )


def _never(f: Suitable, create: Create) -> Refused | None:
    """The reason why no pair of a creation may ever differ, even with all fixed parameters (the
    purse) unused; None if one may.

    In this library's f a purse only shrinks; a user's f may accept later. A refuted claim, or an f'
    that is not first-pair consistent, gives no reason: f's refusal is then the answer to the
    question.
    """
    if create.claim is not None and create.claim.status is Status.REFUTED:
        return None
    if create.claim is None or not f.takes(create):
        return Refused("it asserts no claim that f can read")
    if not only_spends(type(f)):
        return None
    admitted = f.admit(f.purse, 0, create)
    if admitted is NOT_CONSISTENT:
        return None
    paid = admitted if type(admitted) is Refused else f.differ(f.purse, create)
    return paid if type(paid) is Refused else None
