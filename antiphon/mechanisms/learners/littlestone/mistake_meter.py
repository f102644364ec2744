"""Mistakes, read off a view."""

from __future__ import annotations

from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.littlestone.samples import FIRST, Sample, mistaken
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.records.view import View
from antiphon.protocol.spaces import Integers, Tuples

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
