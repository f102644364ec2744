"""Examples of selection mechanisms and of randomized responses, for the self-check."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.mechanisms import (
    ExposedResponse,
    KaryResponse,
    LeakyBit,
    RandomizedResponse,
    randomized_response,
)
from antiphon.mechanisms.noise import selection
from antiphon.mechanisms.noise.selection import ExponentialMechanism, PermuteAndFlip, ReportNoisyMax
from antiphon.numbers.exact import Log
from antiphon.protocol import Integers, Pair, Signature, Status, column_safe, register, same
from antiphon.selfcheck.corpus.entry import Entry, Truth, at_once, saying
from antiphon.selfcheck.corpus.specimen import (
    DELTA,
    NOT_BITS,
    Example,
    Specimen,
    as_claimed,
    beside,
    broken,
    numbers,
)
from antiphon.selfcheck.corpus.targets.composed import LastMessageOnly
from antiphon.selfcheck.corpus.targets.neighbours import claimed

_NOT_SCORES: Final = (
    0, (0, 1), (0, 1, 2, 3), (0, 1, True), (0, 1, 2.0), np.array([0, 1, 2]), [0, 1, 2]
)  # fmt: skip


_NOT_ROWS: Final = (
    (0, 1), [0, 1], np.array([0, 1, 2]), np.array([0.0, 1.0]), np.array([0, 1], np.int32), None
)  # fmt: skip


def specimens() -> Iterator[Specimen]:
    """The examples of randomized responses, of M_δ, and of selection mechanisms."""
    yield _randomized_response()
    yield from _weak_responses()
    yield _kary_response()
    yield from _exponential_mechanisms()
    yield _report_noisy_max()


def _randomized_response() -> Specimen:
    response = RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 7))
    surer = RandomizedResponse(epsilon=Log(9), delta=Fraction(1, 7))
    asked = saying("0 | 1", [Pair(0, 1)])
    return Specimen(
        Example(response, NOT_BITS, finite=True),
        Example(RandomizedResponse(epsilon=0.5), NOT_BITS, finite=True),
        # The twin's δ at ε = ln 3 is 1/7, where the bit is revealed, plus 6/7·(9 - 3)/10 from its
        # RR_{ln 9}.
        *beside("randomized response", response, Truth(math.log(3), delta=1 / 7),
                "randomized response that lies too rarely", surer,
                Truth(math.log(9), delta=23 / 35), asked),
    )  # fmt: skip


def _weak_responses() -> Iterator[Specimen]:
    """The specimens of M_δ and M_{p,E}, from the counterexamples on sparse composition."""
    leaky, differ = LeakyBit(delta=DELTA), Pair(0, 1)
    asked = saying("00 | 01", [same(0), differ])
    (false,) = claimed(
        LastMessageOnly(randomized_response.TWO_BITS),
        Status.REFUTED,
        "checks one pair",
        epsilon=0,
        delta=DELTA,
    )
    often = saying("000000 | 000001", [*[same(0)] * 5, differ])
    forgets = Truth(math.inf, delta=1 - 0.9**5)
    yield Specimen(
        *(Example(LeakyBit(delta=delta), NOT_BITS, finite=True) for delta in (Fraction(1, 3), 1)),
        as_claimed("M_δ", leaky, asked, Truth(0.0, delta=0.1)),
        Entry("M_δ, V checks only the last message", leaky, false, (often,), forgets),
    )
    exposed = ExposedResponse(probability=Fraction(1, 4), epsilon=Log(3))
    surer = ExposedResponse(probability=Fraction(1, 4), epsilon=Log(9))
    yield Specimen(
        Example(exposed, NOT_BITS, finite=True),
        Example(ExposedResponse(probability=1, epsilon=0.5), NOT_BITS, finite=True),
        *beside("M_{p,E}", exposed, Truth(math.log(3)), "M_{p,E} whose response lies too rarely",
                surer, Truth(math.log(9)), asked),
    )  # fmt: skip


@register("antiphon.corpus.TruthfulLies/1")
@column_safe
@attrs.frozen(kw_only=True)
class TruthfulLies(randomized_response.OneOfMany):
    """A broken k-ary response: its lie is uniform on all k values, so it may be the true value.

    Refuted: the truth has probability t + (1 - t)/k in place of the t that the claim needs.
    """

    def respond(self, dataset: int, coins: Any) -> int:
        if coins.bernoulli(self.truth):
            return dataset
        lie: int = coins.uniform_integer(self.values)
        return lie


def _kary_response() -> Specimen:
    honest = KaryResponse(epsilon=Log(3), values=4)
    lies = TruthfulLies(epsilon=Log(3), values=4)
    return Specimen(
        Example(honest, (4, -1, True, 0.0, None), finite=True),
        Example(KaryResponse(epsilon=0.1, values=2), NOT_BITS, finite=True),
        Example(KaryResponse(epsilon=0.1, values=1000), (1000, -1, True, 0.0)),
        *beside("k-ary response", honest, Truth(math.log(3)),
                "k-ary response whose lie may be true", lies, Truth(math.log(5)), numbers(2, 0)),
    )  # fmt: skip


def _exponential_mechanisms() -> Iterator[Specimen]:
    apart = numbers((1, 0, 0, 0, 0), (0, 1, 1, 1, 1))
    choosing = ExponentialMechanism(epsilon=1, candidates=5)
    twice = ExponentialMechanism(epsilon=2, candidates=5)
    yield Specimen(
        Example(ExponentialMechanism(epsilon=Log(9), candidates=3), _NOT_SCORES, finite=True),
        Example(ExponentialMechanism(epsilon=0.5, candidates=3), _NOT_SCORES),
        Example(ExponentialMechanism(epsilon=Log(9), candidates=2, arrays=True), _NOT_ROWS,
                finite=True),
        Example(ExponentialMechanism(epsilon=0.5, candidates=2, arrays=True, monotone=True),
                _NOT_ROWS),
        *beside("exponential mechanism", choosing, Truth(_exponential(1)),
                "exponential mechanism, scores not halved", twice, Truth(_exponential(2)),
                apart),
        *_in_arrays(),
    )  # fmt: skip
    flipping = PermuteAndFlip(epsilon=1, candidates=5)
    yield Specimen(
        Example(PermuteAndFlip(epsilon=Log(9), candidates=3), _NOT_SCORES, finite=True),
        Example(PermuteAndFlip(epsilon=0.5, candidates=3, sensitivity=4), _NOT_SCORES),
        as_claimed("permute and flip", flipping, apart),
    )


def _in_arrays() -> Iterator[Entry]:
    """Corpus entries of the exponential mechanism on arrays, one wrongly declared monotone."""
    apart = numbers(np.array([1, 0, 0, 0, 0]), np.array([0, 1, 1, 1, 1]))
    choosing = ExponentialMechanism(epsilon=1, candidates=5, arrays=True)
    one_way = ExponentialMechanism(epsilon=1, candidates=5, arrays=True, monotone=True)
    up = numbers(np.zeros(5, np.int64), np.array([1, 0, 0, 0, 0]))
    yield as_claimed("exponential mechanism on arrays", choosing, apart, Truth(_exponential(1)))
    yield as_claimed("exponential mechanism, monotone", one_way, up, Truth(_one_up(1)))
    yield broken("exponential mechanism, monotone, but scores go both ways", one_way,
                 choosing.claims[0], apart, Truth(_exponential(2)))  # fmt: skip


def _one_up(epsilon: float) -> float:
    """The true ε of a ``monotone`` exponential mechanism if one of five equal scores rises."""
    up = math.exp(epsilon)
    return max(math.log(5 * up / (up + 4)), math.log((up + 4) / 5))


def _exponential(epsilon: float) -> float:
    """The true ε of an exponential mechanism if one of five scores falls and the others rise."""
    up = math.exp(epsilon / 2)
    return math.log(up * (1 + 4 * up) / (up + 4))


@register("antiphon.corpus.NoisyMaxValue/1")
@column_safe
@attrs.frozen(kw_only=True)
class NoisyMaxValue(selection.ByNoisyScores):
    """A broken report noisy max: it answers the largest noisy score in place of its index.

    Refuted: with k candidates a low value v has probability ∝ e^(kv/scale), so scores that all
    go up by 1 make it e^(kε/2) times less likely.
    """

    @property
    def signature(self) -> Signature:
        scores = selection.ByNoisyScores.signature.fget(self).queries  # type: ignore[attr-defined]
        return Signature(scores, Integers(), scores)

    def respond(self, dataset: tuple[int, ...], coins: Any) -> int:
        noises = coins.discrete_laplaces(self.scale, self.candidates)
        best: int = dataset[0] + noises[0]
        for score, noise in zip(dataset[1:], noises[1:], strict=True):
            best = max(best, score + noise)
        return best


def _report_noisy_max() -> Specimen:
    largest = ReportNoisyMax(epsilon=1, candidates=5)
    told = NoisyMaxValue(epsilon=1, candidates=5)
    apart = numbers((1, 0, 0, 0, 0), (0, 1, 1, 1, 1))
    return Specimen(
        Example(ReportNoisyMax(epsilon=0.5, candidates=3), _NOT_SCORES),
        as_claimed("report noisy max", largest, apart, Truth(), *at_once(5)),
        broken("report noisy max that tells the value", told, largest.claims[0],
               numbers((1,) * 5, (0,) * 5), Truth(2.5)),
    )  # fmt: skip
