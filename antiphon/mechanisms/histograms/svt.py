"""The sparse vector technique on a histogram that grows (CM §7, Algorithm 3), for HSS."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from operator import add
from typing import NamedTuple, TypeAlias

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.histograms.queries import HistogramQuery, one_sensitive
from antiphon.mechanisms.sparse_vector import AboveThreshold, SparseState, Told
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.named import set_derived
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Pure
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import BOTTOM, HALT, TOP
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Finite, Integers, Signature, Tuples
from antiphon.verifiers.models import EventLevel, event_level
from antiphon.verifiers.relations import OnlyEntry

Step: TypeAlias = tuple[tuple[int, ...], int]
"""(x, Thresh)."""


@register("antiphon.HistogramState/1", state=True)
class HistogramState(NamedTuple):
    """The histogram, and the state of AboveThreshold."""

    counts: tuple[int, ...]
    inner: SparseState


def _histogram(value: Iterable[int]) -> tuple[int, ...]:
    counts = tuple(value)
    if not counts or not all(type(each) is int for each in counts):
        raise InvalidArgument("histogram is a tuple of one or more ints, such as (0, 0)")
    fields.check_size(len(counts), "dimension", fields.ITEMS)
    return counts


@register("antiphon.HistogramSVT/1")
@column_safe(of="query")
@attrs.frozen(kw_only=True)
class HistogramSVT(ContinualMechanism[HistogramState, Step, Told]):
    """SVT_{ε/2,q,h}: adds each x to the histogram h and asks whether q(h) is above a threshold.

    (x, Thresh) -> ⊤ if q(h + x) + ν > Thresh + τ (strictly, as printed; a tie is ⊥), else ⊥;
    HALT after the ⊤. x is a tuple of d bits, Thresh an int (⌊Thresh⌋ of a real one asks the same);
    ``histogram`` is the h it begins with, of d counts. τ has scale 2/ε and ν 4/ε, both
    discrete Laplace: ``AboveThreshold`` on the values q(h) - Thresh.
    Privacy: ε-DP w.r.t. event level: streams that differ in one x, the thresholds being the same.
    From that x on the histograms differ by a vector of {-1, 0, 1}^d, so the values by 1 at most,
    as ``AboveThreshold`` asks; proved, for queries of this library. Not first-pair consistent,
    so of the parallel theorems only CM Thm 5.2 (δ = 0) applies.
    Source: CM Algorithm 3, Lemma 7.3, whose ε' is ε/2 here.
    Raises: InvalidArgument for a query that is not 1-sensitive, or needs more counts.

    >>> from antiphon.mechanisms import KthLargest
    >>> session = HistogramSVT(epsilon=100, query=KthLargest(), histogram=(0, 0)).start(seed=1)
    >>> [session.send((x, 1)) for x in ((1, 0), (0, 1), (0, 1), (1, 1))]
    [BOTTOM, BOTTOM, TOP, HALT]
    """

    epsilon: Fraction = attrs.field(converter=fields.positive)
    query: HistogramQuery
    histogram: tuple[int, ...] = attrs.field(converter=_histogram)
    above: AboveThreshold = attrs.field(init=False, eq=False, repr=False)
    """What is asked for q(h) - Thresh; > 0 is >= 1."""

    def __attrs_post_init__(self) -> None:
        set_derived(self, above=AboveThreshold(epsilon=self.epsilon, threshold=1))
        one_sensitive(self.query, len(self.histogram))

    @property
    def initial_state(self) -> HistogramState:
        return HistogramState(self.histogram, self.above.initial_state)

    @property
    def signature(self) -> Signature:
        asked = Tuples((Tuples((BITS,) * len(self.histogram)), Integers()))
        return Signature(asked, Finite((TOP, BOTTOM, HALT)), asked)

    @property
    def verification(self) -> EventLevel:
        """f: at most one message differs, and not in its threshold."""
        return event_level(OnlyEntry(0))

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "CM Alg. 3, Lemma 7.3, with discrete noise"
        return proved(self, Pure(self.epsilon), self.verification, source)

    def step(
        self, state: HistogramState, message: Step, coins: Coins
    ) -> tuple[HistogramState, Told]:
        (counts, inner), (x, threshold) = state, message
        if not inner.tops:
            return state, HALT
        counts = tuple(map(add, counts, x))
        inner, answer = self.above.step(inner, self.query(counts) - threshold, coins)
        return HistogramState(counts, inner), answer

    def error_bound(self, queries: int, *, beta: float) -> int:
        """As ``AboveThreshold``: every ⊤ had q(h) > Thresh - α, every ⊥ q(h) <= Thresh + α."""
        return self.above.error_bound(queries, beta=beta)
