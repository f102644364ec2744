# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Examples ("specimens") of continual counters, of ints and of arrays, for the self-check."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.mechanisms import COUNT, GaussianTreeCounter, RefinedTreeCounter, TreeCounter
from antiphon.mechanisms.counters import buffered_toeplitz
from antiphon.mechanisms.counters.balanced_tree import BalancedTreeCounter
from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter
from antiphon.mechanisms.counters.count_after import CountAfter, Window
from antiphon.mechanisms.counters.factors.buffers import Buffers
from antiphon.mechanisms.counters.square_root import SquareRootCounter
from antiphon.mechanisms.counters.unbounded import UnboundedCounter
from antiphon.protocol import Claim, Pair, Pure, Status, column_safe, register, same
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor
from antiphon.protocol.spaces import BITS, Integers, Signature
from antiphon.selfcheck.corpus import specimen
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth, saying
from antiphon.selfcheck.corpus.specimen import Example, Link, Specimen, as_claimed, broken, slow
from antiphon.selfcheck.corpus.targets.interactive import LaggingCounter, SharedNoiseCounter

_NOT_ROWS: Final = (
    0, (0, 1), np.array([0]), np.array([0, 3]), np.array([-2, 0]), np.array([0.0, 1.0]),
    np.array([[0, 1]]), "counts",
)  # fmt: skip


def specimens() -> Iterator[Specimen]:
    """The examples of all counters: trees, correlated noise, and counters without a horizon."""
    yield _tree_counter()
    yield from _other_trees()
    yield _buffered_toeplitz_counter()
    yield _square_root_counter()
    yield _unbounded_counter()
    yield _decayed_counter()
    yield _count_after()
    yield _window()


def _of_ints(counter: Any, largest: int = 1) -> Example:
    return Example(counter, (-1, largest + 1, True, 0.0, "counts", b"count", None, (0,)))


def _of_rows(kind: Any, **parameters: Any) -> Example:
    return Example(kind(dimension=2, smallest=-1, largest=2, **parameters), _NOT_ROWS)


def counted(updates: Sequence[Any], name: str = "x₁ differs") -> Player:
    """A player that sends these updates, and asks for the count after each."""
    return saying(name, [message for update in updates for message in (update, same(COUNT))])


def _first(rest: int, value: int = 1) -> Player:
    return counted([Pair(value, 0), *[same(0)] * rest])


def _tree_counter() -> Specimen:
    tree = TreeCounter(horizon=8, epsilon=1)
    forgets = TreeCounter(horizon=8, epsilon=Fraction(4, 3))
    early = counted([Pair(0, 1), *[same(0)] * 7])
    longer = counted([Pair(0, 1), *[same(0)] * 8])
    late = counted([same(0), same(0), Pair(0, 1)], "x₃ differs")
    shared = SharedNoiseCounter(horizon=8, epsilon=1)
    return Specimen(
        _of_ints(TreeCounter(horizon=64, epsilon=1)),
        _of_ints(TreeCounter(horizon=100, epsilon=Fraction(1, 3), largest=3), 3),
        _of_rows(TreeCounter, horizon=8, epsilon=1, sensitivity=2),
        as_claimed("tree counter", tree, early, Truth(1.0)),
        as_claimed("tree counter that lags by one", LaggingCounter(tree), longer, Truth(1.0)),
        as_claimed("tree counter that reuses noise", shared, late, Truth(math.inf, delta=1.0)),
        broken("tree counter that forgets a level", forgets, tree.claims[0], _first(7),
               Truth(4 / 3)),
    )  # fmt: skip


def _other_trees() -> Iterator[Specimen]:
    yield Specimen(
        _of_ints(BalancedTreeCounter(horizon=13, epsilon=1, arity=3)),
        _of_ints(BalancedTreeCounter(horizon=1000, epsilon=1, events=2)),
        _of_rows(BalancedTreeCounter, horizon=8, epsilon=1),
        _of_ints(BalancedTreeCounter(horizon=100, epsilon=1, window=30, largest=3), 3),
        as_claimed("balanced tree counter",
                   BalancedTreeCounter(horizon=4, epsilon=1, arity=3), _first(3)),
    )  # fmt: skip
    name, kind = "Gaussian tree counter", GaussianTreeCounter
    yield Specimen(
        _of_ints(kind(horizon=64, rho=0.5)),
        *specimen.of_gaussian(name, kind, _first(3, 8), horizon=4, largest=8),
    )
    refined = RefinedTreeCounter(horizon=4, rho=specimen.RHO, largest=8)
    yield Specimen(
        _of_ints(RefinedTreeCounter(horizon=64, rho=0.5, largest=3), 3),
        _of_rows(RefinedTreeCounter, horizon=8, rho=1, sensitivity=1),
        as_claimed("refined tree counter", refined, _first(3, 8)),
    )


@register("antiphon.corpus.ColumnsFromTheEnd/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class ColumnsFromTheEnd(buffered_toeplitz.Buffered):
    """A broken correlated counter: it divides by its matrix's column norms in reverse order.

    Refuted: the noise of the first update is too small by the norm of its whole column, while the
    claim is the same. For horizons up to 2^12.
    """

    def _chosen(self) -> Buffers:
        return buffered_toeplitz.for_totals(self.horizon)

    def divisors(self, block: int) -> list[float]:
        return buffered_toeplitz.Buffered.divisors(self, block)[::-1]


def _buffered_toeplitz_counter() -> Specimen:
    buffered = BufferedToeplitzCounter(horizon=8, rho=specimen.RHO)
    normalised = BufferedToeplitzCounter(horizon=8, rho=specimen.RHO, normalised=True)
    wrong = ColumnsFromTheEnd(horizon=8, rho=specimen.RHO, normalised=True)
    player = _first(7)
    return Specimen(
        _of_ints(BufferedToeplitzCounter(horizon=1000, rho=0.5)),
        _of_ints(
            BufferedToeplitzCounter(horizon=64, rho=0.01, normalised=True, largest=3), 3
        ),
        _of_rows(BufferedToeplitzCounter, horizon=8, rho=1, normalised=True),
        _of_ints(BufferedToeplitzCounter(horizon=100, rho=0.5, window=7)),
        as_claimed("buffered Toeplitz counter", buffered, player, specimen.gaussian_truth()),
        as_claimed("buffered Toeplitz counter, columns normalised", normalised, player,
                   specimen.gaussian_truth()),
        broken("buffered Toeplitz counter, columns from the end", wrong, normalised.claims[0],
               player, Truth(delta=0.1889)),
    )  # fmt: skip


def _decayed_counter() -> Specimen:
    kind, half = buffered_toeplitz.DecayedCounter, specimen.HALF
    return Specimen(
        _of_ints(kind(horizon=1000, rho=0.5, decay=0.99)),
        _of_rows(kind, horizon=8, rho=1, decay=half),
        *specimen.of_gaussian("decayed counter", kind, _first(7), horizon=8, decay=half),
    )


def _square_root_counter() -> Specimen:
    root = SquareRootCounter(horizon=4, rho=specimen.RHO)
    audited = as_claimed("square-root counter", root, _first(3), specimen.gaussian_truth())
    return Specimen(
        _of_ints(SquareRootCounter(horizon=64, rho=0.5)),
        _of_ints(SquareRootCounter(horizon=64, rho=0.5, normalised=True, events=3)),
        _of_rows(SquareRootCounter, horizon=8, rho=1),
        *slow(audited),
    )


def _unbounded_counter() -> Specimen:
    epochs = UnboundedCounter(counter=TreeCounter(horizon=1, epsilon=specimen.HALF))
    cheap = Claim(Pure(specimen.HALF), epochs.claims[0].verification, Status.PROVED, "")
    buffers = UnboundedCounter(counter=BufferedToeplitzCounter(horizon=2, rho=specimen.RHO))
    started = (
        _of_ints(TreeCounter(horizon=2, epsilon=1, events=2)),
        _of_ints(BufferedToeplitzCounter(horizon=2, rho=1)),
        _of_rows(TreeCounter, horizon=2, epsilon=1),
        _of_rows(BufferedToeplitzCounter, horizon=2, rho=1),
    )
    return Specimen(
        *(Example(UnboundedCounter(counter=each.part), each.outside) for each in started),
        as_claimed("unbounded counter", epochs, _first(2), Truth(1.0)),
        broken("unbounded counter that pays for epochs only", epochs, cheap, _first(2),
               Truth(1.0)),
        as_claimed("unbounded counter of buffers", buffers, _first(5)),
    )  # fmt: skip


@register("antiphon.corpus.AddsBare/1")
@column_safe
@attrs.frozen
class AddsBare(ExchangePostProcessor[None]):
    """A broken post-processor: it adds the update, without noise, to the noisy answer."""

    initial_state = None

    def signature(self, right: Signature) -> Signature:
        return right

    def exchange(self, state: None, update: Any) -> Exchanged[None]:
        told = yield update
        return None, told + update


def _count_after() -> Specimen:
    tree, single = TreeCounter(horizon=8, epsilon=1), TreeCounter(horizon=1, epsilon=1)
    after, twice = CountAfter() @ tree, AddsBare() @ CountAfter() @ single
    rows = BufferedToeplitzCounter(horizon=64, rho=1, dimension=2)
    bits = Link(part=CountAfter(), right=tree, queries=BITS, answers=Integers())
    updates = rows.signature.updates
    return Specimen(
        bits,
        Link(part=CountAfter(), right=rows, queries=updates, answers=Integers()),
        Entry("count after each update", after, guarantee(after).claim(),
              (saying("x₁ differs", [Pair(0, 1), *[same(0)] * 7]),), Truth(1.0)),
        broken("count after each update, and it again", twice, tree.claims[0],
               saying("x₁ differs", [Pair(0, 1)]), Truth(2.0)),
    )  # fmt: skip


def _window() -> Specimen:
    tree, single = TreeCounter(horizon=8, epsilon=1), TreeCounter(horizon=1, epsilon=1)
    rows = BufferedToeplitzCounter(horizon=64, rho=1, dimension=2, window=3)
    player = saying("x₁ differs", [Pair(0, 1), *[same(0)] * 7])
    sliding = Window(2) @ tree
    return Specimen(
        Link(part=Window(2), right=tree, queries=BITS, answers=Integers()),
        Link(part=Window(3), right=rows, queries=rows.signature.updates, answers=Integers()),
        Entry("window of two updates", sliding, guarantee(sliding).claim(), (player,)),
        broken(
            "window, and the newest update again",
            AddsBare() @ Window(1) @ single,
            tree.claims[0],
            saying("x₁ differs", [Pair(0, 1)]),
            Truth(2.0),
        ),
    )
