"""The k-ary tree counter with subtraction (Andersson, Pagh, Steiner, Torkamani 2025)."""

from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, NamedTuple

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.counter import Counter, whole_counts
from antiphon.mechanisms.counters.factors.rows import Amount, integers
from antiphon.mechanisms.counters.tails import discrete_laplace_variance, laplace_tail
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Claim, Coins, Pure, Space, column_safe, proved, register, set_derived


@register("antiphon.Level/1", state=True)
class Level(NamedTuple):
    """The part of a tree counter's state for the tree nodes of one height."""

    digit: int
    """The balanced digit of t: the number of nodes that are added or, if negative, subtracted."""
    noise: Amount
    """The noise of the prefix at this height: a sum over |digit| nodes, with their sign."""
    pending: tuple[Amount, ...]
    """The noise of each node that is still subtracted; the next one to be dropped is last."""


@register("antiphon.BalancedState/1", state=True)
class BalancedState(NamedTuple):
    """The state of the counter: the number of updates, their exact sum, and the noise of each
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
class BalancedTreeCounter(Counter[BalancedState]):
    """A counter that writes each prefix sum as a sum and difference of k-ary tree nodes: t in
    balanced base k.

    k = ``arity`` is odd, by default the one with the least mean squared error; digits lie
    in {-(k-1)/2, …, (k-1)/2} and t <= (k^levels - 1)/2. A prefix is the exact sum plus the noise of
    the nodes that its digits add, minus the noise of those that they subtract (these may reach past
    t, as only their noise is needed). Each node of height < levels has discrete Laplace noise of
    scale events·levels·distance/ε. Answers are ints.

    State: at most levels·(k+1)/2 numbers. About one draw and O(k) work an update.
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

    norm: ClassVar[int] = 1
    epsilon: Fraction = attrs.field(converter=fields.positive)
    arity: int | None = attrs.field(default=None, converter=_arity)
    base: int = attrs.field(init=False, eq=False)
    """The arity k of the tree, given or chosen."""
    levels: int = attrs.field(init=False, eq=False)
    """The number of nodes that one update lies in."""
    scale: Fraction = attrs.field(init=False, eq=False)
    """The scale of the Laplace noise of one node."""

    def _prepare(self) -> Space:
        base = self.arity or best_arity(self.horizon)
        levels = heights(self.horizon, base)
        scale = self.events * levels * self.distance / self.epsilon
        set_derived(self, base=base, levels=levels, scale=scale)
        return whole_counts(self.dimension)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "Andersson, Pagh, Steiner, Torkamani 2025; adaptive since δ = 0"
        return proved(self, Pure(self.epsilon), self.verification, source)

    @property
    def initial_state(self) -> BalancedState:
        return BalancedState(0, 0, (Level(0, 0, ()),) * self.levels)

    def _update(self, state: BalancedState, x: Amount, coins: Coins) -> BalancedState:
        levels = list(state.levels)
        for height, level in enumerate(levels):
            levels[height] = self._advanced(level, coins)
            if levels[height].digit != -(self.base // 2):
                break  # higher digits change only if this one wraps around
        return BalancedState(state.updates + 1, state.total + x, tuple(levels))

    def _advanced(self, level: Level, coins: Coins) -> Level:
        """The level after one more of its nodes: the digit grows by 1, or wraps around to -(base
        - 1)/2."""
        digit, noise, pending = level
        if digit < 0:
            return Level(digit + 1, noise + pending[-1] if digit < -1 else 0, pending[:-1])
        if digit < self.base // 2:
            return Level(digit + 1, noise + self._noise(coins), ())
        fresh = tuple(self._noise(coins) for _ in range(self.base // 2))
        return Level(-(self.base // 2), -sum(fresh), fresh)

    def _noise(self, coins: Coins) -> Amount:
        return self.noise(coins, self.scale)

    def _count(self, state: BalancedState, coins: Coins) -> tuple[BalancedState, Amount]:
        total = state.total + sum(level.noise for level in state.levels)
        return state, total if self.dimension is None else integers(total, self.dimension)

    # --- errors ------------------------------------------------------------------------------

    @property
    def state_size(self) -> int:
        return 1 + self.levels * (self.base + 1) // 2

    @property
    def noise_variance(self) -> float:
        """The variance of a node's noise."""
        return discrete_laplace_variance(self.scale)

    def squared_error(self, updates: int) -> float:
        return nodes(self._time(updates), self.base) * self.noise_variance

    @property
    def max_squared_error(self) -> float:
        return most_nodes(self.horizon, self.base) * self.noise_variance

    @property
    def mean_squared_error(self) -> float:
        return mean_nodes(self.horizon, self.base) * self.noise_variance

    def _tail(self, updates: int, beta: float) -> float:
        return laplace_tail(self.scale, nodes(updates, self.base), beta)


def heights(horizon: int, base: int) -> int:
    """The number of balanced digits that all times up to the horizon need: least h, (base^h -
    1)/2 >= horizon."""
    levels, power = 1, base
    while (power - 1) // 2 < horizon:
        levels, power = levels + 1, power * base
    return levels


def digits(time: int, base: int) -> list[int]:
    """The balanced digits of a time, the lowest first.

    >>> digits(5, 3)  # 5 = 9 - 3 - 1
    [-1, -1, 1]
    """
    found: list[int] = []
    while time:
        digit = (time + base // 2) % base - base // 2
        found.append(digit)
        time = (time - digit) // base
    return found


def nodes(time: int, base: int) -> int:
    """The number of nodes that are added or subtracted for the prefix at a time."""
    return sum(map(abs, digits(time, base)))


def most_nodes(horizon: int, base: int) -> int:
    """The largest ``nodes`` over all times up to the horizon.

    A time below the horizon has its digits down to some height, there a smaller digit,
    and below any digits; as times are >= 0, the first digit that is not 0 is positive.
    """
    half, above, best = base // 2, 0, nodes(horizon, base)
    for height, digit in reversed(list(enumerate(digits(horizon, base)))):
        least = -half if above else 0
        if digit > least:
            best = max(best, above + max(-least, abs(digit - 1)) + height * half)
        above += abs(digit)
    return best


def mean_nodes(horizon: int, base: int) -> float:
    """The mean of ``nodes`` over the times 1, …, horizon."""
    total, half = 0, base // 2
    for height in range(heights(horizon, base)):
        run, shift = base**height, (base**height - 1) // 2
        # The time t rounds to the node e = (t + shift) // run, and e's digit repeats with k.
        full, rest = divmod(horizon + 1 + shift, run)
        size = (half + 1) * half  # Σ |d| over a period of digits
        periods, extra = divmod(full, base)
        rising, falling = min(extra, half + 1), max(0, extra - half - 1)
        partial = rising * (rising - 1) // 2 + falling * half - falling * (falling - 1) // 2
        last = abs((full + half) % base - half)
        total += run * (periods * size + partial) + rest * last  # e = 0 has digit 0
    return total / horizon


@lru_cache(maxsize=256)
def best_arity(horizon: int) -> int:
    """The odd arity k with the least mean squared error for a horizon.

    For each number of levels only the least sufficient k is tried: more children with as many
    levels give more nodes in a prefix.
    """
    candidates = {least_base(horizon, levels) for levels in range(1, horizon.bit_length() + 2)}
    return min(candidates, key=lambda k: (heights(horizon, k) ** 2 * mean_nodes(horizon, k), k))


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
