"""A filter: what is sought is which claims are charged to it, in which order, on which path."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

import attrs
import numpy as np

from antiphon.audit.conjectures.climbing import Climb, Generator, Size
from antiphon.audit.conjectures.judging import Judged
from antiphon.audit.conjectures.law_trees import Doubles
from antiphon.audit.conjectures.patterns.game_pattern import judged_game
from antiphon.audit.conjectures.patterns.pattern import Pattern, Sizes, shown
from antiphon.audit.exact.question import Question
from antiphon.audit.game import PrivacyGame
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.filters.adaptive import adaptive_parameters
from antiphon.composition.filters.budget import Budget, Refusal
from antiphon.composition.purses import Parameters, pairs
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.registry import register

_MOST: Final = 16
"""Claims of a grid: all sets of them are looked at, if there is time."""


def _few(_: object, __: object, given: tuple[Parameters, ...]) -> None:
    if not given or len(given) > _MOST or len(set(given)) < len(given):
        raise InvalidArgument(
            f"claims is a grid of 1 to {_MOST} different (ε, δ), such as ((Log(2), 0), (Log(3), 0))"
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

    Their claims are of a grid, and each is a randomized response RR_{ε,δ}, the worst of its claim:
    whatever keeps it is a post-processor of RR_{ε,δ}, interactive or not (CM Thm 2.5, App. A;
    Kairouz, Oh and Viswanath 2015), so that nothing is lost that these do not lose. The best
    adversary of a set of them is the exact engine's to find; what is sought is the set, from small
    ones on. There are finitely many, and a search ends with the last.
    """

    budget: Budget[Any] = attrs.field(validator=_budget)
    claims: tuple[Parameters, ...] = attrs.field(converter=pairs, validator=_few)
    creations: int = attrs.field(default=3, validator=lambda _, __, n: exact.whole(n, "creations"))

    def question(self, claims: Sequence[Parameters]) -> Question:
        """The game in which mechanisms of these claims may be created."""
        responses = [RandomizedResponse(epsilon=epsilon, delta=delta) for epsilon, delta in claims]
        return Question(
            ExtConComp(budget=self.budget), adaptive_parameters(self.budget),
            catalogue=responses, max_creations=self.creations, report=None,
        )  # fmt: skip

    @property
    def rounds(self) -> int:
        """Each is created, and asked once: afterwards it only answers HALT."""
        return 2 * self.creations

    def described(self, epsilon: ExactEpsilon) -> str:
        return (
            f"δ({shown(epsilon)}) of up to {self.creations} mechanisms with {len(self.claims)} "
            f"claims to choose from, behind {type(self.budget).__name__}"
        )

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        return {
            "figure": f"δ({shown(epsilon)})", "creations": self.creations,
            "claims": [f"({shown(own)}, {delta})-DP" for own, delta in self.claims],
        }  # fmt: skip

    def least(self, epsilon: ExactEpsilon) -> tuple[Fraction, str] | None:
        """What one claim loses alone. Raises: InvalidArgument if the filter charges none."""
        budget, claims = self.budget, [each.claim for each in self.question(self.claims).creations]
        charged = (budget.charge(budget.initial_state, each.measure) for each in claims if each)
        if all(type(each) is Refusal for each in charged):
            raise InvalidArgument(
                "the budget refuses every claim of the grid, even alone: give it smaller claims, "
                "or a larger budget"
            )
        alone = [self.question([claim]).solve(epsilon, 2).delta for claim in self.claims]
        own, delta = self.claims[alone.index(max(alone))]
        return max(alone), f"one mechanism loses alone that is ({shown(own)}, {delta})-DP"

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
        claims = [each for each, there in zip(self.claims, found.laws[0], strict=True) if there]
        question = self.question(claims)
        mechanisms = tuple(each.mechanism for each in question.creations)
        claimed = tuple(
            PrivacyGame(each, each.claims[0].verification).tight_delta(epsilon=own, rounds=1)
            for each, (own, _) in zip(mechanisms, claims, strict=True)
        )
        return judged_game(question, epsilon, self.rounds, mechanisms, claimed)


class SetBySet:
    """Takes one set of claims after the other; as a law it has 1 for each claim that is in it."""

    def __init__(self, pattern: FilterPattern, size: Size, epsilon: ExactEpsilon) -> None:
        self._pattern, self._size, self._epsilon = pattern, size, epsilon
        places = range(len(pattern.claims))
        self._sets = [chosen for many in places for chosen in combinations(places, many + 1)]

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """What the set of that number loses."""
        chosen, pattern = self._sets[number], self._pattern
        question = pattern.question([pattern.claims[place] for place in chosen])
        law = np.zeros(len(pattern.claims))
        law[list(chosen)] = 1.0
        return Climb(self._size, float(question.solve(self._epsilon, pattern.rounds).delta), [law])
