"""What all learners of the game of mistakes share."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Generic

import attrs
from typing_extensions import TypeVar

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.littlestone import samples
from antiphon.mechanisms.learners.littlestone.samples import Sample
from antiphon.protocol.chain import AnyChain
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.spaces import Signature
from antiphon.verifiers.models import EventLevel, event_level

POINTS: Final = fields.at_most(samples.MOST_POINTS, "merge points: a state has a count for each")

State = TypeVar("State", default=Any)


@attrs.frozen(kw_only=True)
class MistakeLearner(ContinualMechanism[State, Sample, int], Generic[State]):
    """(x_t, label) -> f̂_{t+1}, the hypothesis for the next round, by its index. Abstract.

    f̂₁ = f⁽⁰⁾ is public. f is event level: streams differ in one sample, by any two samples.
    """

    private: ClassVar[bool] = True
    """Whether it claims anything."""

    points: int = attrs.field(default=1, converter=fields.size, metadata=POINTS)

    @property
    def signature(self) -> Signature:
        return samples.signature(self.points)

    @property
    def verification(self) -> EventLevel:
        """f: one sample differs, by any two samples."""
        return event_level()

    def settled(self, state: State) -> bool:
        """Whether it has made up its mind, so that every later answer is the last one."""
        return False


def settled(learner: ContinualMechanism[Any], state: Any) -> bool:
    """Whether every later answer is the last one, for all that is known here.

    Of a chain its leftmost link says so.
    """
    part: object = learner.chain if isinstance(learner, ComplexMechanism) else learner
    if isinstance(part, AnyChain):
        part, state = part.links[0], state[0]
    says = getattr(part, "settled", None)
    return says is not None and bool(says(state))
