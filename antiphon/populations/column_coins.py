"""Coins of a population of replicas: every replica in a block draws independently."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from antiphon.numbers.exact import Epsilon, number
from antiphon.populations import draws
from antiphon.populations.arithmetic import Lanes, Values
from antiphon.populations.array_columns import ArrayColumn, computed, int64s
from antiphon.populations.columns import Apart, Column
from antiphon.populations.each_replica import Opaque, accepting, for_each, to_scalar
from antiphon.protocol import SampledCoins, Space, freeze, generator
from antiphon.protocol.coins import discrete_noise
from antiphon.protocol.coins.coins import (
    Coins,
    Draw,
    Number,
    Result,
    Step,
    Stepped,
    as_exponent,
    told_scores,
)
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.coins.tapes import branch

FEW: Final = 256
"""The largest number of possible outcomes with which a draw splits a block of replicas; a draw with
more outcomes becomes a column."""
ALIKE: Final = 16
"""If split blocks are joined again: the largest number of outcomes of a draw that splits a block of
replicas without indices; for more outcomes, the replicas first get indices."""
LIMIT: Final = 1 << 18
"""The largest number of replicas in a block with columns (one number for each replica). Seeded
results depend on it, since it decides the order of draws."""
NUMBERS: Final = 1 << 22
"""The largest number of random numbers that a block draws at once, one vector per replica."""
KNOWN: Final = 1024
"""The number of parts whose step functions are cached."""
VECTORS: Final = {each + "s": each for each in discrete_noise.SAMPLERS}
"""The names of the draws of many numbers at once, each with the name of the draw of one number."""


class Part(NamedTuple):
    """Some replicas of a block that still have to take the same step, with the draws and decisions
    that they have made in it so far."""

    lanes: Lanes
    script: list[object]


def _array(drawn: tuple[Any, ...]) -> NDArray[np.int64]:
    """The drawn integers as an array; if they are columns, as a column of arrays."""
    columns = type(drawn[0]) is Column
    made: NDArray[np.int64] = int64s(drawn) if columns else np.array(drawn, np.int64)
    return made


class ColumnCoins(Coins):
    """The coins of all replicas in a block, in a population of replicas.

    ``run`` steps one block. A draw with few outcomes, or an ``if`` on a column, splits the block:
    the step goes on with the largest part, and the others go to ``waiting`` with their draws so
    far, to rerun the step. Other draws become columns.
    """

    strict = True
    shared = staticmethod(to_scalar)
    stacked = staticmethod(_array)

    def __init__(self, seed: int | np.random.SeedSequence | None = None) -> None:
        super().__init__()
        self.generator = generator(np.random.SeedSequence() if seed is None else seed)
        self.lanes = Lanes(1)
        self.waiting: list[Part] = []
        self.tape: list[Draw] = []
        """The draws of the last ``run``."""
        self.slow: dict[int, object] = {}
        """The parts that were stepped replica by replica, as they do not support columns."""
        self._steps: dict[int, tuple[Any, object]] = {}
        self._script: list[object] = []
        self._place = 0
        self.many = True
        self.joins = False
        """Whether blocks that this step splits may be joined again; only blocks of replicas with
        indices are."""
        self.heard = False
        """Whether the adversary uses the answers and supports columns; then an index drawn among
        many candidates becomes a column, and splits no block."""

    def __repr__(self) -> str:
        return f"ColumnCoins({self.lanes.size} replicas)"

    def _plain(self, value: Any) -> Any:
        kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is Column:
            return value
        return number(value.alone() if kind is ArrayColumn else value)

    def _exponent(self, value: Any) -> Any:
        return for_each(as_exponent, value) if self.many else as_exponent(to_scalar(value))

    def run(self, part: Part, step: Callable[..., Result], *arguments: object) -> Result:
        """Run one step for some replicas of a block (``part``); afterwards ``lanes`` holds the
        replicas for which it was run.

        Raises: Apart, once all replicas are in ``waiting`` one by one.
        """
        self.lanes, self._script = part
        self._place, self.tape = 0, []
        try:
            # NumPy's warnings are off: where it warns of an overflow, Python, too, computes
            # infinity.
            with np.errstate(all="ignore"):
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
            # The cache keeps the part alive, so that no other object can get its id.
            known = self._steps[id(part)] = step, part
        return known[0]  # type: ignore[no-any-return]

    def accepts(self, space: Space) -> Callable[[object], bool]:
        return accepting(space) if self.many else space.contains

    def beside(
        self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        return computed(ufunc, method, inputs, options, self)

    def decide(self, column: Column) -> bool:
        """The truth value of a column of numbers; if replicas disagree, the block is split."""
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
        """Split the block: the step goes on with its largest part, and the other parts wait."""
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

    def _number(self, width: int = 1) -> None:
        """Give indices to the replicas of the block, since they may differ from now on; replicas
        beyond the limit ``LIMIT`` wait, to be stepped in a later block.

        The limit is lower where each replica draws ``width`` numbers.
        """
        lanes, limit = self.lanes, min(LIMIT, max(1, NUMBERS // width))
        if not lanes.numbered:
            draws.reuse_memory()
            if lanes.size > limit:
                self.waiting.append(Part(Lanes(lanes.size - limit), list(self._script)))
                lanes = self.lanes = Lanes(limit)
            lanes.numbered = True

    def draw(self, kind: str, parameter: Any) -> object:
        self.draws += 1
        again = self._place < len(self._script)
        value = self._next() if again else self._toss(kind, parameter)
        if not self.many:
            value = to_scalar(value)
        self.tape.append(Draw(kind, parameter, value))
        return value

    def categorical_exp(self, rate: Epsilon, scores: Any) -> int:
        if self.many and type(scores) is ArrayColumn and scores.of("<i8", axes=1):
            parameter = as_exponent(to_scalar(rate)), scores
            return cast("int", self.draw("categorical_exp", parameter))
        return super().categorical_exp(to_scalar(rate), to_scalar(scores))

    def foreign(self, source: str, argument: object, toss: Callable[[], object]) -> Any:
        self.draws += 1
        again = self._place < len(self._script)
        if not again and self.lanes.size > 1:
            raise Apart
        value = self._next() if again else self._keep(freeze(toss()))
        self.tape.append(Draw("foreign", (source, argument), value))
        return value

    # A draw is made for all replicas of the block in the cheapest way with the right distribution:
    #
    #   split     If there are few outcomes. While the replicas are alike the block is stored as
    #             their number, and one multinomial draw gives the number of replicas with each
    #             outcome; once they have indices each draws alone, with its own probability if that
    #             is a column. The step goes on with the largest part. The others wait with a script
    #             of their draws, and the step (a pure function) is run again for them.
    #   column    If there are many outcomes: an array with a number for each replica. From here on
    #             the replicas differ, so they get indices; those beyond LIMIT wait.
    #   apart     If neither is possible: the code that draws does not support columns (``many`` is
    #             False), or doubles do not suffice. Then the replicas are stepped one by one.
    #
    # Each draw is kept in the script (``_keep``) and never repeated.

    def _toss(self, kind: str, parameter: Any) -> object:
        if not self.many and self.lanes.numbered and self.lanes.size == 1:
            return self._keep(self._scalar.draw(kind, parameter))
        if kind == "categorical_exp":
            rate, scores = parameter
            if type(scores) is ArrayColumn:
                return self._chosen(draws.choices(self.generator, rate, scores.now()), scores.size)
            kind, parameter = "categorical", draws.powers(rate, told_scores(scores))
            if self.many and self.heard and len(parameter) > ALIKE:
                self._number(len(parameter))
                drawn = draws.numbers(kind, parameter, self.generator, self.lanes.size)
                return self._chosen(drawn, len(parameter))
        if kind == "bernoulli" and type(parameter) is Column:
            return self._by_code(self.generator.random(self.lanes.size) < parameter.now())
        if kind == "categorical" and any(type(weight) is Column for weight in parameter):
            return self._weighted(parameter)
        if kind == "bernoulli_exp" and type(parameter) is Opaque:
            chances = np.array([float(draws.power(each)) for each in parameter.now()])
            return self._by_code(self.generator.random(self.lanes.size) < chances)
        if kind == "bernoulli_exp":
            return self._by_law("bernoulli", draws.power(parameter))
        if kind == "bernoulli" or (kind == "categorical" and len(parameter) <= FEW):
            return self._by_law(kind, parameter)
        if kind == "uniform_integer" and parameter <= FEW:
            return self._by_law(kind, parameter)
        if not self.many and self.lanes.size > 1:
            raise Apart
        self._number(parameter[1] if kind in VECTORS else 1)
        columns = self._columns(kind, parameter)
        if not columns:
            if self.lanes.size > 1:
                raise Apart
            return self._keep(self._scalar.draw(kind, parameter))
        if kind not in VECTORS:
            return self._keep(Column(columns[0], self))
        # The part that draws takes plain numbers, so a single replica is being stepped.
        if not self.many:
            return self._keep(tuple(np.concatenate(columns).tolist()))
        return self._keep(tuple([Column(each, self) for each in columns]))

    def _columns(self, kind: str, parameter: Any) -> list[Values]:
        """The drawn columns, one for each number that a replica draws; empty if this draw cannot be
        made for all replicas at once."""
        size = self.lanes.size
        if kind not in VECTORS:
            made = [draws.numbers(kind, parameter, self.generator, size)]
        elif size >= draws.PIECE:
            scale, count = parameter
            made = [draws.numbers(VECTORS[kind], scale, self.generator, size) for _ in range(count)]
        else:  # For few replicas, one call that draws all numbers is faster.
            scale, count = parameter
            words = self.generator.bit_generator.random_raw
            drawn = discrete_noise.many(VECTORS[kind], scale, count * size, words)
            made = [None] if drawn is None else list(drawn.reshape(count, size))
        return [each for each in made if each is not None]

    @cached_property
    def _scalar(self) -> SampledCoins:
        """Exact coins for a single replica, used for draws that cannot be made in doubles."""
        return SampledCoins(self.generator.integers(2**63).item())

    def _by_law(self, kind: str, parameter: object) -> object:
        """Make a draw with few outcomes, which splits the block; if the replicas are alike, one
        multinomial draw gives the number of replicas for each outcome."""
        law = branch(kind, parameter)
        if len(law) == 1:
            return self._keep(law[0][0])
        if self.joins and len(law) > ALIKE and self.lanes.size <= LIMIT:
            self._number()
        if self.lanes.numbered:
            ends = np.cumsum([float(p) for _, p in law])[:-1]
            codes = np.searchsorted(ends, self.generator.random(self.lanes.size), side="right")
            return self._by_code(codes, [value for value, _ in law])
        shares = draws.multinomial(self.generator, self.lanes.size, [p for _, p in law])
        parts = [(value, Lanes(n)) for (value, _), n in zip(law, shares, strict=True) if n]
        return self._split(parts)

    def _by_code(self, codes: Values, values: Sequence[object] = (False, True)) -> object:
        """Split a block of replicas with indices by outcome; replica i gets values[codes[i]]."""
        found: list[int] = np.flatnonzero(np.bincount(codes, minlength=1)).tolist()
        if len(found) == 1:
            return self._keep(values[found[0]])
        lanes = [self.lanes.only(np.flatnonzero(codes == code)) for code in found]
        return self._split([(values[code], part) for code, part in zip(found, lanes, strict=True)])

    def _chosen(self, codes: Values | None, candidates: int) -> object:
        """The candidates that the replicas have drawn, given their indices ``codes``: a column if
        there are many candidates; else the block is split."""
        assert codes is not None
        if candidates > ALIKE:
            return self._keep(Column(codes, self))
        return self._by_code(codes, range(candidates))

    def _weighted(self, weights: tuple[Number | Column, ...]) -> object:
        """A categorical draw with weights that differ from replica to replica."""
        size = self.lanes.size
        table = [np.broadcast_to(w.now() if type(w) is Column else float(w), size) for w in weights]
        ends = np.cumsum(np.asarray(table, float), axis=0)
        codes = (ends[:-1] <= self.generator.random(size) * ends[-1]).sum(axis=0)
        if len(weights) > FEW:
            return self._keep(Column(codes.astype(np.int64), self))
        return self._by_code(codes, range(len(weights)))


def _alone(part: Stepped[Any], *arguments: Any) -> Any:
    """A step of a part that does not support columns: made once if its inputs are the same in all
    replicas, else once for each replica.

    The last two arguments are the message and the coins; the earlier ones never hold columns.
    """
    *states, message, coins = arguments
    before = coins.many
    try:
        message = to_scalar(message)
        coins.many = False
        return part.step(*states, message, coins)
    except Apart as apart:
        apart.part = part
        raise
    finally:
        coins.many = before
