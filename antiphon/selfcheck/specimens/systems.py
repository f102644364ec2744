"""Examples ("specimens") of compositions and of multiplicative weights, for the self-check.

The learner creates mechanisms, and an echo publishes its hypothesis.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import numpy as np

from antiphon.composition import BasicFilter, Create, NaturalFilter, RenyiFilter, ResidueFilter
from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.filters import concentrated
from antiphon.composition.guarantees.guarantee import Certified, guarantee
from antiphon.composition.validity import fixed_mechanisms
from antiphon.mechanisms import Echo, LeakyBit, MultiplicativeWeights, RandomizedResponse
from antiphon.numbers.exact import Log
from antiphon.protocol import BOTTOM, HALT, TOP, Ask, Pair, Pure, same
from antiphon.protocol.spaces import Arrays, Either, Finite, Integers, Space
from antiphon.selfcheck.corpus.entry import Entry, Truth, saying
from antiphon.selfcheck.corpus.specimen import DELTA, Example, Link, Specimen, slow
from antiphon.selfcheck.corpus.targets.composed import LEAKY, THREE, TWO, agree, differ

BOTH: Final = (LeakyBit(delta=Fraction(1, 3)), RandomizedResponse(epsilon=Log(2)))
"""The two mechanisms from which each example of a composition is made."""
_ASKS: Final = Finite(tuple(Ask(bit, index) for bit in (0, 1) for index in (0, 1)))
_REAL: Final[Any] = 0.0
NOT_ASKS: Final = (0, (0, 0), Ask(0, -1), Ask(0, True), Ask(0, _REAL), same(Ask(0, 0)))


def specimens() -> Iterator[Specimen]:
    """The examples of compositions and of multiplicative weights."""
    yield _concomp()
    yield _extconcomp()
    certified = Certified(ExtConComp(), fixed_mechanisms(BOTH))
    yield Specimen(Example(certified, NOT_ASKS, queries=creating(BOTH[0]), finite=True))
    yield from _multiplicative_weights()


def creating(*mechanisms: Any) -> Space:
    """The space of messages to a composition: creations of given mechanisms, and questions."""
    return Either((*(Finite((Create(each),)) for each in mechanisms), _ASKS))


def _concomp() -> Specimen:
    fixed = ConComp((TWO, LEAKY))
    asked = saying("two questions", [*agree(1), *differ(0, 1)])
    return Specimen(
        Example(ConComp(BOTH), (*NOT_ASKS, Create(BOTH[0])), queries=_ASKS, finite=True),
        Entry("ConComp: RR ‖ M_δ", fixed, guarantee(fixed).claim(), (asked,),
              Truth(math.log(2), delta=0.1)),
    )  # fmt: skip


def _extconcomp() -> Specimen:
    basic = ExtConComp(budget=BasicFilter(epsilon=Log(3), delta=1))
    optimal = ExtConComp(budget=concentrated.WhitehouseFilter(epsilon=2, delta=0.5))
    return Specimen(
        Example(ExtConComp(), NOT_ASKS, queries=creating(BOTH[0]), finite=True),
        Example(basic, NOT_ASKS, queries=creating(*BOTH), finite=True),
        Example(optimal, NOT_ASKS, queries=creating(*BOTH), finite=True),
        *tuple(_filtered()),
    )


def _filtered() -> Iterator[Entry]:
    basic = ExtConComp(budget=BasicFilter(epsilon=Log(6)))
    asked = saying("RR refused the third time", [*map(same, (TWO, THREE, TWO)), *differ(0, 1, 2)])
    yield Entry("basic filter", basic, guarantee(basic).claim(), (asked,), Truth(math.log(6)))
    small = Create(RandomizedResponse(epsilon=Fraction(1, 4)))
    asked = saying("RR until refused", [*[same(small)] * 9, *differ(*range(9))])
    filters: dict[str, Any] = {
        "Whitehouse's filter": concentrated.WhitehouseFilter(epsilon=2, delta=DELTA),
        "Rogers' filter": concentrated.RogersFilter(epsilon=2, delta=DELTA),
        "concentrated filter": concentrated.ConcentratedFilter(rho=Fraction(1, 4)),
        "Rényi filter": RenyiFilter(order=8, budget=2),
        "Gaussian filter": concentrated.GaussianFilter(mu=Fraction(3, 4)),
        "residue filter": ResidueFilter(mu=Fraction(3, 4)),
        "natural filter": NaturalFilter(epsilon=2, delta=DELTA, claim=Pure(Fraction(1, 4))),
    }
    for name, budget in filters.items():
        limited = ExtConComp(budget=budget)
        yield Entry(name, limited, guarantee(limited).claim(delta=DELTA), (asked,))


def _multiplicative_weights() -> Iterator[Specimen]:
    """The specimens of multiplicative weights, and of ``Echo``, a mechanism that it creates."""
    yield Specimen(Example(Echo(), (True, 0.5, "1", HALT), finite=True))
    tried = MultiplicativeWeights(
        size=2, epsilon_each=1, updates=2, threshold=3, rate=0.5, step=0.5
    )
    counts, query = Arrays((2,), "int64", 0, 9), Arrays((2,), "float64", 0, 1, 0.5)
    link = Link(
        part=tried, right=ExtConComp(), queries=Either((query, counts)),
        answers=Either((Finite((TOP, BOTTOM)), Integers(-9, 9))), hops=6,
    )  # fmt: skip
    learner = MultiplicativeWeights(size=2, epsilon_each=1, updates=2, threshold=1, rate=0.5)
    system = ComplexMechanism(learner)
    rows, asked = Pair(np.array([4, 0]), np.array([3, 1])), same(np.array([1.0, 0.0]))
    player = saying("4, 0 | 3, 1, and three queries", [rows, *[asked] * 3])
    entry = Entry("multiplicative weights", system, guarantee(system).claim(), (player,))
    # Messages are arrays, so the interactions cannot run together as columns.
    yield Specimen(link, *slow(entry))
