"""H, the continual histogram of CM §7: a counter for each item, side by side."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final, TypeAlias, Union

import attrs

from antiphon.composition import Certified, ConComp, Create, each_valid
from antiphon.composition.complex_mechanism import Lifting, States, Through
from antiphon.composition.guarantees.inclusion import require
from antiphon.composition.guarantees.rulebook import Derived, Inquiry
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters import Counter
from antiphon.mechanisms.counters.balanced_tree import BalancedTreeCounter
from antiphon.mechanisms.counters.counter import COUNT, QUERIES
from antiphon.mechanisms.counters.tree_counter import GaussianTreeCounter
from antiphon.mechanisms.counters.unbounded import UnboundedCounter
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import TOP, Ask, Chain, Claim, Status, Verification
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor
from antiphon.protocol.provenance import CREATED
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.spaces import Either, Finite, Integers, Signature, Tuples
from antiphon.verifiers.models import EventLevel, event_level, updates_and_queries
from antiphon.verifiers.relations import EachWithin, Within

MOST: Final = 2**40
"""The largest entry of an input vector of a histogram without a horizon. HSS sends the sum of an
interval's bits as one vector, so it bounds the number of steps, too."""
_FIRST: Final = 16
"""The number of inputs in the first epoch of a counter without a horizon."""

_COUNTS: Final = Either((Finite((TOP,)), Integers()))
"""The answers of a counter of ints: ⊤ and ints. Other counters' answers are rounded."""

AnyCounter: TypeAlias = Union[Counter, UnboundedCounter]


def _counter(_: object, __: object, value: Any) -> None:
    given: AnyCounter = value
    if not isinstance(value, Counter | UnboundedCounter):
        raise InvalidArgument("counter must be a counter, such as TreeCounter(…): that of one item")
    base = _base(given)
    if base.dimension is not None or base.users:
        raise InvalidArgument(
            "counter is that of one item: without a dimension, and of updates, not of records"
        )


def _base(counter: AnyCounter) -> Counter:
    return counter.counter if isinstance(counter, UnboundedCounter) else counter


@register("antiphon.AskEach/1")
@column_safe
@attrs.frozen(kw_only=True)
class AskEach(ExchangePostProcessor[None]):
    """A post-processor (IPM) that sends entry i of a vector to counter i on its right, and answers
    with the counts of all counters.

    Stands on the left of ConComp[M_1, …, M_d], each the ``counter``. Answers are rounded to ints.
    It has the three properties of CM §6.1: where it sends depends only on the number of answers so
    far (destination); it returns just those answers (response). Two vectors that differ by at most
    Δ in each entry give each counter one pair that differs by at most Δ (f→f'). Raises:
    InvalidArgument for a counter whose claim is about fewer streams.
    """

    counter: AnyCounter = attrs.field(validator=_counter, metadata=CREATED)
    dimension: int = attrs.field(converter=fields.size, metadata=fields.ITEMS)
    counters: ConComp = attrs.field(init=False, eq=False, repr=False)
    """The composition of counters on the right of this post-processor."""
    verification: EventLevel = attrs.field(init=False, eq=False, repr=False)
    """The verification function f: as many vectors may differ as one counter's claim allows updates
    to differ, each entry by the distance that this claim allows."""
    passes_halt = True

    def __attrs_post_init__(self) -> None:
        distance, events = _base(self.counter).distance, _base(self.counter).events
        created, updates = Create(self.counter), event_level(Within(distance), events=events)
        require(created, updates_and_queries(updates, QUERIES), "a histogram")
        f = event_level(EachWithin(distance), events=events)
        set_derived(self, counters=ConComp((created,) * self.dimension), verification=f)

    @property
    def initial_state(self) -> None:
        return None

    @property
    def lifting(self) -> Lifting:
        """The verification functions on this post-processor's left (f) and on its right (f' of the
        counters)."""
        inner = each_valid(self.counters)
        return Lifting(self.verification, inner, Status.PROVED, "see AskEach")

    def signature(self, right: Signature) -> Signature:
        queries = Tuples((self.counter.signature.updates,) * self.dimension)
        return Signature(queries, Tuples((Integers(),) * self.dimension), queries)

    def exchange(self, state: None, message: tuple[int, ...]) -> Exchanged[None]:
        """The counts of all entries. Each entry is sent to its counter, which is then asked for
        its count."""
        counts: list[int] = []
        for i, entry in enumerate(message):
            yield Ask(entry, i)
            counts.append(round((yield Ask(COUNT, i))))
        return None, tuple(counts)


@register("antiphon.ContinualHistogram/1")
@column_safe(of="chain")
@attrs.frozen(kw_only=True)
class ContinualHistogram(Through[States, "tuple[int, ...]", object]):
    """H: the noisy sum of all vectors so far, entry by entry, from one counter for each of d items.

    (c_1, …, c_d) -> d ints. With the counters of ``pure`` or ``concentrated`` an entry is an int
    from 0 to ``MOST`` and there is no horizon.
    Privacy: (ε, δ)-DP w.r.t. event level: streams that differ in one vector, by at most the
    counter's distance in each entry (with distance 1: by a vector of {-1, 0, 1}^d), against
    adaptive adversaries. The claims of the d counters are composed concurrently, by CM Thm 4.10 for
    (ε, δ)-claims, by Rényi DP for others, and lifted by Thm 6.1; ``delta`` is the δ at which the
    result is claimed (None: as small as possible). ``ap.guarantee`` has the whole curve.
    Source: CM §7.1, H-init and H-add, for any counters.
    Raises: InvalidArgument for a vector past the horizon of the counters; the state is unchanged.

    >>> histogram = ContinualHistogram.pure(dimension=3, epsilon=1000)
    >>> live = histogram.start(seed=1)
    >>> live.send((1, 0, 1)), live.send((4, 0, 0))
    ((1, 0, 1), (5, 0, 1))
    >>> histogram.claims[0].measure
    Approximate(epsilon=1000, delta=0)
    """

    counter: AnyCounter = attrs.field(validator=_counter, metadata=CREATED)
    dimension: int = attrs.field(converter=fields.size, metadata=fields.ITEMS)
    delta: Fraction | None = attrs.field(
        default=None, converter=attrs.converters.optional(exact.probability)
    )
    chain: Chain = attrs.field(init=False, eq=False, repr=False)
    claims: tuple[Claim, ...] = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]

    def __attrs_post_init__(self) -> None:
        asks = AskEach(counter=self.counter, dimension=self.dimension)
        chain = asks @ asks.counters
        certified = Certified(chain, asks.verification, self.delta)
        set_derived(self, chain=chain, claims=certified.claims)

    @classmethod
    def pure(cls, *, dimension: int, epsilon: exact.Epsilon) -> ContinualHistogram:
        """An ε-DP histogram without a horizon: k-ary trees with Laplace noise, ε/d for each
        item."""
        items = exact.whole(dimension, "dimension")
        share = fields.check_positive(epsilon, "epsilon") / (2 * items)
        first = BalancedTreeCounter(horizon=_FIRST, epsilon=share, largest=MOST, sensitivity=1)
        return cls(counter=UnboundedCounter(counter=first), dimension=dimension)

    @classmethod
    def concentrated(
        cls, *, dimension: int, rho: float | Fraction, delta: float | Fraction
    ) -> ContinualHistogram:
        """A ρ-zCDP histogram, claimed as (ε, δ)-DP, without a horizon: Gaussian trees, ρ/d for
        each item."""
        share = fields.check_positive(rho, "rho") / (2 * exact.whole(dimension, "dimension"))
        first = GaussianTreeCounter(horizon=_FIRST, rho=share, largest=MOST, sensitivity=1)
        return cls(counter=UnboundedCounter(counter=first), dimension=dimension, delta=delta)

    @property
    def derived(self) -> Derived:
        """The derivation of the claim; ``ap.guarantee`` runs it again when it uses the claim."""
        return Derived(Inquiry(self.chain, self.verification), self.delta)

    @property
    def within(self) -> Chain:
        return self.chain

    @property
    def verification(self) -> Verification:
        """The verification function f: one vector differs, by at most the counter's distance in
        each entry."""
        return self.claims[0].verification

    @property
    def horizon(self) -> int | None:
        """The largest number of vectors; None: unbounded."""
        return self.counter.horizon if isinstance(self.counter, Counter) else None

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the largest entry of a vector."""
        base = _base(self.counter)
        return (-MOST, MOST) if base.clip else (base.smallest, base.largest)

    @property
    def distance(self) -> Fraction:
        """The largest distance, in each entry, of the two neighbouring vectors."""
        return _base(self.counter).distance

    def error_bound(self, updates: int, *, beta: float) -> int:
        """A bound on the error of every entry after ``updates`` vectors, with probability at least
        1 - beta.

        A union bound over the items; rounding a counter's answer to an int adds at most 1/2. With
        trees the bound need not grow with ``updates``; HSS uses the largest so far.
        """
        if updates == 0:
            return 0
        bound = self.counter.error_bound(updates, beta=fields.beta(beta) / self.dimension)
        rounded = not _COUNTS.includes(self.counter.signature.answers)
        return math.floor(bound + 0.5 if rounded else bound)
