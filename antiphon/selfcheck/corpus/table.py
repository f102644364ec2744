"""The audit corpus as a whole: standard targets, this library's own targets, and its mechanisms.

The standard targets are those of Lyu, Su and Li (2017), StatDP (Ding et al. 2018) and DP-Sniper
(Bichsel et al. 2021), at ε₀ = 0.1; their true ε are computed by quadrature (``tests``).
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import attrs

from antiphon.mechanisms.noise.continuous import Laplace
from antiphon.protocol import ContinualMechanism, Pair
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth, at_once, one_by_one, saying
from antiphon.selfcheck.corpus.specimen import as_claimed, numbers, specimens
from antiphon.selfcheck.corpus.targets import floats, interactive, one_answer
from antiphon.selfcheck.corpus.targets.composed import composition_targets
from antiphon.selfcheck.corpus.targets.sparse_vectors import SparseVectorVariant


def own_targets() -> Iterator[Entry]:
    """This library's own corpus entries: filters, Gaussian noise, and compositions."""
    prices = [Pair((growth, 0), (growth, 1)) for growth in (2, 2, 3)]
    right, late = interactive.ResponseFilter(), interactive.ResponseFilter(late=True)
    yield as_claimed("filter", right, saying("ln 2, ln 3", prices[1:]), Truth(math.log(6)))
    asked = saying("ln 2, ln 2, ln 3", prices)
    yield as_claimed("filter that charges after running", late, asked, Truth(math.log(12)))
    noise, wrong = interactive.GaussianNoise(), interactive.GaussianNoise(takes_variance=True)
    player = saying("0 | Δ", [Pair(0.0, float(noise.sensitivity))])
    ratio = noise.sigma / noise.sensitivity
    truth = Truth(1.0, delta=interactive.gaussian_delta(ratio))
    yield as_claimed("Gaussian noise", noise, player, truth)
    truth = Truth(delta=interactive.gaussian_delta(ratio * wrong.sigma))
    yield as_claimed("Gaussian noise of standard deviation σ²", wrong, player, truth)
    yield from composition_targets()


@cache
def corpus() -> tuple[Entry, ...]:
    """All entries of the corpus, those with a true claim and the broken ones."""
    costs = (attrs.evolve(entry, **_COSTS.get(entry.name, {})) for entry in standard_targets())
    ours = (row for specimen in specimens() for row in specimen.rows)
    return (*costs, *own_targets(), *ours)


_COSTS: dict[str, dict[str, Any]] = {
    "NoisyMax3": {"samples": 4_000_000, "thorough": 96_000_000},
    "NoisyMax4": {"samples": 2_000_000, "thorough": 8_000_000},
    "SVT3": {"samples": 40_000_000, "thorough": 40_000_000, "score": "counts"},
    "SVT4": {"samples": 16_000_000, "thorough": 96_000_000},
    "SVT6": {"samples": 2_000_000, "thorough": 48_000_000},
    "numeric SVT": {"score": "places"},
    "one-time RAPPOR": {"thorough": 12_000_000},
    "PrefixSum": {"samples": 400_000, "thorough": 24_000_000},
}
"""The audit options of standard targets that need more samples, or another score, than others."""


def _entry(
    name: str,
    system: ContinualMechanism,
    players: tuple[Player, ...],
    truth: Truth,
    goal: float | None = None,
    claim: int = 0,
) -> Entry:
    return Entry(name, system, system.claims[claim], players, truth, goal=goal)


_SPARSE_VECTOR = {
    "1": ("SVT1", Truth(0.0885, 0.0885), None),
    "2": ("SVT2", Truth(0.0882, 0.0882), None),
    "3": ("SVT3", Truth(0.5, 0.1975), None),
    "4": ("SVT4", Truth(0.1725, 0.1725), 0.165),
    "5": ("SVT5", Truth(math.inf, 1.7627), 1.7),
    "6": ("SVT6", Truth(0.42, 0.2828), 0.27),
}


def standard_targets() -> Iterator[Entry]:
    """The standard targets: noise, report noisy max, sparse vectors, RAPPOR, sums, float noise."""
    laplace = Laplace(epsilon=0.1)
    players: tuple[Player, ...] = (numbers(1.0, 0.0), numbers(1.0, 2.0))
    yield _entry("Laplace", laplace, players, Truth(0.1, 0.1))
    counts = (numbers(1, 0), numbers(1, 2), numbers(4, 5))
    yield _entry("truncated geometric", floats.TruncatedGeometric(), counts, Truth(math.log(9 / 8)))
    histograms = at_once(5, most=2)
    yield _entry("NoisyHist1", one_answer.NoisyHistogram(), histograms, Truth(0.1, 0.1))
    inverted = one_answer.NoisyHistogram(inverted=True)
    yield _entry("NoisyHist2", inverted, histograms, Truth(10.0, 4.604), goal=4.6)
    players = at_once(5)
    yield _entry("NoisyMax1", one_answer.NoisyMax(), players, Truth(0.0946, 0.0946))
    yield _entry("NoisyMax2", one_answer.NoisyMax(exponential=True), players, Truth(0.1, 0.1))
    value = one_answer.NoisyMax(tells_value=True)
    yield _entry("NoisyMax3", value, players, Truth(0.25, 0.25), goal=0.244)
    value = one_answer.NoisyMax(tells_value=True, exponential=True)
    yield _entry("NoisyMax4", value, players, Truth(math.inf, 0.3557), goal=0.346)
    players = one_by_one(10)
    for algorithm, (name, truth, goal) in _SPARSE_VECTOR.items():
        system = SparseVectorVariant(algorithm, threshold=0.5 if algorithm == "1" else 1)
        yield _entry(name, system, players, truth, goal)
    yield _entry("numeric SVT", SparseVectorVariant("numeric", count=2), players, Truth())
    onward = SparseVectorVariant("never halts", epsilon=1)
    yield _entry("SVT1 that goes on after ⊤, ε = 1", onward, players, Truth(2.2421, 1.4190))
    opposite = (saying("10 | 01", [Pair(1, 0), Pair(0, 1)]),)
    five = SparseVectorVariant("5", epsilon=1, threshold=0.5)
    yield _entry("SVT5, ε = 1", five, opposite, Truth(math.inf, delta=0.2212))
    six = SparseVectorVariant("6", epsilon=1, threshold=0.5)
    yield _entry("SVT6, ε = 1", six, players[-1:], Truth(delta=0.1229))
    often = one_answer.Rappor(f=Fraction(3, 4), p=Fraction(9, 20), q=Fraction(11, 20))
    # The Bloom filters of these pairs of values differ in 4, 6 and 8 bits, the most that is
    # possible.
    players = (numbers(1, 0), numbers(1, 2), numbers(3, 4))
    yield _entry("RAPPOR", often, players, Truth(0.4001))
    once = one_answer.Rappor(f=Fraction(19, 20))
    yield _entry("one-time RAPPOR", once, players, Truth(0.8007), goal=0.595)
    players = (numbers(1, 0), numbers(1, 2))
    yield _entry("parallel Laplace", one_answer.ParallelLaplace(), players, Truth(0.1, 0.0572))
    stream = one_by_one(10)
    yield _entry("PrefixSum, one q differs", one_answer.PrefixSum(), stream[:2], Truth(0.1, 0.1))
    yield _entry("PrefixSum", one_answer.PrefixSum(), stream, Truth(1.0, 0.7557), goal=0.7, claim=1)
    players = (numbers(1, 0), numbers(1, 2))
    textbook = _entry(
        "float-bits Laplace", floats.TextbookLaplace(), players, Truth(math.inf), goal=0.25
    )
    yield attrs.evolve(textbook, feature=floats.trailing_bits)
    yield _entry("snapping", floats.Snapping(), players, Truth())
