"""Mechanisms of the library, each with one slip that breaks its claim."""

from __future__ import annotations

from operator import add
from typing import Any

import attrs

from antiphon.mechanisms.counters import BufferedToeplitzCounter
from antiphon.mechanisms.histograms import HistogramQuery, HSSWithoutTest
from antiphon.mechanisms.histograms.intervals import Running
from antiphon.mechanisms.noise.selection import ReportNoisyMax
from antiphon.mechanisms.randomized_response import KaryResponse
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.post_processor import Side
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Integers, Signature


@register("antiphon.corpus.NoisyMaxValue/1")
@column_safe
@attrs.frozen(kw_only=True)
class NoisyMaxValue(ReportNoisyMax):
    """Report noisy max that tells the largest noisy score, not whose it is.

    Refuted: with k candidates a low value v has probability ∝ e^(kv/scale), so scores that all
    go up by 1 make it e^(kε/2) times less likely.
    """

    @property
    def signature(self) -> Signature:
        scores = ReportNoisyMax.signature.fget(self).queries  # type: ignore[attr-defined]
        return Signature(scores, Integers(), scores)

    def respond(self, dataset: tuple[int, ...], coins: Any) -> int:
        noises = coins.discrete_laplaces(self.scale, self.candidates)
        best: int = dataset[0] + noises[0]
        for score, noise in zip(dataset[1:], noises[1:], strict=True):
            best = max(best, score + noise)
        return best


@register("antiphon.corpus.TruthfulLies/1")
@column_safe
@attrs.frozen(kw_only=True)
class TruthfulLies(KaryResponse):
    """k-ary response whose lie is uniform on all values, so that it may be the truth.

    Refuted: the truth is told with probability t + (1 - t)/k, not t.
    """

    def respond(self, dataset: int, coins: Any) -> int:
        if coins.bernoulli(self.truth):
            return dataset
        lie: int = coins.uniform_integer(self.values)
        return lie


@register("antiphon.corpus.OneSensitiveTotal/1")
@attrs.frozen
class OneSensitiveTotal(HistogramQuery):
    """The sum of all counts: promises to be 1-sensitive, and an update of d bits moves it by d."""

    def __call__(self, counts: tuple[int, ...]) -> int:
        return sum(counts)


@register("antiphon.corpus.NoiselessHSS/1")
@attrs.frozen(kw_only=True)
class NoiselessHSS(HSSWithoutTest):
    """HSS that takes the sums of its intervals as they are, where H's answer belongs.

    Refuted: what it answers after the first interval is the exact value.
    """

    def _after_histogram(self, state: Running, message: Any) -> tuple[Running, Side, Any]:
        return self._next(state, tuple(map(add, state.interval.h, state.c)), 0)


@register("antiphon.corpus.ColumnsFromTheEnd/1")
@attrs.frozen(kw_only=True, repr=False)
class ColumnsFromTheEnd(BufferedToeplitzCounter):
    """Normalised columns, their norms taken in the wrong order: as if the first were the shortest.

    Refuted: the noise of the first update is too small by the norm of its whole column, while
    the claim is kept. For horizons of one block.
    """

    def divisors(self, block: int) -> list[float]:
        return BufferedToeplitzCounter.divisors(self, block)[::-1]
