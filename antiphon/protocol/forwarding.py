"""Declarations that a post-processor forwards all messages from its left, and their proofs."""

from collections.abc import Iterable
from typing import Any, Final

import attrs

from antiphon.protocol.claims import Status
from antiphon.protocol.messages import SAME, freeze
from antiphon.protocol.provenance import why_assumed, why_untrusted
from antiphon.protocol.registry import register


def _messages(asks: Iterable[object]) -> tuple[object, ...]:
    return tuple(map(freeze, asks))


@register("antiphon.Forwarding/1")
@attrs.frozen
class Forwarding:
    """A declaration that a post-processor sends every left message on unchanged, and forgets it.

    The value of a post-processor's attribute ``forwards_queries``. Then P's next message depends on
    the answers, on its coins and on the number of messages only. ``asks``: the messages of its own
    that it may also send to the right; (): none. Its messages from the left are valid on its right,
    too.
    """

    status: Status = Status.ASSUMED
    source: str = "its class says so"
    asks: tuple[object, ...] = attrs.field(default=(), converter=_messages, eq=SAME)


_SAID: Final = Forwarding()


def forwarding(link: object) -> Forwarding | None:
    """The declaration by which a post-processor, or a class of them, says that it forwards queries;
    None: there is none.

    True declares it without a proof.
    """
    said: object = getattr(link, "forwards_queries", False)
    if said is True:
        return _SAID
    return said if type(said) is Forwarding else None


def only_forwards(link: object) -> bool:
    """Whether a post-processor declares that it sends only left messages to the right."""
    said = forwarding(link)
    return said is not None and not said.asks


def doubtful(link: Any) -> str | None:
    """Why a declaration that a post-processor forwards queries is not proved; None: it is proved.

    For this library's post-processors the conformance suite checks the declaration.
    """
    said = forwarding(link)
    if said is None or said.status is not Status.PROVED:
        return why_untrusted(link)
    return why_assumed(link, "forwards_queries")
