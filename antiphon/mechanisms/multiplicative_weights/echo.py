"""A mechanism that says what it is told: for what is public, in complex mechanisms."""

from __future__ import annotations

from typing import Final, TypeAlias, Union

import attrs

from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Pure
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import BOTTOM, TOP, Symbol
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Either, Finite, Integers, Signature
from antiphon.verifiers.models import event_level

Said: TypeAlias = Union[int, Symbol]
_SAID: Final = Either((Integers(), Finite((TOP, BOTTOM))))


@register("antiphon.Echo/1")
@column_safe
@attrs.frozen
class Echo(ContinualMechanism[None, Said, Said]):
    """Answers each message with itself: an int, ⊤ or ⊥.

    A post-processor whose answer depends on a message from its left, such as a public query,
    lacks the response property (CM §6.1); it has it if the answer goes through an Echo.
    Privacy: 0-DP w.r.t. pairs that are all identical; proved.

    >>> Echo().start().send(7)
    7
    """

    @property
    def initial_state(self) -> None:
        return None

    @property
    def signature(self) -> Signature:
        return Signature(_SAID, _SAID)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "both sides of each pair are the same message"
        return proved(self, Pure(0), event_level(events=0), source)

    def step(self, state: None, message: Said, coins: Coins) -> tuple[None, Said]:
        return None, message
