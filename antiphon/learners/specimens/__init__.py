"""Example learners ("specimens") for the self-check, and the base classes of their broken twins."""

from typing import Any

import attrs

from antiphon.protocol import Claim, ContinualMechanism, PostProcessor, Signature
from antiphon.protocol.exchanges.processor import ExchangePostProcessor
from antiphon.protocol.provenance import assumed, nothing_proved_in

nothing_proved_in(__name__)  # claims that broken classes inherit never count as proved


@attrs.frozen
class TwinMechanism(ContinualMechanism[Any]):
    """A deliberately broken copy ("twin") of an honest mechanism: the same claims, but other
    steps. Abstract."""

    honest: Any

    @property
    def initial_state(self) -> Any:
        return self.honest.initial_state

    @property
    def signature(self) -> Signature:
        found: Signature = self.honest.signature
        return found

    @property
    def verification(self) -> Any:
        """The verification function of the honest mechanism."""
        return self.honest.verification

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(map(assumed, self.honest.claims))


@attrs.frozen
class TwinProcessor(PostProcessor[Any]):
    """A deliberately broken copy ("twin") of an honest post-processor, with other steps.
    Abstract."""

    honest: Any

    @property
    def initial_state(self) -> Any:
        return self.honest.initial_state

    def signature(self, right: Signature) -> Signature:
        found: Signature = self.honest.signature(right)
        return found

    @property
    def verification(self) -> Any:
        """The verification function of the honest processor."""
        return self.honest.verification


@attrs.frozen
class TwinExchange(TwinProcessor, ExchangePostProcessor[Any]):
    """A deliberately broken copy ("twin") of an honest post-processor, with another
    ``exchange``. Abstract."""

    @property
    def lifting(self) -> Any:
        """The verification functions f and f' of the honest post-processor (CM Thm 6.1)."""
        return self.honest.lifting
