"""The binary-tree counter (Chan, Shi, Song 2011; Dwork, Naor, Pitassi, Rothblum 2010)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, Final, NamedTuple

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters import tails
from antiphon.mechanisms.counters.counter import Counter, LaplaceNodes, fractions_of, whole_counts
from antiphon.mechanisms.counters.factors.rows import Amount, floats, integers
from antiphon.numbers import exact
from antiphon.protocol import Claim, Coins, Space, ZeroConcentrated, proved
from antiphon.protocol.registry import column_safe, register, set_derived


@register("antiphon.Node/1", state=True)
class Node(NamedTuple):
    """A complete subtree of the tree over the updates so far; such subtrees form a stack from the
    smallest to the largest."""

    size: int
    """The number of updates that the node covers: a power of two."""
    total: Amount
    """The exact sum of the node's updates."""
    noise: Any
    """The node's noise, drawn when it is first needed; None before."""
    below: Node | None
    """The next larger node on the stack."""


@register("antiphon.CounterState/1", state=True)
class CounterState(NamedTuple):
    """The state of a tree counter: the number of updates, and the subtrees that make up the
    prefix."""

    updates: int
    top: Node | None


@attrs.frozen(kw_only=True, repr=False)
class BinaryTree(Counter[CounterState]):
    """A counter that sums the complete subtrees of the first t updates, one for each 1 in the
    binary form of t. Abstract."""

    @property
    def levels(self) -> int:
        """The number of tree nodes that one update lies in: one of each height."""
        return self.horizon.bit_length()

    @property
    def initial_state(self) -> CounterState:
        return CounterState(0, None)

    @abstractmethod
    def _noise(self, coins: Coins) -> Amount:
        """A fresh draw of the noise of one tree node."""

    @property
    @abstractmethod
    def noise_variance(self) -> float:
        """The variance of a node's noise."""

    @abstractmethod
    def _variances(self) -> list[float]:
        """The variance of a node's estimate at each height, in units of ``noise_variance``."""

    @property
    def state_size(self) -> int:
        return 2 * self.levels

    @abstractmethod
    def _of_sum(self, updates: int, since: int) -> float:
        """The variance of the noisy sum of the updates after ``since``, in units of
        ``noise_variance``."""

    def _of_nodes(self, updates: int) -> float:
        """The sum of the variances of the nodes that make up the prefix of ``updates`` updates, in
        units of ``noise_variance``."""
        return sum(each for h, each in enumerate(self._variances()) if updates >> h & 1)

    def squared_error(self, updates: int, since: int = 0) -> float:
        return self._of_sum(self._time(updates, since), since) * self.noise_variance

    def max_squared_window(self, window: int) -> float:
        return self._searched(window)

    @property
    def max_squared_error(self) -> float:
        return largest(self.horizon, self._variances()) * self.noise_variance

    @property
    def mean_squared_error(self) -> float:
        return mean(self.horizon, self._variances()) * self.noise_variance


@attrs.frozen(kw_only=True, repr=False)
class NoisyNodes(BinaryTree):
    """A tree counter in which each node of a prefix has independent noise. Abstract.

    State: O(log t) numbers. A node's noise is drawn when a query first needs it, and kept,
    so asking twice gives the same answer. Amortised O(1) an update, O(log t) a query.
    """

    def _update(self, state: CounterState, x: Amount, coins: Coins) -> CounterState:
        size, total, top = 1, x, state.top
        while top is not None and top.size == size:
            size, total, top = 2 * size, total + top.total, top.below
        return CounterState(state.updates + 1, Node(size, total, None, top))

    def _count(self, state: CounterState, coins: Coins) -> tuple[CounterState, Amount]:
        top, total = self._noisy(state.top, coins)
        if self.dimension is not None:
            total = integers(total, self.dimension)
        return (state if top is state.top else CounterState(state.updates, top)), total

    def _noisy(self, top: Node | None, coins: Coins) -> tuple[Node | None, Amount]:
        """The stack ``top`` of nodes, now all with their noise drawn, and the sum of the nodes'
        totals and noise."""
        nodes: list[Node] = []
        while top is not None:
            nodes.append(top)
            top = top.below
        total: Amount = 0
        for node in reversed(nodes):
            noise = node.noise
            if noise is None or node.below is not top:
                noise = self._noise(coins) if noise is None else noise
                node = Node(node.size, node.total, noise, top)
            top = node
            total += node.total + noise
        return top, total

    def _variances(self) -> list[float]:
        return [1.0] * self.levels

    def _of_sum(self, updates: int, since: int) -> float:
        return sum(map(self._of_nodes, differing(updates, since)))


def differing(updates: int, since: int) -> tuple[int, int]:
    """The times ``updates`` and ``since`` without the leading binary digits that they share: the
    nodes of these digits cancel in the difference of the two noisy sums."""
    unlike = (1 << (updates ^ since).bit_length()) - 1
    return updates & unlike, since & unlike


def largest(horizon: int, weights: Sequence[float]) -> float:
    """The largest sum, over all t <= horizon, of weights[h] >= 0 over the bits h of t that are
    1."""
    best = sum(w for h, w in enumerate(weights) if horizon >> h & 1)
    above = 0.0
    for h in reversed(range(len(weights))):
        # The best t is the horizon, or has the same bits above some bit h, where the horizon has 1
        # and t has 0, and only 1s below.
        if horizon >> h & 1:
            best = max(best, above + sum(weights[:h]))
            above += weights[h]
    return best


def mean(horizon: int, weights: Sequence[float]) -> float:
    """The mean, over t = 1, …, horizon, of the sum of weights[h] over the bits h of t that are
    1."""
    total = 0.0
    for h, weight in enumerate(weights):
        periods, rest = divmod(horizon + 1, 2 << h)
        total += weight * ((periods << h) + max(0, rest - (1 << h)))
    return total / horizon


@register("antiphon.TreeCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class TreeCounter(LaplaceNodes[CounterState], NoisyNodes):
    """The binary-tree counter with discrete Laplace noise of scale events·levels·distance/ε.

    Privacy: ε-DP w.r.t. ``verification``, against adaptive adversaries: one update lies in
    at most ``levels`` nodes, each an ε/levels-DP noninteractive mechanism, so CM Thm 5.5 with k =
    levels applies; proved, answers are integers sampled exactly. Source: Chan, Shi, Song 2011, Alg.
    2; Dwork, Naor, Pitassi, Rothblum 2010. Raises: InvalidArgument for an update past the horizon;
    the state is unchanged.

    >>> counter = TreeCounter(horizon=8, epsilon=1000).start(seed=1)
    >>> counter.send(1), counter.send(1), counter.send("count")
    (TOP, TOP, 2)
    """

    _source: ClassVar[str] = "Chan, Shi, Song 2011; adaptive by CM Thm 5.5 over the nodes"

    def _prepare(self) -> Space:
        return self._calibrate(self.levels)

    def _tail(self, updates: int, beta: float, since: int) -> float:
        count = sum(each.bit_count() for each in differing(updates, since))
        return tails.laplace_tail(self.scale, count, beta)


@attrs.frozen(kw_only=True, repr=False)
class GaussianNodes(BinaryTree):
    """Tree counters with discrete Gaussian noise, σ² = D²/(2ρ): the node sums of neighbours are at
    most D apart in ℓ₂. Abstract."""

    norm: ClassVar[int] = 2
    rho: Fraction = attrs.field(converter=fields.positive)
    sigma: Fraction = attrs.field(init=False, eq=False)
    """The σ of the noise of one node, rounded up."""

    def _prepare(self) -> Space:
        square = self.distance**2 * group(self.events, self.levels) / (2 * self.rho)
        set_derived(self, sigma=exact.root_up(square))
        return self._counted()

    @abstractmethod
    def _counted(self) -> Space:
        """The space of the answers to ``COUNT``."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = (
            "Chan, Shi, Song 2011; discrete Gaussian by Canonne, Kamath, Steinke 2020; adaptive "
            "by Whitehouse et al. 2023, Thm 1, over the nodes"
        )
        return proved(self, ZeroConcentrated(self.rho), self.verification, source)

    def _noise(self, coins: Coins) -> Amount:
        return self.noise(coins, self.sigma)

    @property
    def noise_variance(self) -> float:
        return tails.discrete_gaussian_variance(self.sigma)


@register("antiphon.GaussianTreeCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class GaussianTreeCounter(GaussianNodes, NoisyNodes):
    """The binary-tree counter with discrete Gaussian noise, σ² = D²/(2ρ): the node sums of
    neighbouring streams are at most D apart in ℓ₂.

    D is distance·√levels (with k events, which may share nodes, distance·√Σ_h g_h, see ``group``).

    Privacy: ρ-zCDP w.r.t. ``verification``, against adaptive adversaries: given the past, a
    node is one discrete Gaussian answer, (Δ_node)²/(2σ²)-zCDP (Canonne, Kamath, Steinke
    2020, Thm 4), and Σ Δ_node² is bounded on every path, as fully adaptive composition requires
    (Whitehouse et al. 2023, Thm 1); proved. Source: Chan, Shi, Song 2011 with Gaussian noise.

    >>> counter = GaussianTreeCounter(horizon=8, rho=10**6).start(seed=1)
    >>> counter.send(1), counter.send(1), counter.send("count")
    (TOP, TOP, 2)
    """

    def _counted(self) -> Space:
        return whole_counts(self.dimension)

    def _tail(self, updates: int, beta: float, since: int) -> float:
        return tails.gaussian_tail(self._of_sum(updates, since) * float(self.sigma) ** 2, beta)


def group(events: int, levels: int) -> int:
    """The squared ℓ₂ distance Σ_h g_h by which ``events`` changes of size 1 can move all node sums,
    the sums of height h by g_h.

    A node of height h holds 2^h updates, so at worst events//2^h nodes contain only changes and one
    node has the rest.

    >>> group(1, 5), group(2, 5)
    (5, 18)
    """
    sizes = ((1 << h, events >> h, events % (1 << h)) for h in range(levels))
    return sum(full * size**2 + rest**2 for size, full, rest in sizes)


_UNIT: Final = 1 << 16
"""The number of units in 1: a node's estimate is an int, in units of 1/_UNIT."""


@register("antiphon.RefinedTreeCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class RefinedTreeCounter(GaussianNodes):
    """The Gaussian tree counter with less error: a node's estimate averages its noisy sum with
    those of the nodes below it.

    A node of height h has its own noisy sum y, of variance σ², and the estimates of its
    two children; the best unbiased average of y and their sum has variance
    v_h = σ²·2^h/(2^(h+1) - 1), v_0 = σ². Estimates are rounded down to 1/65536 in integer
    arithmetic that moves with the sums: floor(w·y + (1-w)(l+r)) of exact integers, so an
    answer is a function of the noisy sums alone. Answers are floats.

    State: O(log t) numbers; noise is drawn as nodes are finished, about two draws an update.
    Privacy: that of ``GaussianTreeCounter``, by post-processing; proved.
    Source: Honaker 2015, "from below"; Kairouz et al. 2021, App. B.

    >>> counter = RefinedTreeCounter(horizon=8, rho=10**6).start(seed=1)
    >>> counter.send(1), counter.send(1), counter.send("count")
    (TOP, TOP, 2.0)
    """

    def _counted(self) -> Space:
        return fractions_of(_UNIT, self.dimension)

    def _update(self, state: CounterState, x: Amount, coins: Coins) -> CounterState:
        size, height, total, top = 1, 0, x, state.top
        estimate = self._noise(coins) * _UNIT
        while top is not None and top.size == size:
            size, height, total = 2 * size, height + 1, total + top.total
            own, rest = weight(height), _UNIT - weight(height)
            noise = self._noise(coins) * _UNIT
            estimate = (own * noise + rest * (estimate + top.noise)) // _UNIT
            top = top.below
        return CounterState(state.updates + 1, Node(size, total, estimate, top))

    def _count(self, state: CounterState, coins: Coins) -> tuple[CounterState, Amount]:
        total: Amount = 0
        node = state.top
        while node is not None:
            total, node = total + node.total * _UNIT + node.noise, node.below
        if self.dimension is not None:
            return state, floats(total, _UNIT, self.dimension)
        return state, total / _UNIT

    def _variances(self) -> list[float]:
        found = [1.0]
        for height in range(1, self.levels):
            own = weight(height) / _UNIT
            found.append(own**2 + 2 * (1 - own) ** 2 * found[-1])
        return found

    def _of_sum(self, updates: int, since: int) -> float:
        # The estimates of a node and of a node inside it share noise: ``added`` bounds the variance
        # of their difference.
        return tails.added(*map(self._of_nodes, differing(updates, since)))

    def _tail(self, updates: int, beta: float, since: int) -> float:
        variance = self._of_sum(updates, since) * float(self.sigma) ** 2
        rounding = (4 if since else 2) * self.levels**2 / _UNIT
        return tails.gaussian_tail(variance, beta) + rounding


def weight(height: int) -> int:
    """The weight 2^h/(2^(h+1) - 1) of a node's own noisy sum, at height h; times 2^16."""
    return round(_UNIT * (1 << height) / ((2 << height) - 1))
