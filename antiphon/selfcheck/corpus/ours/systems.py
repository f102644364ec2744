"""What the library composes mechanisms by, each with its own guarantee."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from antiphon.composition.concurrent import ConComp, ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.filters import (
    BasicFilter,
    ConcentratedFilter,
    RogersFilter,
    WhitehouseFilter,
)
from antiphon.composition.filters.budget import Budget
from antiphon.composition.guarantees import guarantee
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers.exact import Log
from antiphon.protocol.messages import same
from antiphon.selfcheck.corpus.entry import Entry, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.ours.answers import DELTA
from antiphon.selfcheck.corpus.targets.composed import LEAKY, THREE, TWO, agree, differ


def systems() -> Iterator[Entry]:
    """Fixed compositions, and those that a filter limits."""
    fixed = ConComp((TWO, LEAKY))
    asked = saying("two questions", [*agree(1), *differ(0, 1)])
    yield Entry("ConComp: RR ‖ M_δ", fixed, guarantee(fixed).claim(), (asked,),
                Truth(math.log(2), delta=0.1))  # fmt: skip
    basic = ExtConComp(budget=BasicFilter(epsilon=Log(6)))
    asked = saying("RR refused the third time", [*map(same, (TWO, THREE, TWO)), *differ(0, 1, 2)])
    yield Entry("basic filter", basic, guarantee(basic).claim(), (asked,), Truth(math.log(6)))
    small = Create(RandomizedResponse(epsilon=Fraction(1, 4)))
    asked = saying("RR until refused", [*[same(small)] * 9, *differ(*range(9))])
    filters: dict[str, Budget] = {
        "Whitehouse's filter": WhitehouseFilter(epsilon=2, delta=DELTA),
        "Rogers' filter": RogersFilter(epsilon=2, delta=DELTA),
        "concentrated filter": ConcentratedFilter(rho=Fraction(1, 4)),
    }
    for name, budget in filters.items():
        limited = ExtConComp(budget=budget)
        yield Entry(name, limited, guarantee(limited).claim(delta=DELTA), (asked,))
