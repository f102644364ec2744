"""The privacy cost to a counter of differences that alternate, +1, -1, +1, …: they cost less than
as many arbitrary differences.

**Theorem.** Let a counter release Cx + z for Gaussian z, with C lower-triangular Toeplitz and
c_0 >= c_1 >= … >= 0, and be ρ-zCDP w.r.t. one update that differs by 1. Then it is nρ-zCDP w.r.t.
updates that differ by +1 and -1 in turn, n in all, and 2nρ-zCDP if the running sum of differences
may cross zero. *Proof.* The inner product of columns i < j of C is Σ_m c_m c_{m+j-i}: at least 0,
and it falls as j grows, since the sum is cut and its factors fall. Let v be ±1 in turn at the n
times i_1 < i_2 < …. Then ‖Cv‖² = Σ_m ‖C e_{i_m}‖² + 2 Σ_m (-G_{m,m+1} + G_{m,m+2} - …), and each
bracket is at most 0, as an alternating sum of falling terms that begins with a minus. So
‖Cv‖² <= n‖C‖². If the running sum V crosses zero, it is V⁺ - V⁻, whose changes alternate each,
n⁺ + n⁻ = n, and ‖Cv‖ <= (√n⁺ + √n⁻)‖C‖ <= √(2n)‖C‖. The rest is the proof of ``correlated``, whose
bound holds on every path, however the differences are chosen. ∎ Where inner products do not fall
this is false: the root of 1 + x + … + x^(W-1) has 2.31‖C‖² for +1 and -1 at a distance of W = 10.

For any other counter n alternating differences are n events, by group privacy.
"""

import math
from fractions import Fraction
from typing import Final, TypeAlias, Union

import numpy as np

from antiphon.composition import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.accounting.bounds import group_curve, of_measure
from antiphon.composition.guarantees.rulebook import GROUP, Inquiry, Steps, rule
from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter
from antiphon.mechanisms.counters.counter import QUERIES
from antiphon.mechanisms.counters.square_root import SquareRootCounter, coefficients
from antiphon.mechanisms.distinct.presence_counter import PresenceCounter
from antiphon.numbers import exact, shown_up
from antiphon.protocol import Mechanism, ZeroConcentrated, identical, message_label
from antiphon.verifiers import AlternatingDifferences, Within, event_level, updates_and_queries
from antiphon.verifiers.models import UpdatesAndQueries

_FINE: Final = 1 << 30
THEOREM: Final = "alternating differences (antiphon.mechanisms.distinct.alternating_cost)"
Toeplitz: TypeAlias = Union[SquareRootCounter, BufferedToeplitzCounter]
_TOEPLITZ: Final[tuple[type[Mechanism], ...]] = (SquareRootCounter, BufferedToeplitzCounter)


def falls(counter: Toeplitz) -> bool:
    """Whether the coefficients c_0, c_1, … of a counter's factor C fall and are never negative."""
    if isinstance(counter, SquareRootCounter):
        return bool(np.all(np.diff(coefficients(counter.horizon)) <= 0))
    weights, poles = counter.buffers.weights, np.array(counter.buffers.poles)
    return bool(np.all(weights >= 0) and weights.sum() <= 1 and np.all((poles > 0) & (poles < 1)))


def cost(counter: Toeplitz, f: AlternatingDifferences) -> Fraction:
    """The ρ, rounded up, of a counter w.r.t. alternating differences, by the module's theorem."""
    shares = Fraction(f.changes * (2 if f.crossing else 1)) / counter.distance**2
    if counter.events > 1:
        norm, horizon = counter._group_norm, counter.horizon  # pyright: ignore[reportPrivateUsage]
        norms = [norm(each, horizon) for each in (1, counter.events)]
        shares *= Fraction(math.ceil(norms[0] / norms[1] * _FINE) + 1, _FINE)
    return counter.rho * shares if shares >= 1 else _small(counter, shares)


def _small(counter: Toeplitz, shares: Fraction) -> Fraction:
    """The ρ of a counter w.r.t. differences that are smaller than its claim allows: ``shares`` < 1
    times the claim's ρ, plus terms for rounding, which does not shrink."""
    error = 1 + 2 * counter._feedback_error()  # pyright: ignore[reportPrivateUsage]
    rounding = Fraction(error * math.sqrt(counter.horizon) / counter.resolution)
    moved = exact.root_up(shares) * exact.root_up(2 * counter.rho) + rounding
    return min(counter.rho, Fraction(math.ceil(moved**2 / 2 * _FINE) + 1, _FINE))


@rule(THEOREM, *_TOEPLITZ, about=UpdatesAndQueries)
def by_falling_columns(system: Mechanism, f: UpdatesAndQueries, inquiry: Inquiry) -> Steps:
    """The guarantee of a Toeplitz counter w.r.t. alternating differences; None where the module's
    theorem does not apply, as for normalised columns or updates that are vectors."""
    assert isinstance(system, SquareRootCounter | BufferedToeplitzCounter)
    asked, rho = f.updates, system.rho
    plain = not (system.clip or system.users or system.normalised) and system.dimension is None
    if type(asked) is not AlternatingDifferences or not identical(f.queries, QUERIES) or not plain:
        return None
    if not falls(system):
        return None
    known = yield inquiry.of(system, None)
    measure = ZeroConcentrated(cost(system, asked))
    crosses = " and cross zero" if asked.crossing else ""
    premises = (
        Premise("the coefficients of C are at least 0 and fall", Mark.CHECKED),
        Premise(f"updates differ by +1 and -1 in turn, by {asked.changes} in all{crosses}",
                Mark.ENFORCED, "by V[f]"),
    )  # fmt: skip
    return Derivation(
        THEOREM, lambda: f"{shown_up(measure.rho)}-zCDP, where one event costs {shown_up(rho)}", f,
        of_measure(measure), premises, (known,), (measure,),
    )  # fmt: skip


@rule(THEOREM, PresenceCounter, about=UpdatesAndQueries)
def by_intervals(system: PresenceCounter, f: UpdatesAndQueries, inquiry: Inquiry) -> Steps:
    """The guarantee of a PresenceCounter for neighbours whose counts differ in k intervals, each of
    at most W updates: k²ρ-zCDP, as the norms of k differences add up.

    Raises: NoGuarantee for an interval that may last longer, or for ever.
    """
    asked = f.updates
    if type(asked) is not AlternatingDifferences or not identical(f.queries, QUERIES):
        return None
    known = yield inquiry.of(system, None)
    if asked.within is None or asked.within > system.window:
        raise NoGuarantee(
            THEOREM, f"differences that end after {system.window:,} updates",
            f"f is {message_label(f)}", "count with a BufferedToeplitzCounter instead",
        )  # fmt: skip
    intervals = -(-asked.changes // 2)
    measure = ZeroConcentrated(system.rho * intervals**2)
    text = f"at most {intervals} intervals of at most {system.window:,} updates differ"
    premises = (Premise(text, Mark.ENFORCED, "by V[f]"),)
    return Derivation(
        THEOREM, f"norms add up: {intervals}² times", f, of_measure(measure), premises,
        (known,), (measure,),
    )  # fmt: skip


@rule(THEOREM, about=UpdatesAndQueries)
def by_events(system: Mechanism, f: UpdatesAndQueries, inquiry: Inquiry) -> Steps:
    """The guarantee of any counter w.r.t. n alternating differences: that w.r.t. n events."""
    asked = f.updates
    if type(asked) is not AlternatingDifferences:
        return None
    events = 1 if asked.crossing else asked.changes
    wider = updates_and_queries(event_level(Within(1), events=events), f.queries)
    known = yield inquiry.of(system, wider)
    text = f"{asked.changes} units of change, each of one update by 1"
    premises = (Premise(text, Mark.ENFORCED, "by V[f]"),)
    if not asked.crossing:
        return known.carried(THEOREM, "they are events like any others", premises, f)
    curve = group_curve(known.curve, asked.changes)
    return Derivation(GROUP, "hybrids change one unit each", f, curve, premises, (known,))
