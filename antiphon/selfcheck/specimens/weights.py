"""A hypothesis that is learned, and the echo that publishes it."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.mechanisms.multiplicative_weights.hypothesis import Echo
from antiphon.mechanisms.multiplicative_weights.mechanism import MultiplicativeWeights
from antiphon.protocol.messages import BOTTOM, HALT, TOP, Pair, same
from antiphon.protocol.spaces import Arrays, Either, Finite, Integers
from antiphon.selfcheck.corpus.entry import Entry
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.specimen import Example, Link, Specimen


def specimens() -> Iterator[Specimen]:
    """Multiplicative weights, and what they create."""
    yield Specimen(Echo, (Example(Echo(), (True, 0.5, "1", HALT), finite=True),))
    tried = MultiplicativeWeights(
        size=2, epsilon_each=1, updates=2, threshold=3, rate=0.5, step=0.5
    )
    counts, query = Arrays((2,), "int64", 0, 9), Arrays((2,), "float64", 0, 1, 0.5)
    link = Link(
        part=tried, right=ExtConComp(), queries=Either((query, counts)),
        answers=Either((Finite((TOP, BOTTOM)), Integers(-9, 9))), hops=6,
    )  # fmt: skip
    yield Specimen(MultiplicativeWeights, (link,), (_audited(),))


def _audited() -> Entry:
    learner = MultiplicativeWeights(size=2, epsilon_each=1, updates=2, threshold=1, rate=0.5)
    system = ComplexMechanism(learner)
    rows, query = Pair(np.array([4, 0]), np.array([3, 1])), same(np.array([1.0, 0.0]))
    player = saying("4, 0 | 3, 1, and three queries", [rows, *[query] * 3])
    entry = Entry("multiplicative weights", system, guarantee(system).claim(), (player,))
    return attrs.evolve(entry, samples=4_000, thorough=8_000)  # arrays, one interaction at a time
