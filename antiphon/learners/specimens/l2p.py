"""Examples of L2P (lazy to private) for the self-check, and a broken twin that reuses a coin."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import ADVICE, LazyToPrivate
from antiphon.learners.experts.weighted import times
from antiphon.learners.l2p import ExponentialWeights, Printed, Repaired
from antiphon.learners.l2p.lazy_to_private import PairedExperts
from antiphon.learners.learner import Losses
from antiphon.numbers.exact import Log, exp
from antiphon.protocol import Coins, Pair, register, same
from antiphon.selfcheck.corpus import specimen
from antiphon.selfcheck.corpus.entry import Truth, saying
from antiphon.selfcheck.corpus.specimen import Example, Specimen


def specimens() -> Iterator[Specimen]:
    """The examples of L2P (lazy to private), with each accounting."""
    tail = Fraction(1, 1000)
    small: dict[str, Any] = {"rate": Log(Fraction(101, 100)), "horizon": 8}
    several = (
        of_two(horizon=8),
        of_two(horizon=8, batch=3, margin=1),
        of_two(rate=0.3, horizon=8, batch=2),
        of_two(**small, accounting=Printed(tail=tail)),
        of_two(**small, accounting=Repaired(tail=tail)),
    )
    examples = tuple(
        Example(each, specimen.NOT_LOSSES, finite=isinstance(each.measures.rate, Log))
        for each in several
    )
    honest, reused = (of_two(kind, rate=Log(2), fakes=0.01) for kind in (LazyToPrivate, Reused))
    # The advice is 1 and then 0.
    growth = math.exp(guarantee(honest).claim(delta=specimen.DELTA).parameters[0])
    known = Truth(math.log(1349 / 214), delta=2309 / 9600 - growth * 107 / 4800)
    asked = saying(
        "10 | 01, asked", [same(ADVICE), Pair(np.array([1, 0]), np.array([0, 1])), same(ADVICE)]
    )
    slip = "L2P that draws with the coin it stayed by"
    rows = specimen.derived("L2P", honest, slip, reused, asked, known, specimen.DELTA)
    yield Specimen(*examples, *specimen.slow(*rows))


def of_two(kind: type[PairedExperts] = LazyToPrivate, **changed: Any) -> PairedExperts:
    """A small L2P on exponential weights for two experts, by default, whose runs can be
    enumerated."""
    rate, experts = changed.pop("rate", Log(Fraction(11, 10))), changed.pop("experts", 2)
    weights = ExponentialWeights(experts=experts, rate=rate)
    parameters: dict[str, Any] = {"measures": weights, "horizon": 2, "fakes": Fraction(3, 10)}
    return kind(**parameters | changed)


# --- twins ----------------------------------------------------------------------------------------


@register("antiphon.corpus.Reused/1")
@attrs.frozen(kw_only=True)
class Reused(PairedExperts):
    """A broken L2P in which one uniform number V decides whether the followed expert is kept, and
    then also selects the new one.

    For ``rate=Log(…)``.
    """

    def _decided(
        self, pair: tuple[int, int], begun: tuple[int, int], scores: Losses, coins: Coins
    ) -> tuple[int, int]:
        x, y = pair
        stay = 1 / Fraction(exp(self._exponent(_gained(pair, begun, scores))))
        zero = self._chance(scores)
        ends = sorted({Fraction(0), stay, zero, Fraction(1)})
        widths = [high - low for low, high in itertools.pairwise(ends)]
        v = ends[coins.categorical(widths)]
        if not (v < stay and coins.bernoulli(1 - self.fakes)):
            x = int(v >= zero)
        if not coins.bernoulli(1 - self.fakes):
            y = self._drawn(scores, coins)
        return x, y

    def _chance(self, scores: Losses) -> Fraction:
        """The probability of the first of the two experts."""
        apart = int(scores[0]) - int(scores[1])
        ratio = Fraction(exp(times(self.unit, abs(apart))))
        return ratio / (1 + ratio) if apart > 0 else 1 / (1 + ratio)


def _gained(pair: tuple[int, int], begun: tuple[int, int], scores: Losses) -> int:
    x, y = (int(scores[each]) - mark for each, mark in zip(pair, begun, strict=True))
    return x - y
