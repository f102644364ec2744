# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Checks of HSS (CM Alg. 4, §7) for d = 1: the library's post-processor P with finite
sub-mechanisms.

Every sub-mechanism is finite and pure; its ε is its exact tight ε. f' is that of three fixed
mechanisms: the counter; all sparse vectors together and all Laplace tests together (k = 1 each,
Thm 5.2). By Thm 4.10 this gives Comp[RR] of the three ε, and Thm 6.1 lifts it to HSS.
"""

from collections.abc import Iterable
from functools import cache, partial

import attrs

from antiphon.composition import Certified, Create, ExtConComp, fixed_mechanisms, sparse_parallel
from antiphon.mechanisms.histograms.hss import TestedIntervals
from antiphon.mechanisms.histograms.intervals import Running, StreamInterval
from antiphon.mechanisms.histograms.queries import HistogramQuery
from antiphon.numbers.exact import Log
from antiphon.protocol import Approximate, Exchanged, Refused, Verification, read
from antiphon.selfcheck.theorems import finite
from antiphon.selfcheck.theorems.complex_mechanisms import lifted
from antiphon.selfcheck.theorems.theorem import Check, Evidence
from antiphon.verifiers import EachWithin, Within, bounded, event_level, neighbouring_start

ROUNDS = 3
CAP = 2
"""The cap of the query q(h) = min(h, CAP) of a count h; q is monotone and 1-sensitive."""
THRESHOLDS = (1, 2, 3)
EVENT: Verification = bounded(event_level(), ROUNDS)

SECTION = (7, 1)


def checks() -> Iterable[Check]:
    """The checks of HSS, with a broken twin."""
    name = f"HSS, d = 1, q = min(·, {CAP}), {ROUNDS} steps"
    row = Check("Thm 6.1, HSS", f"{name}; the interval that has ended is tested", _hss)
    yield row
    yield Check("Thm 6.1, HSS", f"{name}; as printed, the new h and c = 0 are tested",
                partial(_hss, printed=True))  # fmt: skip
    yield row.twin("it answers q of the true sum, and not of H's", tells=True)


# --- creations of the sub-mechanisms of HSS ------------------------------------------------


@attrs.frozen
class SameThresholds(Verification[object]):
    """The function f of a sparse vector: one message (x, Thresh) may differ, in x alone."""

    initial_state = EVENT.initial_state

    def step(self, state: object, zero: tuple[object, int], one: tuple[object, int], /) -> object:
        if zero[1] != one[1]:
            return Refused("the thresholds of a pair differ")
        return read(EVENT, state, zero, one)


@cache
def counter() -> Create:
    """The message that creates H: its messages, sums of intervals, may differ once, by 1."""
    f = bounded(event_level(EachWithin()), ROUNDS)
    return Create(finite.promised(finite.OneCount(ROUNDS, CAP), f, ROUNDS))


@cache
def sparse_vectors() -> tuple[Create, ...]:
    """The messages that create the sparse vectors SVT_{q,h}; each claims the largest of their ε."""
    f = SameThresholds()
    counts = (0,), (1,)
    made = [
        finite.FiniteAboveThreshold(3, base, CAP, THRESHOLDS, counts) for base in range(CAP + 1)
    ]
    tight = [finite.promised(each, f, ROUNDS).claims[0].parameters[0] for each in made]
    worst = max((Log(1) if not isinstance(e, Log) else e for e in tight), key=lambda e: e.argument)
    return tuple(Create(finite.claiming(each, Approximate(worst, 0), f)) for each in made)


@cache
def laplace() -> Create:
    """The message that creates the Laplace test, which adds noise once, to one query value q."""
    f = bounded(neighbouring_start(Within()), 1)
    return Create(finite.promised(finite.finite_laplace(CAP), f, 1))


@cache
def together(one: Create) -> Create:
    """The message that creates a composition of any number of copies of a mechanism, of which one
    copy may see a difference."""
    return Create(Certified(ExtConComp(), sparse_parallel([one.parameters]), truth="exact tight ε"))


# --- a finite HSS and its checks ------------------------------------------------------------


@attrs.frozen
class Capped(HistogramQuery):
    """The query q(h) = min(h, CAP) of a single count h."""

    def __call__(self, counts: tuple[int, ...]) -> int:
        return min(counts[0], CAP)

    def sensitivity(self, dimension: int) -> int:
        return 1


@attrs.frozen(kw_only=True)
class SmallHSS(TestedIntervals):
    """A finite HSS (CM Alg. 4): slacks γ = ξ = 1, Thresh at most 3, and finite sub-mechanisms.

    ``tells``: a broken twin, whose ``out`` is q of the true sum, and not of H's answer.
    """

    tells: bool = False

    @property
    def created(self) -> tuple[Create, ...]:
        return counter(), together(sparse_vectors()[0]), together(laplace())

    def sparse_vector(self, h: tuple[int, ...]) -> Create:
        return sparse_vectors()[min(h[0], CAP)]

    def laplace(self) -> Create:
        return laplace()

    def gamma(self, t: int, j: int) -> int:
        return 1

    def xi(self, t: int, j: int) -> int:
        return 1

    def threshold(self, interval: StreamInterval, t: int) -> int:
        return min(interval.raised + 1, THRESHOLDS[-1])

    def exchange(self, state: Running, x: tuple[int, ...]) -> Exchanged[Running]:
        after, answer = yield from self.algorithm_4(state, x)
        if self.tells and after.interval.number > state.interval.number:
            answer = self.query((state.c[0] + x[0],)), after.interval.number
            after = after._replace(interval=after.interval._replace(answer=answer))
        return after, answer

    def error_bound(self, t: int, j: int) -> int:
        raise NotImplementedError("no error bound is known for its figures")

    def most_intervals(self, largest: int) -> int:
        return largest + 1


def _hss(*, printed: bool = False, tells: bool = False) -> Evidence:
    """Evidence on HSS: its three properties, and its δ against Comp[RR] of three ε (Thm 6.1)."""
    hss = SmallHSS(epsilon=1, query=Capped(), dimension=1, printed=printed, tells=tells)
    parameters = [each.parameters for each in hss.created]
    inner, queries = fixed_mechanisms(hss.created), ((0,), (1,))
    return lifted(hss, EVENT, inner, parameters, ROUNDS, 9 * ROUNDS, queries)
