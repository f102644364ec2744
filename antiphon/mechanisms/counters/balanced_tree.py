"""The k-ary tree counter with subtraction (Andersson, Pagh, Steiner, Torkamani 2025)."""

from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

import attrs
import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.counter import LaplaceNodes
from antiphon.mechanisms.counters.factors.rows import Amount, integers
from antiphon.mechanisms.counters.tails import laplace_tail
from antiphon.numbers import Intractable, InvalidArgument
from antiphon.protocol import Coins, Space, column_safe, register, set_derived


@register("antiphon.Level/1", state=True)
class Level(NamedTuple):
    """The part of a tree counter's state for the tree nodes of one height."""

    digit: int
    """The digit at this height of the number of updates, in balanced base k: the number of nodes
    that a prefix sum adds or, if it is negative, subtracts."""
    noise: Amount
    """The part of a prefix sum's noise from this height: the noise of the added nodes, or minus the
    noise of the subtracted ones."""
    pending: tuple[Amount, ...]
    """The noise of each node of this height that prefix sums now subtract; each time the negative
    digit grows by 1, the last node is dropped."""


@register("antiphon.BalancedState/1", state=True)
class BalancedState(NamedTuple):
    """The state: the number of updates, their exact sum, and the noise of the nodes of each
    height."""

    updates: int
    total: Amount
    levels: tuple[Level, ...]


def _arity(value: object) -> int | None:
    if value is not None and (type(value) is not int or value < 3 or value % 2 == 0):
        raise InvalidArgument("arity must be an odd int >= 3")
    return value


@register("antiphon.BalancedTreeCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class BalancedTreeCounter(LaplaceNodes[BalancedState]):
    """A counter that computes the sum of the first t updates from the nodes of a k-ary tree: some
    are added and others subtracted, by the digits of t in balanced base k.

    k = ``arity`` is odd, by default the one with the least mean squared error; digits lie
    in {-(k-1)/2, …, (k-1)/2} and t <= (k^levels - 1)/2. With ``window`` = W, arity and levels are
    those with the least error of a sum of the last W updates, as ``Window(W) @ counter`` gives
    them; the highest digit is then as large as t needs, and that error does not grow with the
    horizon, while that of a count does. A prefix is the exact sum plus the noise of
    the nodes that its digits add, minus the noise of those that they subtract (these may reach past
    t, as only their noise is needed). Each node of height < levels has discrete Laplace noise of
    scale events·levels·distance/ε. Answers are ints.

    State: at most levels·(k+1)/2 + 1 numbers. About one draw and O(k) work an update.
    Privacy: ε-DP w.r.t. ``verification``: all node sums together are released with an ε-DP
    mechanism (an update lies in one node of each height), and answers are a function of
    them. It holds against adaptive adversaries, too: given the answers, the adversary's updates are
    fixed, so a view's probability in either world is that of the same answers to a fixed
    stream, and for δ = 0 the bound holds answer by answer; proved.
    Source: Andersson, Pagh, Steiner, Torkamani, *Count on Your Elders: Laplace vs Gaussian
    Noise*, §3.

    >>> counter = BalancedTreeCounter(horizon=13, epsilon=1000, arity=3).start(seed=1)
    >>> counter.send(1), counter.send(1), counter.send("count")
    (TOP, TOP, 2)
    """

    _source: ClassVar[str] = "Andersson, Pagh, Steiner, Torkamani 2025; adaptive since δ = 0"
    arity: int | None = attrs.field(default=None, converter=_arity)
    window: int | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.size), metadata=fields.STREAM
    )
    base: int = attrs.field(init=False, eq=False)
    """The arity k of the tree, given or chosen."""
    levels: int = attrs.field(init=False, eq=False)
    """The number of heights of tree nodes: an update lies in one node of each height."""

    def _prepare(self) -> Space:
        if self.window is None or self.window >= self.horizon:
            base = self.arity or best_arity(self.horizon)
            levels = heights(self.horizon, base)
        else:
            base, levels = best_for_window(self.window, self.arity)
        set_derived(self, base=base, levels=levels)
        return self._calibrate(levels)

    @property
    def initial_state(self) -> BalancedState:
        return BalancedState(0, 0, (Level(0, 0, ()),) * self.levels)

    def _update(self, state: BalancedState, x: Amount, coins: Coins) -> BalancedState:
        levels = list(state.levels)
        for height, level in enumerate(levels):
            levels[height] = self._advanced(level, coins, highest=height == self.levels - 1)
            if levels[height].digit != -(self.base // 2):
                break  # A higher digit changes only if the lower one wraps around.
        return BalancedState(state.updates + 1, state.total + x, tuple(levels))

    def _advanced(self, level: Level, coins: Coins, *, highest: bool) -> Level:
        """The state of one height after another node of this height is complete: its digit grows by
        1 or, below the highest level, wraps around to -(base - 1)/2."""
        digit, noise, pending = level
        if digit < 0:
            return Level(digit + 1, noise + pending[-1] if digit < -1 else 0, pending[:-1])
        if highest or digit < self.base // 2:
            return Level(digit + 1, noise + self._noise(coins), ())
        fresh = tuple(self._noise(coins) for _ in range(self.base // 2))
        return Level(-(self.base // 2), -sum(fresh), fresh)

    def _count(self, state: BalancedState, coins: Coins) -> tuple[BalancedState, Amount]:
        total = state.total + sum(level.noise for level in state.levels)
        return state, total if self.dimension is None else integers(total, self.dimension)

    @property
    def state_size(self) -> int:
        return 1 + self.levels * (self.base + 1) // 2

    def squared_error(self, updates: int, since: int = 0) -> float:
        self._time(updates, since)
        return nodes(updates, self.base, since, self.levels) * self.noise_variance

    def max_squared_window(self, window: int) -> float:
        return most_between(self.horizon, window, self.base, self.levels) * self.noise_variance

    @property
    def max_squared_error(self) -> float:
        return most_nodes(self.horizon, self.base, self.levels) * self.noise_variance

    @property
    def mean_squared_error(self) -> float:
        return mean_nodes(self.horizon, self.base, self.levels) * self.noise_variance

    def _tail(self, updates: int, beta: float, since: int) -> float:
        return laplace_tail(self.scale, nodes(updates, self.base, since, self.levels), beta)


def heights(horizon: int, base: int) -> int:
    """The least h for which h balanced digits reach the horizon: (base^h - 1)/2 >= horizon."""
    levels, power = 1, base
    while (power - 1) // 2 < horizon:
        levels, power = levels + 1, power * base
    return levels


def digits(time: int, base: int) -> list[int]:
    """The digits of a time in balanced base ``base``, the lowest first.

    >>> digits(5, 3)  # 5 = 9 - 3 - 1
    [-1, -1, 1]
    """
    found: list[int] = []
    while time:
        digit = (time + base // 2) % base - base // 2
        found.append(digit)
        time = (time - digit) // base
    return found


Times = TypeVar("Times", int, "npt.NDArray[np.int64]")


def nodes(time: Times, base: int, since: Times, levels: int) -> Times:
    """The number of tree nodes, added or subtracted, that give the sum of the updates with numbers
    ``since`` + 1 to ``time``. Ints, or arrays of ints.

    From the lowest height up, each end moves, by nodes of its own, to the nearest multiple of the
    size of nodes one height up; if that is the same for both, the nodes between them count.

    >>> nodes(5, 3, 0, 3), nodes(4, 3, 3, 3)
    (3, 1)
    """
    found = time - time
    for _ in range(levels - 1):
        later, earlier = (time + base // 2) // base, (since + base // 2) // base
        together = later == earlier
        own = abs(time - later * base) + abs(since - earlier * base)
        found = found + together * abs(time - since) + (1 - together) * own
        time, since = later, earlier
    return found + abs(time - since)  # pyright: ignore[reportReturnType]


def most_nodes(horizon: int, base: int, levels: int) -> int:
    """The largest number of tree nodes that a prefix sum up to the horizon adds or subtracts.

    A time below the horizon has the horizon's digits down to some height, there a smaller digit,
    and below any digits; as times are >= 0, the first digit that is not 0 is positive. The highest
    digit, for the nodes of the last level, is as large as it has to be.
    """
    size: int = base ** (levels - 1)
    top = (horizon + (size - 1) // 2) // size
    lower = digits(horizon - top * size, base)
    if top:
        lower += [0] * (levels - 1 - len(lower))
    written = [*lower, top] if top else lower
    half, above, best = base // 2, 0, sum(map(abs, written))
    for height, digit in reversed(list(enumerate(written))):
        least = -half if above else 0
        if digit > least:
            best = max(best, above + max(-least, abs(digit - 1)) + height * half)
        above += abs(digit)
    return best


def mean_nodes(horizon: int, base: int, levels: int) -> float:
    """The mean number of tree nodes that a prefix sum up to the horizon adds or subtracts."""
    total, half = 0, base // 2
    for height in range(levels):
        run, shift = base**height, (base**height - 1) // 2
        # At this height a node has ``run`` updates, and the digit of a time t depends on e = (t +
        # shift) // run only, with the period ``base``: times of one e are counted together.
        full, rest = divmod(horizon + 1 + shift, run)
        # The highest digit never wraps around: it is e itself.
        if height == levels - 1:
            total += run * (full * (full - 1) // 2) + rest * full
            break
        # The number ``size`` is the sum of |digit| over one period of e.
        size = (half + 1) * half
        periods, extra = divmod(full, base)
        rising, falling = min(extra, half + 1), max(0, extra - half - 1)
        partial = rising * (rising - 1) // 2 + falling * half - falling * (falling - 1) // 2
        last = abs((full + half) % base - half)
        # At e = 0 the digit is 0, and adds nothing.
        total += run * (periods * size + partial) + rest * last
    return total / horizon


@lru_cache(maxsize=256)
def best_arity(horizon: int) -> int:
    """The odd arity k with the least mean squared error for a horizon.

    For each number of levels only the least sufficient k is tried: more children with as many
    levels give more nodes in a prefix.
    """
    candidates = {least_base(horizon, levels) for levels in range(1, horizon.bit_length() + 2)}
    known = ((k, heights(horizon, k)) for k in candidates)
    return min((levels**2 * mean_nodes(horizon, k, levels), k) for k, levels in known)[1]


def least_base(horizon: int, levels: int) -> int:
    """The least odd base k with (k^levels - 1)/2 >= horizon."""
    low, high = 1, horizon
    while low < high:
        half = (low + high) // 2
        if ((2 * half + 1) ** levels - 1) // 2 >= horizon:
            high = half
        else:
            low = half + 1
    return 2 * low + 1


_WIDEST: Final = 1 << 20
"""The longest window for which the arity and the number of levels of a counter are chosen."""


def most_between(horizon: int, window: int, base: int, levels: int) -> int:
    """The largest number of tree nodes that the sum of the last ``window`` updates adds or
    subtracts, over all times up to the horizon.

    It is that of a time in two periods of the highest level's nodes: before the window is full,
    a period later one more of these nodes is in it, and after that nothing changes.
    """
    period = base ** (levels - 1)
    if period > _WIDEST << 2:
        raise Intractable("nodes of a window, by the size of the largest", period, _WIDEST << 2)
    first, last = max(1, window - period + 1), min(horizon, window + period)
    times = np.arange(min(first, last), last + 1)
    counts = nodes(times, base, np.maximum(times - window, 0), levels)
    return int(counts.max())


@lru_cache(maxsize=256)
def best_for_window(window: int, arity: int | None) -> tuple[int, int]:
    """The odd arity k (or the given ``arity``) and the number of levels for which the largest error
    of a sum of the last ``window`` updates is least."""
    if window > _WIDEST:
        raise InvalidArgument(f"windows are at most {_WIDEST:,}; leave window out, for totals")
    found: list[tuple[int, int, int]] = []
    for levels in range(1, 8):
        widest = 3 + 2 * int((2 * window) ** (1 / levels)) if levels > 1 else 3
        for base in (arity,) if arity else range(3, widest + 1, 2):
            if base ** (levels - 1) <= 4 * window:
                count = most_between(2**62, window, base, levels)
                found.append((levels**2 * count, levels, base))
    _, levels, base = min(found)
    return base, levels
