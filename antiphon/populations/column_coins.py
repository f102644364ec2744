"""Coins of a population: every replica of a block tosses its own (the populated reading)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antiphon.numbers.exact import Epsilon, ExactEpsilon, Log, number
from antiphon.populations.arithmetic import Values
from antiphon.populations.columns import Apart, Column
from antiphon.populations.lanes import Lanes
from antiphon.populations.plain import accepting, plain
from antiphon.protocol.coins import Coins, Draw, Number, SampledCoins, discrete_noise, generator
from antiphon.protocol.coins.coins import Result, Step, Stepped, told_scores
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.coins.enumeration import branch
from antiphon.protocol.spaces import Space

FEW: Final = 256
"""A finite draw with at most so many outcomes splits a block; a wider one is a column."""
ALIKE: Final = 16
"""A draw with more outcomes numbers replicas that are joined again: their number grows no more."""
LIMIT: Final = 1 << 18
"""Most replicas in a block with columns; part of an experiment, as the order of draws is."""
KNOWN: Final = 1024
"""Of so many parts at most it is kept how they are stepped."""
VECTORS: Final = {each + "s": each for each in discrete_noise.SAMPLERS}
"""Draws of many at once, by name, and what each of them is."""


class Part(NamedTuple):
    """A part of a block that still has to take its step, and what it has tossed and decided."""

    lanes: Lanes
    script: list[object]


class ColumnCoins(Coins):
    """The coins of all replicas of a block.

    ``run`` steps one block. A draw with few outcomes, and the truth of a column, split it:
    the step goes on with the larger part, and the others are left in ``waiting`` with what
    they have tossed, to be run again. Other draws are columns.
    """

    strict = True

    def __init__(self, seed: int | np.random.SeedSequence | None = None) -> None:
        super().__init__()
        self.generator = generator(np.random.SeedSequence() if seed is None else seed)
        self.lanes = Lanes(1)
        self.waiting: list[Part] = []
        self.tape: list[Draw] = []
        """The draws of the last ``run``."""
        self.slow: dict[int, object] = {}
        """Whose steps took replicas apart, because they know nothing of columns."""
        self._steps: dict[int, tuple[Any, object]] = {}
        self._script: list[object] = []
        self._place = 0
        self.many = True
        self.joins = False
        """Whether what this step splits is joined again, if it is numbered."""

    def __repr__(self) -> str:
        return f"ColumnCoins({self.lanes.size} replicas)"

    def _plain(self, value: Any) -> Any:
        return value if type(value) is Column else number(value)

    def run(self, part: Part, step: Callable[..., Result], *arguments: object) -> Result:
        """One step for a block; ``lanes`` are then those it was made for.

        Raises: Apart, once all replicas are in ``waiting`` one by one.
        """
        self.lanes, self._script = part
        self._place, self.tape = 0, []
        try:
            with np.errstate(all="ignore"):  # as Python's floats, which overflow in silence
                return step(*arguments, self)
        except Apart as apart:
            if apart.part is not None:
                self.slow[id(apart.part)] = apart.part
            self._take_apart()
            raise

    def steps(self, part: Stepped[Step]) -> Step:
        if not self.many:
            return part.step
        known = self._steps.get(id(part))
        if known is None:
            if len(self._steps) == KNOWN:
                self._steps.clear()
            step: Any = part.step if is_column_safe(part) else partial(_alone, part)
            known = self._steps[id(part)] = step, part  # which keeps its id
        return known[0]  # type: ignore[no-any-return]

    def accepts(self, space: Space) -> Callable[[object], bool]:
        return accepting(space) if self.many else space.contains

    # --- splitting -------------------------------------------------------------------------

    def decide(self, column: Column) -> bool:
        """The truth of a column, after splitting the block by it."""
        if self._place < len(self._script):
            return bool(self._next())
        truth = column.now()
        truth = truth if column.kind is bool else truth != 0
        yes = int(np.count_nonzero(truth))
        if 0 < yes < truth.size:
            rest = self.lanes.where(~truth, truth.size - yes)
            return bool(self._split([(True, self.lanes.where(truth, yes)), (False, rest)]))
        return bool(self._keep(yes > 0))

    def _split(self, parts: Sequence[tuple[object, Lanes]]) -> object:
        """Go on with the largest part; the others wait."""
        value, lanes = max(parts, key=lambda part: part[1].size)
        for other, rest in parts:
            if rest is not lanes:
                self.waiting.append(Part(rest, [*self._script, other]))
        self.lanes = lanes
        return self._keep(value)

    def _keep(self, value: Result) -> Result:
        self._script.append(value)
        self._place += 1
        return value

    def _next(self) -> object:
        self._place += 1
        return self._script[self._place - 1]

    def _take_apart(self) -> None:
        lanes, script = self.lanes, self._script[: self._place]
        if lanes.numbered:
            for place in range(lanes.size):
                self.waiting.append(Part(lanes.only(np.array([place])), list(script)))
        else:
            self.waiting.append(Part(Lanes(lanes.size - 1), list(script)))
            self.waiting.append(Part(Lanes(1), list(script)))

    def _number(self) -> None:
        """Number the replicas: from here on they differ. Too many wait for their turn."""
        lanes = self.lanes
        if not lanes.numbered:
            _reuse_memory()
            if lanes.size > LIMIT:
                self.waiting.append(Part(Lanes(lanes.size - LIMIT), list(self._script)))
                lanes = self.lanes = Lanes(LIMIT)
            lanes.numbered = True

    # --- draws -----------------------------------------------------------------------------

    def draw(self, kind: str, parameter: Any) -> object:
        self.draws += 1
        again = self._place < len(self._script)
        value = self._next() if again else self._toss(kind, parameter)
        if not self.many:
            value = plain(value)
        self.tape.append(Draw(kind, parameter, value))
        return value

    def bernoulli_exp(self, exponent: Epsilon) -> bool:
        return super().bernoulli_exp(plain(exponent))

    def categorical_exp(self, rate: Epsilon, scores: NDArray[np.int64]) -> int:
        return super().categorical_exp(plain(rate), scores)

    def uniform_integer(self, n: int) -> int:
        return super().uniform_integer(plain(n))

    def discrete_laplace(self, scale: Number) -> int:
        return super().discrete_laplace(plain(scale))

    def discrete_gaussian(self, sigma: Number) -> int:
        return super().discrete_gaussian(plain(sigma))

    def discrete_laplaces(self, scale: Number, count: int) -> tuple[int, ...]:
        return super().discrete_laplaces(plain(scale), count)

    def discrete_gaussians(self, sigma: Number, count: int) -> tuple[int, ...]:
        return super().discrete_gaussians(plain(sigma), count)

    # A draw is made for all replicas of the block in the cheapest way that is still theirs:
    #
    #   split     Few outcomes. As long as replicas are alike the block is a number n, and one
    #             multinomial draw says how many see what; once they are numbered each tosses for
    #             itself, with a probability of its own where that is a column. The step goes on
    #             with the largest part. The others wait with the script of what they have tossed,
    #             and the step is run again for them from its start: it is pure.
    #   column    Many outcomes: an array, a number for each replica. From here on they differ, so
    #             they are numbered; more than LIMIT wait.
    #   apart     Neither will do: the code that draws knows nothing of columns (``many`` is False),
    #             or the draw needs more than doubles. Then one replica at a time.
    #
    # What is drawn is put in the script (``_keep``), never drawn twice.

    def _toss(self, kind: str, parameter: Any) -> object:
        if kind == "categorical_exp":
            rate, scores = parameter
            kind, parameter = "categorical", _powers(rate, told_scores(scores))
        if kind == "bernoulli" and type(parameter) is Column:
            return self._by_code(self.generator.random(self.lanes.size) < parameter.now())
        if kind == "categorical" and any(type(weight) is Column for weight in parameter):
            return self._weighted(parameter)
        if kind == "bernoulli_exp":
            return self._by_law("bernoulli", _power(parameter))
        if kind == "bernoulli" or (kind == "categorical" and len(parameter) <= FEW):
            return self._by_law(kind, parameter)
        if kind == "uniform_integer" and parameter <= FEW:
            return self._by_law(kind, parameter)
        if not self.many and self.lanes.size > 1:
            raise Apart
        self._number()
        columns = self._columns(kind, parameter)
        if not columns:
            if self.lanes.size > 1:
                raise Apart
            return self._keep(self._scalar.draw(kind, parameter))
        if kind not in VECTORS:
            return self._keep(Column(columns[0], self))
        if not self.many:  # a single replica, whose part hears numbers
            return self._keep(tuple(np.concatenate(columns).tolist()))
        return self._keep(tuple([Column(each, self) for each in columns]))

    def _columns(self, kind: str, parameter: Any) -> list[Values]:
        """One draw, or as many as are asked for, of each replica; none where that is not known."""
        size = self.lanes.size
        if kind not in VECTORS:
            made = [_numbers(kind, parameter, self)]
        elif size >= _PIECE:
            scale, count = parameter
            made = [_numbers(VECTORS[kind], scale, self) for _ in range(count)]
        else:  # those of few replicas are made together, for speed
            scale, count = parameter
            words = self.generator.bit_generator.random_raw
            drawn = discrete_noise.many(VECTORS[kind], scale, count * size, words)
            made = [None] if drawn is None else list(drawn.reshape(count, size))
        return [each for each in made if each is not None]

    @cached_property
    def _scalar(self) -> SampledCoins:
        """For draws that need more than doubles, one replica at a time."""
        return SampledCoins(self.generator.integers(2**63).item())

    def _by_law(self, kind: str, parameter: object) -> object:
        """A draw with few outcomes: replicas that are alike part by one multinomial draw."""
        law = branch(kind, parameter)
        if len(law) == 1:
            return self._keep(law[0][0])
        if self.joins and len(law) > ALIKE and self.lanes.size <= LIMIT:
            self._number()
        if self.lanes.numbered:
            ends = np.cumsum([float(p) for _, p in law])[:-1]
            codes = np.searchsorted(ends, self.generator.random(self.lanes.size), side="right")
            return self._by_code(codes, [value for value, _ in law])
        shares = multinomial(self.generator, self.lanes.size, [p for _, p in law])
        parts = [(value, Lanes(n)) for (value, _), n in zip(law, shares, strict=True) if n]
        return self._split(parts)

    def _by_code(self, codes: Values, values: Sequence[object] = (False, True)) -> object:
        """Split numbered replicas by the place of their outcome."""
        found: list[int] = np.flatnonzero(np.bincount(codes, minlength=1)).tolist()
        if len(found) == 1:
            return self._keep(values[found[0]])
        lanes = [self.lanes.only(np.flatnonzero(codes == code)) for code in found]
        return self._split([(values[code], part) for code, part in zip(found, lanes, strict=True)])

    def _weighted(self, weights: tuple[Number | Column, ...]) -> object:
        """A categorical draw whose weights differ from replica to replica."""
        size = self.lanes.size
        table = [np.broadcast_to(w.now() if type(w) is Column else float(w), size) for w in weights]
        ends = np.cumsum(np.asarray(table, float), axis=0)
        codes = (ends[:-1] <= self.generator.random(size) * ends[-1]).sum(axis=0)
        if len(weights) > FEW:
            return self._keep(Column(codes.astype(np.int64), self))
        return self._by_code(codes, range(len(weights)))


def _alone(part: Stepped[Any], *arguments: Any) -> Any:
    """A step that knows nothing of columns: shared if nothing differs, else one by one.

    The last arguments are the message and the coins; the others never hold columns.
    """
    *states, message, coins = arguments
    before = coins.many
    try:
        message = plain(message)
        coins.many = False
        return part.step(*states, message, coins)
    except Apart as apart:
        apart.part = part
        raise
    finally:
        coins.many = before


def _power(exponent: ExactEpsilon) -> Number:
    """e^(-exponent): in doubles, unless it is rational."""
    if isinstance(exponent, Log):
        return 1 / exponent.argument
    return math.exp(-min(exponent, Fraction(1000)))  # 0 from 746 on


def _powers(rate: ExactEpsilon, scores: NDArray[np.int64]) -> tuple[float, ...]:
    """e^(rate·score), but for a common factor: in doubles."""
    gaps = np.subtract(scores.max(), scores).view(np.uint64).astype(float)  # of up to 64 bits
    weights: list[float] = np.exp(-min(float(rate), 1000.0) * gaps).tolist()
    return tuple(weights)


def _numbers(kind: str, parameter: Any, coins: ColumnCoins) -> Values | None:
    """One draw for each replica; exact if discrete noise, else in doubles, for simulation.

    None for a draw that is made for one replica at a time.
    """
    generator, size = coins.generator, coins.lanes.size
    if kind in ("laplace", "gaussian"):
        scale = parameter.now() if type(parameter) is Column else float(parameter)
        drawn = (_laplaces if kind == "laplace" else _normals)(generator, size)
        drawn *= scale
        return drawn
    if kind == "uniform_integer" and parameter <= 2**62:
        return generator.integers(parameter, size=size)
    if kind == "categorical":
        weights = np.asarray([float(weight) for weight in parameter])
        ends = np.cumsum(weights / weights.sum())
        return np.searchsorted(ends[:-1], generator.random(size), side="right").astype(np.int64)
    if kind in discrete_noise.SAMPLERS:  # these are exact here too
        return discrete_noise.many(kind, parameter, size, generator.bit_generator.random_raw)
    return None


@cache
def _reuse_memory() -> None:
    """Free one large array, after which glibc keeps what is freed for the next columns.

    Before, it maps each array anew, page by page, which takes longer than to fill it.
    """
    np.empty(31 << 20, np.uint8)


_PIECE: Final = 1 << 14
"""Numbers that stay in a cache while they are made."""


def _laplaces(generator: np.random.Generator, size: int) -> Values:
    """Standard Laplace draws: a ziggurat and a sign, thrice as fast as NumPy's inversion."""
    drawn = np.empty(size)
    for start in range(0, size, _PIECE):
        piece = drawn[start : start + _PIECE]
        count = len(piece)
        generator.standard_exponential(out=piece)
        bits = np.unpackbits(np.frombuffer(generator.bytes(-(-count // 8)), np.uint8), count=count)
        piece *= 1.0 - 2.0 * bits
    return drawn


def _normals(generator: np.random.Generator, size: int) -> Values:
    return generator.standard_normal(size)


def multinomial(
    generator: np.random.Generator, count: int, probabilities: Sequence[Number]
) -> list[int]:
    """How ``count`` independent trials fall to the outcomes.

    The probabilities are rounded to doubles, within 1e-15 in all.
    """
    values = [float(Fraction(p)) for p in probabilities]
    largest = values.index(max(values))
    values[largest] -= max(0.0, sum(values) - 1) + 2.0**-51  # the sampler wants at most 1
    shares: list[int] = generator.multinomial(count, values).tolist()
    return shares
