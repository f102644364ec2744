"""A filter: what is sought is which claims are charged to it, in which order, on which path."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import attrs
import numpy as np

from antiphon.audit.conjectures.climbing import Climb, Generator, Size
from antiphon.audit.conjectures.exact_figures import Figure, figure_of, maybe_order
from antiphon.audit.conjectures.judging import Judged
from antiphon.audit.conjectures.law_trees import Doubles
from antiphon.audit.conjectures.patterns.game_pattern import judged_game, no_divergence
from antiphon.audit.conjectures.patterns.pattern import Pattern, Sizes
from antiphon.audit.conjectures.patterns.worst_responses import (
    Charged,
    WorstResponse,
    charged,
    worst,
)
from antiphon.audit.exact.question import Question
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.filters.adaptive import adaptive_parameters
from antiphon.composition.filters.budget import Budget, Refusal
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.registry import register

_MOST: Final = 16
"""Claims of a grid: all sets of them are looked at, if there is time."""


def _few(_: object, __: object, given: tuple[Charged, ...]) -> None:
    if not given or len(given) > _MOST or len(set(given)) < len(given):
        raise InvalidArgument(
            f"claims is a grid of 1 to {_MOST} different (ε, δ), such as ((Log(2), 0), (Log(3), "
            "0)), or ZeroConcentrated(…), or Renyi(OnlyAt(order, moment))"
        )


def _budget(_: object, __: object, given: object) -> None:
    if not isinstance(given, Budget):
        raise InvalidArgument(
            f"budget is a filter, of ExtConComp(budget=…), not a {type(given).__name__}"
        )


@register("antiphon.FilterPattern/1")
@attrs.frozen(kw_only=True)
class FilterPattern(Pattern):
    """ExtConComp with a budget, of which up to ``creations`` mechanisms are created adaptively.

    Their claims are of a grid, and each is the worst mechanism of its claim (``worst_responses``):
    of (ε, δ) RR_{ε,δ}, of which whatever keeps the claim is a post-processor, so that nothing is
    lost that these do not lose. The best adversary of a set of them is the exact engine's to find;
    what is sought is the set, from small ones on. There are finitely many, and a search ends with
    the last. Bounded is their δ at ε; or, with an ``order``, the moment e^((α-1)D) of that order.
    """

    budget: Budget[Any] = attrs.field(validator=_budget)
    claims: tuple[Charged, ...] = attrs.field(converter=charged, validator=_few)
    creations: int = attrs.field(default=3, validator=lambda _, __, n: exact.whole(n, "creations"))
    order: int | None = attrs.field(default=None, validator=maybe_order)

    def __attrs_post_init__(self) -> None:
        for each in self.responses:
            if self.order is not None and not each.bounds_divergences:
                raise no_divergence(str(each))

    @cached_property
    def responses(self) -> tuple[WorstResponse, ...]:
        """The mechanism of each claim."""
        return tuple(map(worst, self.claims))

    def question(self, responses: Sequence[WorstResponse]) -> Question:
        """The game in which these may be created."""
        return Question(
            ExtConComp(budget=self.budget), adaptive_parameters(self.budget),
            catalogue=[each.creation for each in responses],
            max_creations=self.creations, report=None,
        )  # fmt: skip

    def figure(self, epsilon: ExactEpsilon) -> Figure:
        """What is bounded."""
        return figure_of(self.order, epsilon)

    def loss(
        self, responses: Sequence[WorstResponse], epsilon: ExactEpsilon, rounds: int
    ) -> Fraction:
        """The most that is lost with these."""
        found = self.figure(epsilon).tight(self.question(responses), rounds)
        assert found is not None  # as in ``judged``
        return found

    @property
    def rounds(self) -> int:
        """Each is created, and asked once: afterwards it only answers HALT."""
        return 2 * self.creations

    def described(self, epsilon: ExactEpsilon) -> str:
        figure, budget = self.figure(epsilon), type(self.budget).__name__
        return (
            f"{figure} of up to {self.creations} mechanisms with {len(self.claims)} claims to "
            f"choose from, behind {budget}"
        )

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        return {
            "figure": str(self.figure(epsilon)), "creations": self.creations,
            "claims": list(map(str, self.responses)),
        }  # fmt: skip

    def least(self, epsilon: ExactEpsilon) -> tuple[Fraction, str] | None:
        """What one claim loses alone. Raises: InvalidArgument if the filter charges none."""
        budget, claims = self.budget, [each.creation.claim for each in self.responses]
        charged = (budget.charge(budget.initial_state, each.measure) for each in claims if each)
        if all(type(each) is Refusal for each in charged):
            raise InvalidArgument(
                "the budget refuses every claim of the grid, even alone: give it smaller claims, "
                "or a larger budget"
            )
        alone = [self.loss([each], epsilon, 2) for each in self.responses]
        who = self.responses[alone.index(max(alone))]
        return max(alone), f"one mechanism loses alone that is {who}"

    @property
    def most(self) -> int:
        return (1 << len(self.claims)) - 1

    def sizes(self, rounds: int, answers: int) -> Sizes:
        return ((self.creations, len(self.claims)),)

    def in_words(self, sizes: Sizes) -> str:
        return "sets of its claims, small ones first"

    def climber(self, size: Size, epsilon: ExactEpsilon) -> SetBySet:
        return SetBySet(self, size, epsilon)

    def judged(self, found: Climb, epsilon: ExactEpsilon) -> Judged:
        chosen = [each for each, there in zip(self.responses, found.laws[0], strict=True) if there]
        mechanisms = tuple(each.creation.mechanism for each in chosen)
        lost = tuple(each.lost for each in chosen)
        result = judged_game(
            self.question(chosen), self.rounds, self.figure(epsilon), mechanisms, lost
        )
        assert result is not None  # as no world alone has an answer of any of them
        return result


class SetBySet:
    """Takes one set of claims after the other; as a law it has 1 for each claim that is in it."""

    def __init__(self, pattern: FilterPattern, size: Size, epsilon: ExactEpsilon) -> None:
        self._pattern, self._size, self._epsilon = pattern, size, epsilon
        places = range(len(pattern.claims))
        self._sets = [chosen for many in places for chosen in combinations(places, many + 1)]

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """What the set of that number loses."""
        chosen, pattern = self._sets[number], self._pattern
        responses = [pattern.responses[place] for place in chosen]
        law = np.zeros(len(pattern.claims))
        law[list(chosen)] = 1.0
        lost = pattern.loss(responses, self._epsilon, pattern.rounds)
        return Climb(self._size, float(lost), [law])
