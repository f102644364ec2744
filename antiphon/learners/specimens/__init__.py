"""Example learners ("specimens") for the self-check, and the base classes of their broken twins."""

from typing import Any

import attrs

from antiphon.protocol import Claim, Coins, ContinualMechanism, PostProcessor, Signature
from antiphon.protocol.exchanges.processor import ExchangePostProcessor
from antiphon.protocol.provenance import assumed, nothing_proved_in
from antiphon.protocol.registry import column_safe, register, set_derived

# A claim that a broken twin takes over from the honest learner must never count as proved.
nothing_proved_in(__name__)


@attrs.frozen
class _Twin:
    """A deliberately broken copy ("twin") of a mechanism or post-processor ``honest``, with the
    same verification function."""

    honest: Any

    @property
    def initial_state(self) -> Any:
        return self.honest.initial_state

    @property
    def verification(self) -> Any:
        """The verification function of the honest mechanism or post-processor."""
        return self.honest.verification


@attrs.frozen
class TwinMechanism(_Twin, ContinualMechanism[Any]):
    """A deliberately broken copy ("twin") of an honest mechanism: the same claims, but other
    answers. Abstract."""

    @property
    def signature(self) -> Signature:
        found: Signature = self.honest.signature
        return found

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(map(assumed, self.honest.claims))


@register("antiphon.corpus.Altered/1")
@column_safe(of="honest")
@attrs.frozen
class Altered(TwinMechanism):
    """A broken copy of a mechanism in which some fields are changed to values that its constructor
    refuses, such as a cost of 0."""

    changes: tuple[tuple[str, Any], ...]
    """Pairs (name of a field, its value in the broken copy)."""
    _broken: Any = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        broken = attrs.evolve(self.honest)
        set_derived(broken, **dict(self.changes))
        set_derived(self, _broken=broken)

    def step(self, state: Any, message: object, coins: Coins) -> tuple[Any, Any]:
        found: tuple[Any, Any] = self._broken.step(state, message, coins)
        return found


@attrs.frozen
class TwinProcessor(_Twin, PostProcessor[Any]):
    """A deliberately broken copy ("twin") of an honest post-processor, with another method
    ``step``. Abstract."""

    def signature(self, right: Signature) -> Signature:
        found: Signature = self.honest.signature(right)
        return found


@attrs.frozen
class TwinExchange(TwinProcessor, ExchangePostProcessor[Any]):
    """A deliberately broken copy ("twin") of an honest post-processor, with another method
    ``exchange``. Abstract."""

    @property
    def lifting(self) -> Any:
        """The verification functions f and f' of the honest post-processor (CM Thm 6.1)."""
        return self.honest.lifting
