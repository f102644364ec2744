"""Declarations that a post-processor forwards all messages from its left, and their proofs."""

from typing import Final

import attrs

from antiphon.protocol.claims import Status
from antiphon.protocol.messages import SAME, as_messages
from antiphon.protocol.provenance import why_assumed, why_untrusted
from antiphon.protocol.registry import register


@register("antiphon.Forwarding/1")
@attrs.frozen
class Forwarding:
    """A declaration that a post-processor sends every message from its left on to its right, and
    keeps no memory of these messages.

    The value of a post-processor's attribute ``forwards_queries``. The post-processor's next
    message to the right then depends only on the answers, on its coins and on the number of
    messages. ``asks``: the messages of its own that it may also send to the right, () for none. Its
    messages from the left must be valid on its right.
    """

    status: Status = Status.ASSUMED
    source: str = "its class says so"
    asks: tuple[object, ...] = attrs.field(default=(), converter=as_messages, eq=SAME)


_SAID: Final = Forwarding()


def forwarding(link: object) -> Forwarding | None:
    """A post-processor's declaration that it forwards queries; None if neither the post-processor
    nor its class declares so.

    The value True declares forwarding without a proof.
    """
    said: object = getattr(link, "forwards_queries", False)
    if said is True:
        return _SAID
    return said if type(said) is Forwarding else None


def only_forwards(link: object) -> bool:
    """Whether a post-processor declares that it sends to the right only messages from its left."""
    said = forwarding(link)
    return said is not None and not said.asks


def doubtful(link: object) -> str | None:
    """The reason why a post-processor's declaration that it forwards queries is not proved; None if
    the declaration is proved.

    For this library's post-processors the conformance suite checks the declaration.
    """
    said = forwarding(link)
    if said is None or said.status is not Status.PROVED:
        return why_untrusted(link)
    return why_assumed(link, "forwards_queries")
