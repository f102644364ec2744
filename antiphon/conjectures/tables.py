"""The results of a search: mechanisms with rational laws, whose losses are computed exactly.

A mechanism is given by a table of its answers' probabilities after each history.
"""

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import Any, Final

import attrs
import numpy as np

from antiphon.audit import Law, PrivacyGame, StrategyAdversary, law_of_views
from antiphon.conjectures.law_trees import Domain, Doubles
from antiphon.numbers.interning import fingerprint
from antiphon.protocol import Claim, Coins, ContinualMechanism, identical, register
from antiphon.protocol.spaces import Finite, Integers, Signature


@register("antiphon.TableMechanism/1")
@attrs.frozen
class TableMechanism(ContinualMechanism[int, Any, int]):
    """A mechanism with answers 0, …, answers-1 in a number of rounds, drawn from a table of
    weights; in later rounds it answers 0.

    ``weights[h·|inputs| + i]`` weighs the answers to the i-th input after history h, () where h has
    probability 0. The state is the number of the history: 0 at first, and h·|inputs|·answers +
    i·answers + a + 1 after the answer a to the i-th input in history h.
    """

    name: str
    inputs: tuple[Any, ...] = attrs.field(repr=False)
    answers: int = attrs.field(repr=False)
    weights: tuple[tuple[int, ...], ...] = attrs.field(repr=False)
    claims: tuple[Claim, ...] = attrs.field(default=(), repr=False, kw_only=True)  # pyright: ignore[reportIncompatibleMethodOverride]

    @property
    def domain(self) -> Domain:
        """The mechanism's inputs, number of answers, and number of rounds in its table."""
        rounds = 1
        while self._rows(rounds) < len(self.weights):
            rounds += 1
        return Domain(self.inputs, rounds, self.answers)

    def _rows(self, rounds: int) -> int:
        return Domain(self.inputs, rounds, self.answers).offset(rounds) * len(self.inputs)

    @property
    def initial_state(self) -> int:
        return 0

    @property
    def signature(self) -> Signature:
        queries = Finite(self.inputs)
        return Signature(queries, Integers(0, self.answers - 1), queries)

    def step(self, state: int, message: object, coins: Coins) -> tuple[int, int]:
        place = next(i for i, each in enumerate(self.inputs) if identical(each, message))
        row = state * len(self.inputs) + place
        if row >= len(self.weights) or not self.weights[row]:
            return state, 0
        answer = coins.categorical(self.weights[row])
        return row * self.answers + answer + 1, answer


Plan = tuple[Fraction, ...]
"""The type of an exact law: for each history, the probability of its answers given its inputs."""


DENOMINATOR: Final = 720_720
"""The denominator of rounded probabilities: a multiple of all numbers up to 16."""
_SELDOM: Final = 2.0**-10
"""The weight of the uniform answers that are mixed into a law so that its losses are finite."""


def round_law(domain: Domain, law: Doubles, denominator: int = DENOMINATOR) -> Plan:
    """The law, rounded to conditional probabilities that are multiples of 1/denominator."""
    plan = [Fraction(0)] * domain.size
    plan[0] = Fraction(1)
    for first, history in _questions(domain):
        chances = law[first : first + domain.answers]
        ends = np.cumsum(chances) / max(float(chances.sum()), 1e-300) * denominator
        steps = [*np.rint(ends[:-1]).astype(int).tolist(), denominator]
        for answer, (low, high) in enumerate(pairwise([0, *steps])):
            plan[first + answer] = plan[history] * Fraction(high - low, denominator)
    return tuple(plan)


def mix(domain: Domain, plan: Plan, chance: Fraction, *, evenly: bool = False) -> Plan:
    """The law that follows ``plan`` with probability ``chance``, and otherwise gives answers that
    do not depend on the inputs; its loss is smaller in proportion.

    The uninformative answers are always 0, or with ``evenly`` uniform.
    """
    silent = [Fraction(0)] * domain.size
    silent[0] = Fraction(1)
    for first, history in _questions(domain):
        shares = domain.answers if evenly else 1
        silent[first : first + shares] = [silent[history] / shares] * shares
    return tuple(
        chance * own + (1 - chance) * other for own, other in zip(plan, silent, strict=True)
    )


def soften(domain: Domain, law: Doubles) -> Doubles:
    """The law that with a small probability gives uniform answers, and otherwise follows ``law``:
    each answer is then possible in both worlds."""
    evenly = np.zeros(domain.size)
    evenly[0] = 1.0
    for first, history in _questions(domain):
        evenly[first : first + domain.answers] = evenly[history] / domain.answers
    return (1 - _SELDOM) * law + _SELDOM * evenly


def mechanism(name: str, domain: Domain, plan: Plan, claim: Claim) -> TableMechanism:
    """The mechanism that answers by the law ``plan``, with its claim."""
    rows = tuple(
        whole_weights(plan[first : first + domain.answers]) if plan[history] else ()
        for first, history in _questions(domain)
    )
    return TableMechanism(name, domain.inputs, domain.answers, rows, claims=(claim,))


def _questions(domain: Domain) -> Iterator[tuple[int, int]]:
    """Yields, for each history and each question after it, two indices in the array of a law: that
    of the question's first answer, and that of the history."""
    for history in range(domain.offset(domain.rounds)):
        for place in range(len(domain.inputs)):
            yield (history * len(domain.inputs) + place) * domain.answers + 1, history


def whole_weights(chances: Plan) -> tuple[int, ...]:
    """Whole numbers proportional to ``chances``, in lowest terms."""
    common = lcm(*(each.denominator for each in chances))
    whole = [int(each * common) for each in chances]
    return tuple(each // gcd(*whole) for each in whole)


@attrs.frozen(eq=False)
class Judged:
    """Mechanisms that keep their claims, and an adversary against them with its exact loss: the
    result of a judged local search."""

    mechanisms: tuple[ContinualMechanism[Any], ...]
    """The mechanisms in the order of creation; one that is created twice is listed twice."""
    claimed: tuple[Fraction, ...]
    """The exact loss of each mechanism alone; at most the limit of its claim."""
    adversary: StrategyAdversary
    loss: Fraction
    """The exact loss to this adversary, a lower bound on the largest loss of the composition."""
    game: PrivacyGame
    """The game that the adversary plays."""
    heard: frozenset[int] | None = None
    """The indices, in the array of a law, of the histories possible in the game; None for all."""
    facts: tuple[tuple[str, str], ...] = ()
    """Pairs (name, value): further rows of a pattern for the table of the outcome."""


def named_mechanisms(
    plans: Sequence[tuple[Domain, Plan]], claims: Sequence[Claim]
) -> tuple[TableMechanism, ...]:
    """The mechanisms with the laws ``plans``, named M1, M2, …; mechanisms with equal laws and
    claims have the same name."""
    names: dict[Hashable, str] = {}
    found: list[TableMechanism] = []
    for (domain, plan), claim in zip(plans, claims, strict=True):
        key = fingerprint((tuple(domain), plan, claim))
        name = names.setdefault(key, f"M{len(names) + 1}")
        found.append(mechanism(name, domain, plan, claim))
    return tuple(found)


def both_laws(adversary: StrategyAdversary, game: PrivacyGame, rounds: int) -> tuple[Law, Law]:
    """The exact laws of an adversary's views: in the world of the adversary's ``bit``, and in the
    other."""
    own, other = (
        law_of_views(adversary, game.mechanism(bit), rounds=rounds + 1)
        for bit in (adversary.bit, 1 - adversary.bit)
    )
    return own, other
