"""The choice of a learner among those with a proved bound on regret, ranked by this bound.

The bound is on expected regret against losses that do not depend on the advice. It is an upper
bound, not an estimate: measured regret is smaller, and may rank two close learners the other way
(docs/learners.md).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import attrs

from antiphon.learners.experts.lazy import LazyExperts, PrivateDartboard
from antiphon.learners.experts.noisy_leader import NoisyLeader
from antiphon.learners.learner import OnlineLearner
from antiphon.numbers import exact, fixed_up, shown_up
from antiphon.numbers.errors import Elsewhere, InvalidArgument, written_as
from antiphon.protocol import Card, ForPrograms, Grid, Shown, message_label

_MAKERS: Final[tuple[Callable[..., Any], ...]] = (
    NoisyLeader.tuned,
    LazyExperts.tuned,
    PrivateDartboard.tuned,
)


@attrs.frozen(repr=False)
class RankedLearner(ForPrograms):
    """A learner with its proved bound on expected regret; or ``learner`` is None, for drawing a
    random expert in each round."""

    _told = "name regret_bound parameters"

    name: str
    regret_bound: float
    learner: OnlineLearner | None = None

    @property
    def parameters(self) -> str:
        """The learner's name with its parameters; "" for uniform play."""
        return "" if self.learner is None else message_label(self.learner, 200)

    def __repr__(self) -> str:
        return f"<{self.name}: regret at most {fixed_up(self.regret_bound, 1)}>"


@attrs.frozen(repr=False)
class LearnerChoice(Shown, ForPrograms):
    """Private learners for given numbers of rounds and experts, ranked by their proved regret
    bounds."""

    rounds: int
    experts: int
    epsilon: exact.ExactEpsilon
    delta: float
    ranked: tuple[RankedLearner, ...]
    """The learners, the least bound first; among them uniform play (random experts)."""

    @property
    def best(self) -> OnlineLearner | None:
        """The learner with the least bound; None if uniform play has the least."""
        return self.ranked[0].learner

    if not TYPE_CHECKING:
        learner = Elsewhere("it ranks several: write choose(…).best for the first of them")

    def _card(self) -> Card:
        size = f"{self.rounds:,} rounds, {self.experts:,} experts, ε = {shown_up(self.epsilon)}"
        first = self.ranked[0]
        use = f"use {first.name}" if first.learner else "no learner is proved better than uniform"
        rows = [(each.name, fixed_up(each.regret_bound, 1)) for each in self.ranked]
        note = (
            "Ranked by the proved bound on expected regret, for losses that do not depend on the "
            f"advice; δ = {shown_up(self.delta)}."
        )
        grid = Grid(rows, ("learner", "regret at most"), numbers=("regret at most",))
        return Card(f"{size}: {use}", (grid, note))


@written_as("learners.choose(rounds=1000, experts=50, epsilon=1)")
def choose(
    *, rounds: int, experts: int, epsilon: exact.Epsilon, delta: float = 1e-6, grid: int = 1
) -> LearnerChoice:
    """This library's private learners with a proved bound on regret, ranked by this bound.

    Each is tuned to be (ε, δ)-DP, and takes losses in steps of 1/``grid``: 0 and 1 only, unless you
    give the grid of your game (``LossTable.of(losses).grid``). ``LazyToPrivate`` of the same
    weights has a larger bound than ``LazyExperts``, and is left out. Cost: about a second, for the
    searches of parameters.
    Raises: InvalidArgument for ε or δ outside (0, ∞) and (0, 1).

    >>> found = choose(rounds=2**12, experts=50, epsilon=1)
    >>> [(each.name, round(each.regret_bound)) for each in found.ranked]
    [('LazyExperts', 270), ('PrivateDartboard', 306), ('NoisyLeader', 367), ('uniform play', 4014)]
    >>> type(found.best).__name__
    'LazyExperts'
    """
    total, number = exact.whole(rounds, "rounds"), exact.whole(experts, "experts")
    if number < 2:
        raise InvalidArgument("experts must be at least 2")
    budget = exact.epsilon(epsilon)
    size: dict[str, Any] = {"horizon": total, "experts": number, "epsilon": budget, "delta": delta}
    size["grid"] = grid
    if delta == 0:
        raise InvalidArgument("delta is above 0, such as 1e-6: no learner of experts here is pure")
    found = [RankedLearner("uniform play", total * (1 - 1 / number))]
    for make in _MAKERS:
        try:
            learner = make(**size)
        except InvalidArgument:
            # An invalid ε or δ is refused by every learner: the first learner's error is raised.
            if make is _MAKERS[0]:
                raise
            # No parameters satisfy the premises of this learner's bound, so it is left out.
            continue
        found.append(RankedLearner(type(learner).__name__, learner.regret_bound, learner))
    found.sort(key=lambda each: each.regret_bound)
    return LearnerChoice(total, number, budget, delta, tuple(found))
