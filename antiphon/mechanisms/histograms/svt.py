"""The sparse vector technique on a histogram that grows (CM §7, Algorithm 3), for HSS.

Also for a dataset that changes, with adaptive updates and queries (CM §3.3, §6).
"""

from collections.abc import Iterable
from fractions import Fraction
from operator import add
from typing import Any, NamedTuple, TypeAlias

import attrs

from antiphon.composition import Create, Lifting, fixed_mechanisms
from antiphon.composition.guarantees.inclusion import require
from antiphon.mechanisms import fields
from antiphon.mechanisms.histograms.queries import HistogramQuery, one_sensitive
from antiphon.mechanisms.sparse_vector import AboveThreshold, AnySparseVector, SparseState, Told
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Claim, Coins, ContinualMechanism, Pure, Status, spaces
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor, in_turn
from antiphon.protocol.messages import BOTTOM, HALT, TOP, Ask, Signal
from antiphon.protocol.provenance import CREATED, proved
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Signature, Space, Tuples
from antiphon.verifiers.models import EventLevel, event_level, every_pair, updates_and_queries
from antiphon.verifiers.relations import OnlyEntry, Within

Step: TypeAlias = tuple[tuple[int, ...], int]
"""The type of a message (x, Thresh): an update and a threshold."""


@register("antiphon.HistogramState/1", state=True)
class HistogramState(NamedTuple):
    """The state of ``HistogramSVT``: the histogram, and the state of AboveThreshold."""

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
    """The sparse vector SVT_{ε/2,q,h}: it adds each x to a histogram h, and answers whether the
    query q(h) is above a threshold.

    (x, Thresh) -> ⊤ if q(h + x) + ν > Thresh + τ (strictly, as printed; a tie is ⊥), else ⊥;
    HALT after the ⊤. x is a tuple of d bits, Thresh an int (for a real threshold give ⌊Thresh⌋,
    which is equivalent); ``histogram`` is the initial h, of d counts. τ has scale 2/ε and ν 4/ε,
    both discrete Laplace: ``AboveThreshold`` on the values q(h) - Thresh. Privacy: ε-DP w.r.t.
    event level: streams that differ in one x, the thresholds being the same. From that x on the
    histograms differ by a vector of {-1, 0, 1}^d, so the values by 1 at most, as ``AboveThreshold``
    requires; proved, for queries of this library. Not first-pair consistent, so of the parallel
    theorems only CM Thm 5.2 (δ = 0) applies. Source: CM Algorithm 3, Lemma 7.3, whose ε' is ε/2
    here. Raises: InvalidArgument for a query that is not 1-sensitive, or needs more counts.

    >>> from antiphon.mechanisms import KthLargest
    >>> session = HistogramSVT(epsilon=100, query=KthLargest(), histogram=(0, 0)).start(seed=1)
    >>> [session.send((x, 1)) for x in ((1, 0), (0, 1), (0, 1), (1, 1))]
    [BOTTOM, BOTTOM, TOP, HALT]
    """

    epsilon: Fraction = attrs.field(converter=fields.positive)
    query: HistogramQuery
    histogram: tuple[int, ...] = attrs.field(converter=_histogram)
    above: AboveThreshold = attrs.field(init=False, eq=False, repr=False)
    """The AboveThreshold mechanism that gets the values q(h) - Thresh; its threshold is 1, since an
    int is > 0 exactly if it is >= 1."""

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
        """The verification function f: at most one message (x, Thresh) differs, and only in x."""
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
        """A bound α on the error of the first ``queries`` answers: with probability at least 1 -
        beta every ⊤ had q(h) > Thresh - α, and every ⊥ q(h) <= Thresh + α."""
        return self.above.error_bound(queries, beta=beta)


@register("antiphon.Acknowledge/1")
@column_safe
@attrs.frozen
class Acknowledge(ContinualMechanism[None, object, Signal]):
    """A mechanism that answers ⊤ to everything. It receives messages whose content needs no answer,
    so that a message's destination reveals nothing.

    Privacy: 0-DP w.r.t. any pairs of messages; proved.
    """

    @property
    def initial_state(self) -> None:
        return None

    @property
    def signature(self) -> Signature:
        return Signature(spaces.Anything(), Finite((TOP,)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        return proved(self, Pure(0), every_pair(), "the answer is constant")

    def step(self, state: None, message: object, coins: Coins) -> tuple[None, Signal]:
        return None, TOP


@register("antiphon.MonitorState/1", state=True)
class MonitorState(NamedTuple):
    """The state of ``HistogramMonitor``: the histogram, and whether its mechanisms are created."""

    counts: tuple[int, ...]
    created: bool


def _queries(value: object) -> tuple[HistogramQuery, ...]:
    queries: tuple[HistogramQuery, ...] = value if type(value) is tuple else ()  # pyright: ignore[reportUnknownVariableType]
    if not queries:
        raise InvalidArgument("queries is a tuple of the HistogramQuery objects that may be asked")
    return queries


def _sparse(_: object, __: object, value: Any) -> None:
    if not isinstance(value, AnySparseVector):
        raise InvalidArgument("mechanism must be a SparseVector, or one of its kinds")
    if value.monotone:
        raise InvalidArgument(
            "values of queries on histograms may differ in both directions: give a sparse vector "
            "with monotone=False"
        )


@register("antiphon.HistogramMonitor/1")
@column_safe(of="queries")
@attrs.frozen(kw_only=True)
class HistogramMonitor(ExchangePostProcessor[MonitorState]):
    """A post-processor (IPM) that keeps a histogram and tests adaptively chosen queries of it with
    a sparse vector.

    From the left: an update, a tuple of ``dimension`` bits, answered ⊤; or (q, T) with q among
    ``queries`` and an int T, answered as ``mechanism`` answers q(h) - T. Stands on the left of
    ExtConComp, where it creates the mechanism: ``ComplexMechanism(HistogramMonitor(…))``.
    Privacy: that of ``mechanism`` w.r.t. streams that differ in one update (CM Thm 6.1 and 4.10:
    ``ap.guarantee`` derives it). Every message goes right, an update to ``Acknowledge``, and the
    next answer goes left, for any message (destination, response). From the differing update on,
    the histograms differ by a vector of {-1, 0, 1}^d, so q(h) - T by at most 1 (f→f'). Source: CM
    §3.3 (updates and queries), Thm 6.1; 1-sensitivity as in CM §7. Raises: InvalidArgument for a
    monotone mechanism or one whose claim covers fewer pairs of values, and for queries that are not
    1-sensitive.

    >>> from antiphon.composition import ComplexMechanism
    >>> from antiphon.mechanisms import AboveThreshold, KthLargest
    >>> above = AboveThreshold(epsilon=100)
    >>> monitor = HistogramMonitor(mechanism=above, queries=(KthLargest(1),), dimension=2)
    >>> session = ComplexMechanism(monitor).start(seed=1)
    >>> session.send((1, 0)), session.send((1, 1)), session.send((KthLargest(1), 9))
    (TOP, TOP, BOTTOM)
    >>> session.send((KthLargest(1), 1)), session.send((KthLargest(1), 0))
    (TOP, HALT)
    """

    mechanism: AnySparseVector = attrs.field(validator=_sparse, metadata=CREATED)
    queries: tuple[HistogramQuery, ...] = attrs.field(converter=_queries)
    dimension: int = attrs.field(converter=fields.size, metadata=fields.ITEMS)
    created: tuple[Create, Create] = attrs.field(init=False, eq=False, repr=False)
    """The mechanisms that the monitor creates, in order."""

    def __attrs_post_init__(self) -> None:
        for query in self.queries:
            one_sensitive(query, self.dimension, "queries")
        created = Create(self.mechanism), Create(Acknowledge())
        require(created[0], every_pair(Within(1)), "a HistogramMonitor")
        set_derived(self, created=created)

    @property
    def initial_state(self) -> MonitorState:
        return MonitorState((0,) * self.dimension, False)

    @property
    def updates(self) -> Space:
        """The space of updates: vectors of bits."""
        return Tuples((BITS,) * self.dimension)

    @property
    def questions(self) -> Space:
        """The space of questions: pairs (q, T) of a query and a threshold."""
        return Tuples((Finite(self.queries), Integers()))

    @property
    def lifting(self) -> Lifting:
        """The verification functions on the monitor's left (f: event-level updates, equal
        questions) and right (f')."""
        outer = updates_and_queries(event_level(), self.questions)
        inner = fixed_mechanisms(self.created)
        return Lifting(outer, inner, Status.PROVED, "see HistogramMonitor")

    def signature(self, right: Signature) -> Signature:
        answers = Either((Finite((TOP,)), self.mechanism.signature.answers))
        return Signature(Either((self.updates, self.questions)), answers, self.updates)

    def is_over(self, state: MonitorState) -> None:
        return None

    def exchange(self, state: MonitorState, message: Any) -> Exchanged[MonitorState]:
        """The answer to a message: an update is added to the histogram h and acknowledged; for (q,
        T) the sparse vector is asked about q(h) - T."""
        counts, created = state
        if not created:
            yield from in_turn(self.created)
        if isinstance(message[0], HistogramQuery):
            query, threshold = message
            answer = yield Ask(query(counts) - threshold, 0)
        else:
            counts = tuple(map(add, counts, message))
            answer = yield Ask(TOP, 1)
        return MonitorState(counts, True), answer
