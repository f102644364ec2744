"""The common parts of all counters: messages, neighbouring updates, and error bounds."""

from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Final, Protocol

import attrs
import numpy as np
from typing_extensions import TypeVar

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import Amount, Array, Stream, row
from antiphon.mechanisms.counters.tails import ErrorsShown, discrete_laplace_variance
from antiphon.numbers import Intractable, InvalidArgument, exact
from antiphon.numbers.errors import listed, written_as
from antiphon.protocol import (
    TOP,
    Claim,
    Coins,
    ContinualMechanism,
    Pure,
    SampledCoins,
    proved,
    spaces,
)
from antiphon.protocol.registry import column_safe, set_derived
from antiphon.verifiers import AnyTwo, Near, OfUpdates, Relation, Within, models

COUNT: Final = "count"
"""The query of a counter, answered by the noisy sum of the updates so far."""
QUERIES: Final = spaces.Finite((COUNT,))

MANY: Final = 64
"""The least dimension for which noise is drawn in one call; for fewer coordinates single draws
are faster."""
_SEARCHED: Final = 1 << 16
_USERS: Final = spaces.Either((spaces.Integers(), spaces.Texts(64)))


def _int(_: object, field: "attrs.Attribute[int]", value: object) -> None:
    if type(value) is not int or abs(value) >= 2**62:
        raise InvalidArgument(f"{field.name} must be an int of at most 62 bits")


class Counting(Protocol):
    """The type of any counter's state: it has the number of updates so far."""

    @property
    def updates(self) -> int: ...


State = TypeVar("State", bound=Counting, default=Any)


@column_safe
@attrs.frozen(kw_only=True, repr=False)
class Counter(ContinualMechanism[State], ErrorsShown):
    """A running sum of up to ``horizon`` updates x_t, released with noise. Abstract.

    An update is answered ⊤, ``COUNT`` by the noisy sum of the updates so far. Without a
    ``dimension`` an update is an int in {smallest, …, largest}; with one it is an int64 array of
    that length with entries in that range, and all statements are for each coordinate.

    Neighbours: streams that differ in at most ``events`` updates, each by at most
    ``sensitivity`` (ints: |x - x'|; arrays: the ℓ_p distance, p = ``norm``), by default by
    any two updates of the range. Event level is ``events=1``. For user level, ``users=True``
    makes an update a record (user, x), the user an int or a text, and all updates that differ
    belong to one user: at most ``events`` of them.

    ``clip=True`` accepts every int and first moves it into the range, which brings no two updates
    further apart.

    Errors compare answers with the exact sum, per coordinate, for the discrete noise that is
    actually drawn. Raises: InvalidArgument for an update outside the range or past the horizon,
    before anything is drawn; the state is unchanged.
    """

    norm: ClassVar[int]
    """The p of the ℓ_p distance of two updates: 1 for Laplace noise, 2 for Gaussian noise."""
    numbers: ClassVar[type] = object
    """The type of the numbers that a counter of arrays keeps for each coordinate: Python ints, of
    any size (``object``), or floats."""

    horizon: int = attrs.field(converter=fields.size, metadata=fields.STREAM)
    smallest: int = attrs.field(default=0, validator=_int)
    largest: int = attrs.field(default=1, validator=_int)
    dimension: int | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.size), metadata=fields.COORDINATES
    )
    sensitivity: Fraction | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.positive)
    )
    events: int = attrs.field(default=1, converter=fields.size, metadata=fields.STREAM)
    clip: bool = attrs.field(default=False, validator=fields.boolean)
    users: bool = attrs.field(default=False, validator=fields.boolean)
    signature: spaces.Signature = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]

    _plain: bool = attrs.field(init=False, eq=False)
    """Whether updates are plain ints: no dimension, no clipping, no users."""

    def __attrs_post_init__(self) -> None:
        if self.smallest >= self.largest:
            raise InvalidArgument("largest must be greater than smallest: updates have to differ")
        counts, values = self._prepare(), self._values()
        updates = spaces.Tuples((_USERS, values)) if self.users else values
        answers = spaces.Either((spaces.Finite((TOP,)), counts))
        set_derived(
            self,
            _plain=self.dimension is None and not self.clip and not self.users,
            signature=spaces.Signature(spaces.Either((updates, QUERIES)), answers, updates),
        )

    @abstractmethod
    def _prepare(self) -> spaces.Space:
        """Set the fields that follow from the parameters, and return the space of answers to
        ``COUNT``."""

    def __repr__(self) -> str:
        given = [f for f in attrs.fields(type(self)) if f.init]
        shown = [
            (f.name, getattr(self, f.name)) for f in given if getattr(self, f.name) != f.default
        ]
        return f"{type(self).__name__}({', '.join(f'{name}={value!s}' for name, value in shown)})"

    def _values(self) -> spaces.Space:
        low, high = (None, None) if self.clip else (self.smallest, self.largest)
        if self.dimension is None:
            return spaces.Integers(low, high)
        bounds = () if self.clip else (self.smallest, self.largest)
        return spaces.Arrays((self.dimension,), "int64", *bounds)

    def step(self, state: State, message: Any, coins: Coins) -> tuple[State, Any]:
        if type(message) is str:
            return self._count(state, coins)
        if state.updates >= self.horizon:
            raise InvalidArgument(
                f"the horizon of {self.horizon} updates is reached; build the counter with a "
                "larger one, or use an UnboundedCounter"
            )
        x = message if self._plain else self.value(message)
        return self._update(state, x, coins), TOP

    def value(self, message: Any) -> Amount:
        """The value of an update message: the message without its user's name, clipped into the
        range if ``clip`` is set; an array becomes a hashable ``Row``."""
        x = message[1] if self.users else message
        if self.dimension is not None:
            bounded = np.clip(x, self.smallest, self.largest) if self.clip else x
            return row(bounded, self.numbers)
        number: int = min(max(x, self.smallest), self.largest) if self.clip else x
        return number

    def noise(self, coins: Coins, scale: Fraction) -> Amount:
        """A draw of discrete noise of this scale, Laplace for ℓ_1 and Gaussian for ℓ_2: a number
        or, with a ``dimension``, an array with independent noise in each coordinate.

        The noise of many coordinates is one draw of the coins, and one value on a tape.
        """
        flat = self.norm == 1
        one = coins.discrete_laplace if flat else coins.discrete_gaussian
        if self.dimension is None:
            return one(scale)
        if self.dimension < MANY:
            return row([one(scale) for _ in range(self.dimension)], self.numbers)
        many = coins.discrete_laplaces if flat else coins.discrete_gaussians
        return row(many(scale, self.dimension), self.numbers)

    @abstractmethod
    def _update(self, state: State, x: Amount, coins: Coins) -> State:
        """The state after one more update of value x."""

    @abstractmethod
    def _count(self, state: State, coins: Coins) -> tuple[State, Amount]:
        """The state after a query, and its answer: the noisy sum."""

    @written_as("M.counts([1, 0, 1])")
    def counts(
        self,
        updates: Stream,
        *,
        seed: int | np.random.SeedSequence | None = None,
        coins: Coins | None = None,
    ) -> Array:
        """The noisy sum after each update of a stream, as a session would answer ``COUNT``.

        Raises: InvalidArgument for a stream that is too long, or an update outside the
        range, before anything is drawn.
        """
        if not isinstance(updates, np.ndarray):
            updates = listed(updates, "updates", "M.counts([1, 0, 1])")
        if len(updates) > self.horizon:
            raise InvalidArgument(f"{len(updates)} updates are past the horizon {self.horizon}")
        values: Stream | None = self._table(updates)
        if values is None:
            stream = _listed(updates)
            if not all(map(self.signature.updates.contains, stream)):
                raise InvalidArgument(f"an update is outside {self.signature.updates}")
            values = stream if self._plain else list(map(self.value, stream))
        return self._counts(values, SampledCoins(seed) if coins is None else coins)

    def _table(self, updates: Stream) -> Array | None:
        """The updates as one array with a row for each update, checked; None if they are no
        array."""
        space = self.signature.updates
        if not isinstance(space, spaces.Arrays) or type(updates) is not np.ndarray:
            return None
        space = attrs.evolve(space, shape=(len(updates), *space.shape))
        if not space.contains(updates):
            raise InvalidArgument(f"an update is outside {space}")
        return np.clip(updates, self.smallest, self.largest) if self.clip else updates

    def _counts(self, values: Stream, coins: Coins) -> Array:
        state, found = self.initial_state, list[Amount]()
        for value in values:
            x = value if self.dimension is None else row(value, self.numbers)
            state = self._update(state, x, coins)
            state, count = self._count(state, coins)
            found.append(count)
        return np.array(found)

    @property
    def distance(self) -> Fraction:
        """The largest distance of two neighbouring updates, in the counter's norm; rounded up."""
        span = Fraction(self.largest - self.smallest)
        if self.sensitivity is not None:
            return self.sensitivity
        if self.dimension is None:
            return span
        return self.dimension * span if self.norm == 1 else exact.root_up(self.dimension * span**2)

    @property
    def verification(self) -> models.UpdatesAndQueries:
        """The verification function f: updates that differ as neighbours may, and equal queries in
        both worlds."""
        relation = self._relation()
        if not self.users:
            return models.updates_and_queries(
                models.event_level(relation, events=self.events), QUERIES
            )
        records = models.user_level(OfUpdates(relation), events=self.events)
        return models.updates_and_queries(records, QUERIES)

    def _relation(self) -> Relation:
        if self.sensitivity is None:
            return AnyTwo()
        if self.dimension is None:
            return Within(self.sensitivity)
        return Near(self.sensitivity, self.norm)

    @property
    @abstractmethod
    def state_size(self) -> int:
        """The count of numbers that the largest state holds for each coordinate."""

    @property
    @abstractmethod
    def max_squared_error(self) -> float:
        """The largest expected squared error over all times up to the horizon."""

    @property
    @abstractmethod
    def mean_squared_error(self) -> float:
        """The mean of the expected squared errors at the times 1, …, horizon."""

    @abstractmethod
    def max_squared_window(self, window: int) -> float:
        """The largest expected squared error, over all times, of the sum of the last ``window``
        updates: a difference of two counts."""

    def _searched(self, window: int) -> float:
        """The largest expected squared error of a window's sum, by trying all times. Raises:
        Intractable for more than 2^16 times."""
        if self.horizon > _SEARCHED:
            raise Intractable("errors of a window, by horizon", self.horizon, _SEARCHED)
        times = range(1, self.horizon + 1)
        return max(self.squared_error(each, max(0, each - window)) for each in times)

    @abstractmethod
    def _tail(self, updates: int, beta: float, since: int) -> float:
        """A bound on the error of one coordinate of the sum of the updates after ``since``, up to
        ``updates``, with probability at least 1 - beta."""

    @written_as("M.error_bound(100, beta=0.01)")
    def error_bound(self, updates: int, *, beta: float, since: int = 0) -> float:
        """A bound on the error of every coordinate of the count after ``updates`` updates, with
        probability at least 1 - beta.

        With ``since``: of the sum of the updates after the first ``since``, the difference of two
        counts. Raises: InvalidArgument for beta outside (0, 1) or a time past the horizon.
        """
        share = fields.beta(beta) / (self.dimension or 1)
        self._time(updates, since)
        return self._tail(updates, share, since) * (1 + 1e-9)

    def band(self, updates: int, *, beta: float) -> float:
        """Half the width, at time ``updates``, of a confidence band that holds at *all* times up to
        the horizon.

        All errors lie in the band with probability at least 1 - beta: a union bound.
        """
        return self.error_bound(updates, beta=fields.beta(beta) / self.horizon)

    def _time(self, updates: int, since: int = 0) -> int:
        if type(updates) is not int or not 0 <= updates <= self.horizon:
            raise InvalidArgument(f"a time is an int between 0 and the horizon {self.horizon}")
        if type(since) is not int or not 0 <= since <= updates:
            raise InvalidArgument(f"since is an int between 0 and the time {updates}")
        return updates


def _listed(updates: Stream) -> list[Any]:
    """The updates as a list; the entries of a one-dimensional array become Python numbers."""
    if type(updates) is np.ndarray and updates.ndim == 1:
        found: list[int] = updates.tolist()
        return found
    return list(updates)


@attrs.frozen(kw_only=True, repr=False)
class LaplaceNodes(Counter[State]):
    """A tree counter with discrete Laplace noise of the same scale in each node. Abstract."""

    norm: ClassVar[int] = 1
    _source: ClassVar[str]
    epsilon: Fraction = attrs.field(converter=fields.positive)
    scale: Fraction = attrs.field(init=False, eq=False)
    """The scale of the Laplace noise of one node: events·levels·distance/ε."""

    def _calibrate(self, levels: int) -> spaces.Space:
        """Set the noise scale, for updates that lie in ``levels`` nodes each, and return the space
        of answers to ``COUNT``."""
        set_derived(self, scale=self.events * levels * self.distance / self.epsilon)
        return whole_counts(self.dimension)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return proved(self, Pure(self.epsilon), self.verification, self._source)

    def _noise(self, coins: Coins) -> Amount:
        return self.noise(coins, self.scale)

    @property
    def noise_variance(self) -> float:
        """The variance of the noise of one node."""
        return discrete_laplace_variance(self.scale)


def whole_counts(dimension: int | None) -> spaces.Space:
    """The answer space of a counter that answers with ints, or with int64 arrays."""
    return spaces.Integers() if dimension is None else spaces.Arrays((dimension,), "int64")


def fractions_of(unit: int | None, dimension: int | None) -> spaces.Space:
    """The answer space of a counter of floats: the multiples of 1/unit, for a power of two
    ``unit``; any floats for None."""
    step = None if unit is None else 1 / unit
    if dimension is not None:
        return spaces.Arrays((dimension,), "float64", step=step)
    return spaces.Reals() if step is None else spaces.Multiples(step)
