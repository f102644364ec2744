"""Regularised leaders, which choose their points by noisy sums of gradients from a private
counter."""

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Final, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.composition.complex_mechanism import Lifting
from antiphon.learners.convex.convex_learner import Steps, check_dimensions, in_steps
from antiphon.learners.convex.convex_losses import Body, ConvexLoss, Point
from antiphon.learners.learner import QUERIES
from antiphon.mechanisms import COUNT, fields
from antiphon.mechanisms.counters.counter import QUERIES as COUNTS
from antiphon.mechanisms.counters.factors.rows import Array, bare, held
from antiphon.numbers import CompositionError, InvalidArgument, PartError, exact
from antiphon.populations.each_replica import for_each
from antiphon.protocol import LEFT, RIGHT, Coins, PostProcessor, Side, Status, column_safe, register
from antiphon.protocol.messages import EMPTY, HALT, STAND_IN, TOP
from antiphon.protocol.registry import set_derived
from antiphon.protocol.spaces import Arrays, Either, Finite, Signature, Space
from antiphon.verifiers.models import UpdatesAndQueries, event_level, updates_and_queries
from antiphon.verifiers.relations import AddOrRemove, AnyTwo, Near

MOST_STEPS: Final = 1 << 20
_STEPS: Final = fields.at_most(MOST_STEPS, "a gradient need not be finer")


def _weight(value: object) -> float:
    if exact.fraction(value, "start or growth") < 0:
        raise InvalidArgument("start and growth are at least 0")
    return fields.check_double(value, "start or growth") if value else 0.0


@register("antiphon.Stance/1", state=True)
class Stance(NamedTuple):
    """The state of a leader: the number of noisy sums received, its points, and whether it waits
    for a sum."""

    rounds: int
    rows: Array
    """In row 0 the leader's point x_t; in further rows the points that it mixes, if any."""
    asked: bool = False
    """Whether the leader has asked the counter for the sum, and waits for its answer."""

    @property
    def points(self) -> Point:
        """The rows of the state as an array of doubles."""
        found: Point = bare(self.rows)
        return found

    @property
    def point(self) -> Point:
        """The leader's point x_t: the first of its ``points``."""
        first: Point = self.points[0]
        return first


def standing(rounds: int, points: Point) -> Stance:
    """The state of a leader with these points, after this number of rounds."""
    return Stance(rounds, held(points))


@attrs.frozen(kw_only=True)
class SumLeader(PostProcessor[Stance]):
    """A post-processor that sends gradients to a private counter, and computes its point from the
    counter's noisy sums. Abstract."""

    stances: ClassVar[int]
    """The number of points in a state of the leader: x_t, and those from which it is mixed."""
    deterministic = True

    body: Body
    loss: ConvexLoss
    steps: int = attrs.field(converter=fields.size, metadata=_STEPS)
    clip: float = attrs.field(converter=fields.double)
    start: float = attrs.field(default=0.0, converter=_weight)
    growth: float = attrs.field(default=0.0, converter=_weight)
    zero_out: bool = attrs.field(default=False, validator=fields.boolean)
    lifting: Lifting = attrs.field(init=False, eq=False, repr=False)
    _gradients: Arrays = attrs.field(init=False, eq=False, repr=False)
    """The space of the leader's updates to the counter on its right."""
    _pace: float = attrs.field(init=False, eq=False, repr=False)
    """The factor reach/``steps`` (reach the largest norm in the body) from a noisy sum to a point:
    with a regulariser of weight clip/reach, the point is the projection of -reach/``steps``·sum."""

    def __attrs_post_init__(self) -> None:
        check_dimensions(self.body, self.loss)
        if not self.start + self.growth > 0:
            raise InvalidArgument("start and growth are not both 0: λ_t is above 0")
        reach = fields.check_double(self.body.reach, "the reach of a body")
        set_derived(
            self,
            lifting=Lifting(
                self.verification, self._inner, Status.PROVED, f"see {type(self).__name__}"
            ),
            _gradients=Arrays((self.width,), "int64", -self.steps, self.steps),
            _pace=reach / self.steps,
        )

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of coordinates of an update that the leader sends to the counter."""

    @property
    @abstractmethod
    def longest(self) -> Fraction:
        """The largest ℓ₂ norm of an update that the leader sends to the counter, in steps of length
        ``clip``/``steps``."""

    @property
    def sensitivity(self) -> Fraction:
        """The largest ℓ₂ distance between the updates for two neighbouring data, in steps of length
        ``clip``/``steps``."""
        return self.longest * (1 if self.zero_out else 2)

    @property
    def data(self) -> Space:
        """The space of the data z_t, with ``EMPTY`` (an absent datum) if ``zero_out`` is set."""
        present = self.loss.data
        return Either((present, Finite((EMPTY,)))) if self.zero_out else present

    @property
    def verification(self) -> UpdatesAndQueries:
        """The verification function f of the messages to the leader: one datum differs, and queries
        are the same."""
        relation = AddOrRemove(EMPTY) if self.zero_out else AnyTwo()
        return updates_and_queries(event_level(relation), QUERIES)

    @property
    def _inner(self) -> UpdatesAndQueries:
        """The verification function f' of the messages to the counter on the right: one update
        differs, by at most ``sensitivity`` in ℓ₂."""
        return updates_and_queries(event_level(Near(self.sensitivity, 2)), COUNTS)

    @property
    def initial_state(self) -> Stance:
        return standing(0, np.zeros((self.stances, self.body.dimension)))

    def signature(self, right: Signature) -> Signature:
        counts = right.queries.contains(COUNT) and not right.updates.contains(COUNT)
        clips = right.updates == Arrays((self.width,), "int64")
        if not counts or clips or not right.updates.includes(self._gradients):
            raise CompositionError(
                f"{type(self).__name__} asks a counter with dimension={self.width}, smallest="
                f"{-self.steps} and largest={self.steps}; the mechanism on its right takes "
                + ("arrays of any size, and clips them: leave out clip=True, as gradients are "
                   "clipped before they are sent" if clips else f"{right.queries}")
            )  # fmt: skip
        answers = Either((Finite((TOP,)), self.body.points))
        return Signature(Either((self.data, QUERIES)), answers, self.data)

    def is_over(self, state: Stance) -> None:
        return None

    def step(
        self, state: Stance, side: Side, message: Any, coins: Coins
    ) -> tuple[Stance, Side, object]:
        if side is LEFT:
            if type(message) is str:
                return state, LEFT, state.point
            return state, RIGHT, self.told(state, message)
        if message is HALT:
            return state._replace(asked=False), LEFT, HALT
        if not state.asked:
            return state._replace(asked=True), RIGHT, COUNT
        if STAND_IN.number(message) is np.ndarray:
            return self.moved(state.rounds + 1, message), LEFT, TOP
        return state._replace(asked=False), LEFT, message

    def told(self, state: Stance, datum: Any) -> Steps:
        """The update that the leader sends to the counter for a datum, an integer vector in units
        of ``clip``/``steps``; 0 for ``EMPTY``, an absent datum."""
        if datum is EMPTY:
            return np.zeros(self.width, np.int64)
        found: Steps = for_each(self._told, state.points, datum)
        return found

    @abstractmethod
    def _told(self, points: Point, datum: Any) -> Steps:
        """The integer vector that the leader sends to the counter as the update for a datum, given
        the points (rows) of its state."""

    def gradient(self, point: Point, datum: Any) -> Steps:
        """The gradient of the loss at the point, clipped to the norm ``clip``, as an integer vector
        in units of ``clip``/``steps``."""
        return in_steps(self.loss, point, datum, self.clip, self.steps)

    def moved(self, rounds: int, sums: NDArray[Any]) -> Stance:
        """The state after ``rounds`` data, given the last noisy sums of the counter."""
        return standing(rounds, for_each(self.table, rounds, sums))

    @abstractmethod
    def table(self, rounds: int, sums: NDArray[Any]) -> Point:
        """The points of the leader's state, one in each row, after ``rounds`` data, given the last
        noisy sums."""

    def stood(self, start: float, growth: float, rounds: int, sums: NDArray[Any]) -> Point:
        """The leader's point for noisy sums: the projection of -sums/λ onto the body, where λ =
        (clip/reach)·√(start + growth·rounds), and reach is the largest norm in the body."""
        return self.body.project(sums * (-self._pace / math.sqrt(start + growth * rounds)))


@attrs.frozen(kw_only=True)
class OneStance(SumLeader):
    """A leader whose state holds one point, at which it takes the gradients for the counter.
    Abstract."""

    stances: ClassVar[int] = 1

    @property
    def width(self) -> int:
        return self.body.dimension

    @property
    def longest(self) -> Fraction:
        return Fraction(self.steps)

    def _told(self, points: Point, datum: Any) -> Steps:
        return self.gradient(points[0], datum)

    def table(self, rounds: int, sums: NDArray[Any]) -> Point:
        return self.stood(self.start, self.growth, rounds, sums)[None]


@register("antiphon.RegularisedLeader/1")
@column_safe
@attrs.frozen(kw_only=True)
class RegularisedLeader(OneStance):
    """A post-processor that follows the regularised leader: x_{t+1} = argmin over x in K of ⟨G_t,
    x⟩ + λ_t‖x‖²/2, where G_t is a noisy sum of gradients, and λ_t the weight of the regulariser.

    (LEFT, z_t) -> (RIGHT, g_t), the gradient of ℓ(·; z_t) at x_t in ``steps`` = Q steps of
    ``clip``/Q, clipped to Σ g_i² <= Q² in whole numbers (``clipped``); (RIGHT, ⊤) -> (RIGHT,
    ``COUNT``); (RIGHT, G_t) -> (LEFT, ⊤). (LEFT, ``ADVICE``) -> (LEFT, x_t), from its state; a HALT
    goes left. λ_t = (clip/reach)·√(``start`` + ``growth``·t), reach the largest norm in K: then
    x_{t+1} is the projection of -G_t/λ_t. On its right, a counter of updates in {-Q, …, Q}^d:
    with Gaussian noise, of ``sensitivity``; or ``ExactSum``, and it is FTRL without noise.

    Neighbours: streams that differ in one datum, replaced by any other; with ``zero_out`` a datum
    may be ``EMPTY``, which has gradient 0, and one datum is present in one stream and EMPTY in the
    other.

    Privacy: that of the counter w.r.t. one update replaced by another at most 2Q away in ℓ₂ (Q with
    ``zero_out``), by CM Thm 6.1. It draws no coins. Take two runs with the same senders, the same
    answers and f-valid pairs of data: (destination) a datum goes right and ADVICE left, and f pairs
    no datum with ADVICE; where an answer leads depends on that answer only. (response) The state,
    rounds and point, is a function of the answers from the right alone, and so are its answers:
    x_t, ⊤ or HALT. (f→f') g_t is a function of (x_t, z_t), and x_t is the same in both. So where
    the data are the same, the gradients are; for the one pair that differs each has Σ g_i² <= Q²,
    so they are at most 2Q apart (Q if one is EMPTY, with gradient 0). COUNT is the same. The proof
    needs that loss and body are pure functions, which clipping cannot replace: a gradient that
    remembers a datum may differ ever after. For a user's loss or body this is assumed; this
    library's raise for no datum, under any ``np.seterr``. Source: Kairouz, McMahan, Song, Thakkar,
    Thakurta and Xu 2021, Alg. 1 (with a tree); gradients on a grid, and the proof, here. With other
    counters: Denisov et al. 2022. Raises: CompositionError for another mechanism on the right;
    PartError for a gradient that is no array of d doubles (one with an infinity or a NaN counts as
    0); past the counter's horizon, its InvalidArgument. The state is unchanged.
    """


@register("antiphon.HedgedLeader/1")
@column_safe
@attrs.frozen(kw_only=True)
class HedgedLeader(SumLeader):
    """A post-processor whose point x = c + p·(b - c) mixes the points b and c of a bold and a
    cautious regularised leader on the same noisy sums, with a noisy weight p in [0, 1].

    The bold leader has the λ_t² of ``RegularisedLeader``, the cautious one
    (clip/reach)²·``caution``·t. Beside the gradient g at x, the post-processor sends v, the loss at
    b minus the loss at c, in V = ⌊Q/2⌋ steps of clip·reach, clipped to {-V, …, V}: d + 1 numbers,
    to a counter with one more coordinate. With S the noisy sum of all v, p = ½ - S/(V·``spread``),
    clipped to [0, 1].

    So it mostly does about as well as the better of the two leaders, if ``spread`` is about the
    noise of S/V. No bound on regret is claimed: both leaders receive gradients at x only, and p may
    stay near 1 although the cautious leader is better (docs/dp_ftrl.md). Privacy: as for
    ``RegularisedLeader``: b and c are functions of the counter's answers, as x is, and v is a
    function of (b, c, z), so v is the same where the data are. An update has norm at most √(Q² +
    V²), in integers, so two updates differ by at most twice this; for EMPTY all entries are 0.
    Source: here; a Hedge of two experts on losses known up to noise.
    """

    stances: ClassVar[int] = 3

    caution: float = attrs.field(converter=fields.double)
    spread: float = attrs.field(converter=fields.double)
    _unit: float = attrs.field(init=False, eq=False, repr=False)
    """The bound clip·reach, reach the body's largest norm, to which a difference of two losses is
    clipped; an update represents it by the integer ``stake``."""

    def __attrs_post_init__(self) -> None:
        SumLeader.__attrs_post_init__(self)
        set_derived(self, _unit=fields.check_double(self.clip * self.body.reach, "clip·reach"))

    @property
    def stake(self) -> int:
        """The integer V >= 1 that an update holds for the largest difference of losses between the
        bold and the cautious leader; V = 0 would hide all differences."""
        return max(1, self.steps // 2)

    @property
    def width(self) -> int:
        return self.body.dimension + 1

    @property
    def longest(self) -> Fraction:
        return exact.root_up(Fraction(self.steps**2 + self.stake**2))

    def _told(self, points: Point, datum: Any) -> Steps:
        point, bold, cautious = points
        gradient = self.gradient(point, datum)
        # NumPy's warnings might reveal the datum, so they are off; a difference that is NaN counts
        # as 0.
        with np.errstate(all="ignore"):
            more = self.loss.value(bold, datum) - self.loss.value(cautious, datum)
            return np.append(gradient, self.staked(more))

    def staked(self, more: float) -> int:
        """The difference ``more`` of two losses in units of clip·reach/V, V = ``stake``, as an
        integer clipped to {-V, …, V}; 0 for a NaN."""
        if not isinstance(more, float):
            raise PartError("the value of a loss is a float")
        found = more / self._unit * self.stake
        return int(min(max(found, -self.stake), self.stake)) if found == found else 0

    def table(self, rounds: int, sums: NDArray[Any]) -> Point:
        leaders = ((self.start, self.growth), (0.0, self.caution))
        bold, cautious = (self.stood(*each, rounds, sums[:-1]) for each in leaders)
        share = min(max(0.5 - float(sums[-1]) / (self.stake * self.spread), 0.0), 1.0)
        point = cautious + share * (bold - cautious)
        return np.array((point, bold, cautious))
