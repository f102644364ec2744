"""The game of mistakes: samples (x, f*(x)) are told, and hypotheses answered; learners of it.

The class is Points(N) = {f⁽⁰⁾, …, f⁽ᴺ⁾} on the domain {0, …, N}: f⁽ⁱ⁾ is 1 at the point i and 0
elsewhere, and f⁽⁰⁾ is 0 everywhere, so every function is 0 at 0. A hypothesis is told by its index.
N = 1 is the class {f⁽⁰⁾, f⁽¹⁾} of two functions, whose index is the label of the point 1; N > 1 is
Point_N, with 0 for none of the points.

Source: Dmitriev, Szabó, Sanyal, *On the Growth of Mistakes in Differentially Private Online
Learning: A Lower Bound Perspective* (2024), where the sample (0, 0) is ⊥.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Generic, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.mechanisms import fields
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.chain import AnyChain
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.records.view import View
from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Signature, Space, Tuples
from antiphon.verifiers.models import EventLevel, event_level

Sample: TypeAlias = "tuple[int, int]"
"""(x, label)."""

BLANK: Final[Sample] = (0, 0)
"""⊥: the sample of which every hypothesis is right."""
HIT: Final[Sample] = (1, 1)
"""The sample of which f⁽⁰⁾, which everybody begins with, is wrong."""
FIRST: Final = 0
"""f̂₁, which is public: before any sample the hypothesis is f⁽⁰⁾."""
MOST_POINTS: Final = 1 << 12


def samples(points: int = 1) -> Space:
    """⊥ and (x, label) for x = 1, …, N: there is no sample (0, 1)."""
    if points == 1:
        return Finite((BLANK, (1, 0), HIT))
    return Either((Finite((BLANK,)), Tuples((Integers(1, points), BITS))))


def signature(points: int = 1) -> Signature:
    """Of a learner: a sample is answered by the index of a hypothesis."""
    asked = samples(points)
    return Signature(asked, Integers(0, points), asked)


def label(hypothesis: int, point: int) -> int:
    """f⁽ʰ⁾(x)."""
    return int(hypothesis == point != 0)


def mistaken(hypothesis: int, sample: Sample) -> bool:
    """Whether the hypothesis is wrong about the sample."""
    return label(hypothesis, sample[0]) != sample[1]


POINTS: Final = fields.at_most(MOST_POINTS, "merge points: a state has a count for each")

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
        return signature(self.points)

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


_SAMPLES: Final = Tuples((Integers(0), Integers(0, 1)))


@attrs.frozen(eq=False)
class Mistakes:
    """Of each round, whether its hypothesis was wrong about its sample."""

    wrong: NDArray[np.bool_] = attrs.field(repr=False)
    hypotheses: tuple[int, ...] = attrs.field(repr=False)
    """f̂₁, …, f̂_T."""

    @property
    def total(self) -> int:
        """M."""
        return int(self.wrong.sum())

    @property
    def curve(self) -> NDArray[np.int64]:
        """The mistakes after each round."""
        return np.cumsum(self.wrong, dtype=np.int64)


def mistakes_of(view: View) -> Mistakes:
    """The mistakes that a view of a learner shows: f̂_t, the answer to sample t-1, about sample t.

    Raises: InvalidArgument for a view of anything else than samples and hypotheses.

    >>> import antiphon as ap
    >>> from antiphon.mechanisms.learners.littlestone import Halving
    >>> view = ap.interact(ap.scripted([(0, 0), (1, 1), (1, 1)]), Halving(), seed=1)
    >>> mistakes_of(view).total, mistakes_of(view).curve.tolist()
    (1, [0, 1, 1])
    """
    hypothesis, told, wrong = FIRST, list[int](), list[bool]()
    for message, answer in zip(view.messages, view.answers, strict=True):
        if type(answer) is not int:
            raise InvalidArgument("these are mistakes of learners, which answer samples by indices")
        told.append(hypothesis)
        wrong.append(mistaken(hypothesis, _sample(message)))
        hypothesis = answer
    return Mistakes(np.array(wrong, np.bool_), tuple(told))


def _sample(message: object) -> Sample:
    if not _SAMPLES.contains(message):
        raise InvalidArgument("a sample is (x, label), two ints")
    found: Any = message
    return found[0], found[1]
