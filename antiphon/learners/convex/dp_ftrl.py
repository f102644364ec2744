"""DP-FTRL: a regularised leader composed with a private counter, built for a budget of (ε, δ).

λ_t = (L/R)·√(start + growth·t), L the bound on gradients and R the largest norm in K. With b_t the
noise of a sum in units of L, FTRL on noisy sums has a regret of at most about

    RL·(λ_T/2 + Σ_t (½ + E‖b_t‖)/λ_t), λ in units of L/R,

for any convex losses: the regret of FTRL, plus L times the distance by which noise moves the
points. Presets:

* ``convex``, the default: growth = a = 1 + 2E‖b‖, for a bound of 1.5·RL·√(aT); the least, with
  growth 2a, is √2·RL·√(aT).
* ``linear``: start = T/4, as if there were no noise. For losses that are nearly linear around the
  learner's point (linear, logistic): noise then moves the points, but hardly changes the average
  loss. Where losses have kinks it may lose more than x = 0 (absolute loss: docs/dp_ftrl.md).
* ``hedged``: a mixture of the two by their losses (``HedgedLeader``), for a little more noise.
"""

import math
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.composition.accounting.calibration import budget, largest_rho
from antiphon.learners.convex.convex_losses import Body, ConvexLoss, Datum
from antiphon.learners.convex.leader import MOST_STEPS, HedgedLeader, RegularisedLeader, SumLeader
from antiphon.learners.learner import ROUNDS
from antiphon.learners.searching import keep_to
from antiphon.mechanisms import BufferedToeplitzCounter, UnboundedCounter, fields
from antiphon.mechanisms.counters.count_after import ExactSum
from antiphon.mechanisms.counters.counter import Counter
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Chain, Coins

Preset: TypeAlias = Literal["convex", "hedged", "linear"]
MakeCounter: TypeAlias = Callable[..., Counter]
"""The type of a function that makes a private counter, given its horizon, dimension, smallest and
largest update, sensitivity and zCDP parameter ρ."""

_FIRST: Final = 1 << 10
"""The number of rounds in the first epoch of a counter without a horizon, whose epochs double."""
_NOMINAL: Final = 1 << 20
"""For a counter without a horizon, the number of rounds after which its noise is computed in order
to tune the leader on its left."""
_COLUMNS: Final = 1 << 22
"""The largest horizon up to which the default counter normalises the columns of its matrix: beyond
it, its error cannot be computed."""
_SUMS: Final = 1 << 51
"""A bound on sums of gradients, as integers in units of a gradient's step: doubles hold such sums
exactly."""
_LITTLE: Final = 1e-3
"""The least ``spread`` (assumed noise) of a ``HedgedLeader``, for a counter with next to none."""
_LONGEST: Final = 1 << 31
"""The number of rounds assumed for a game without a horizon: more than are ever played."""


def buffered(*, horizon: int, **parameters: Any) -> Counter:
    """The default counter, with the least error: a ``BufferedToeplitzCounter``, whose matrix has
    normalised columns up to a horizon of 2^22."""
    return BufferedToeplitzCounter(horizon=horizon, normalised=horizon <= _COLUMNS, **parameters)


def dp_ftrl(
    *,
    body: Body,
    loss: ConvexLoss,
    epsilon: object,
    delta: object,
    horizon: int | None = None,
    preset: Preset = "convex",
    clip: float | None = None,
    zero_out: bool = False,
    counter: MakeCounter = buffered,
) -> Chain:
    """DP-FTRL: a regularised leader composed with a counter, (ε, δ)-DP as ``ap.guarantee`` derives
    it.

    Args: ``horizon``, the most data; None: any number, counted in epochs that double, at half of
    ρ. ``clip``, the bound on gradients, by default the loss's Lipschitz constant; ``zero_out``,
    neighbours by presence or absence of a datum, at half of the noise; ``counter``, the constructor
    of the counter, such as ``GaussianTreeCounter``. Raises: InvalidArgument for an invalid ε, δ,
    horizon, body or loss.

    >>> import antiphon as ap
    >>> from antiphon.learners.convex import Ball, LinearLoss
    >>> ball, loss = Ball(dimension=3), LinearLoss(dimension=3)
    >>> learner = dp_ftrl(body=ball, loss=loss, epsilon=1, delta=1e-6, horizon=1000)
    >>> promise = ap.guarantee(learner)
    >>> promise.status.value, 0.999 < promise.epsilon_at(1e-6) <= 1
    ('proved', True)
    """
    rho = largest_rho(*budget(epsilon, delta))
    leader = _leader(body, loss, clip, horizon, preset, zero_out)
    sums = {**_range(leader), "sensitivity": leader.sensitivity}
    if horizon is not None:
        right = counter(horizon=horizon, rho=rho, **sums)
        learner = _regularised(leader, preset, right.mean_squared_error) @ right
    else:
        epochs = UnboundedCounter(counter=counter(horizon=_FIRST, rho=rho / 2, **sums))
        learner = _regularised(leader, preset, epochs.squared_error(_NOMINAL)) @ epochs
    if counter is not buffered:
        keep_to(learner, epsilon, delta)
    return learner


def ftrl(*, body: Body, loss: ConvexLoss, horizon: int, preset: Preset = "convex") -> Chain:
    """FTRL: the leader of ``dp_ftrl`` with exact sums, for comparison. It claims no privacy."""
    leader = _leader(body, loss, None, horizon, preset, False)
    right = ExactSum(horizon=horizon, **_range(leader))
    return _regularised(leader, preset, 0.0) @ right


def _leader(
    body: Body, loss: ConvexLoss, clip: object, horizon: int | None, preset: Preset, zero_out: bool
) -> SumLeader:
    """A leader before it is tuned to the noise of its counter; its gradients are rounded to steps
    as fine as exact sums in doubles allow."""
    rounds = _LONGEST if horizon is None else fields.check_size(horizon, "horizon", ROUNDS)
    made: dict[str, Any] = {
        "body": body, "loss": loss, "steps": min(MOST_STEPS, _SUMS // rounds),
        "clip": fields.check_double(loss.lipschitz(body) if clip is None else clip, "clip"),
        "zero_out": zero_out,
    }  # fmt: skip
    made |= {"growth": 1 / 4} if horizon is None else {"start": rounds / 4}
    if preset == "hedged":
        return HedgedLeader(caution=1, spread=1, **made)
    if preset in ("convex", "linear"):
        return RegularisedLeader(**made)
    raise InvalidArgument("preset is 'convex', 'hedged' or 'linear'")


def _range(leader: SumLeader) -> dict[str, Any]:
    """The arguments ``dimension``, ``smallest`` and ``largest`` for a counter that takes the
    leader's gradients as updates."""
    return {"dimension": leader.width, "smallest": -leader.steps, "largest": leader.steps}


def _regularised(leader: SumLeader, preset: Preset, squared_error: float) -> SumLeader:
    """The leader with regularisation tuned to the noise of its counter, where ``squared_error`` is
    the mean squared error of each coordinate of a sum, in squared steps of a gradient's grid."""
    if preset == "linear":
        return leader
    single = math.sqrt(squared_error) / leader.steps
    growth = 1 + 2 * math.sqrt(leader.body.dimension) * single
    if isinstance(leader, HedgedLeader):
        spread = max(single * leader.steps / leader.stake, _LITTLE)
        return attrs.evolve(leader, caution=growth, spread=spread)
    return attrs.evolve(leader, start=0, growth=growth)


def follow(learner: Chain, data: Datum, coins: Coins) -> NDArray[np.float64]:
    """The points of a DP-FTRL learner, a row for each round, for data chosen beforehand.

    The answers of a session with the same draws, in a fraction of the time: all noise is drawn at
    once. Raises: InvalidArgument for a learner that is no leader and counter, and for data that a
    session would refuse, before anything is drawn.
    """
    (leader, *between), counter = learner.links, learner.mechanism
    if between or not isinstance(leader, SumLeader) or not isinstance(counter, Counter):
        raise InvalidArgument("follow is for a RegularisedLeader on the left of one counter")
    one = leader.loss.data
    if not attrs.evolve(one, shape=(len(data), *one.shape)).contains(data):
        raise InvalidArgument(f"data are a table with rows of {one}")
    noise = counter.counts(np.zeros((len(data), leader.width), np.int64), coins=coins)
    points = np.empty((len(data), leader.body.dimension))
    state, total = leader.initial_state, np.zeros(leader.width, np.int64)
    for place, datum in enumerate(data):
        points[place] = state.point
        total += leader.told(state, datum)
        state = leader.moved(place + 1, total + noise[place])
    return points
