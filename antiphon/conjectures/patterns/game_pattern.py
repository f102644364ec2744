"""The pattern of any game that the user composes of fixed and of unknown mechanisms."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.audit import PrivacyGame, Question, StrategyAdversary
from antiphon.conjectures import tables
from antiphon.conjectures.climbing import Climb, Climber, Climbing, Generator, Size
from antiphon.conjectures.exact_figures import Figure, figure_of, maybe_order
from antiphon.conjectures.law_trees import Domain, Doubles
from antiphon.conjectures.patterns import pattern
from antiphon.conjectures.patterns.fixed_strategy import FixedStrategy, free_twin, slope, tangent
from antiphon.numbers import ExactEpsilon, InvalidArgument, exact
from antiphon.numbers.errors import of_kind
from antiphon.protocol import ContinualMechanism, identical, register

_NOTHING: Final = (0, 0)
"""The size (rounds, answers) in the results of a pattern that has no unknown mechanisms."""

Compose: TypeAlias = Callable[..., Union[PrivacyGame, Question]]
"""The type of a function that takes mechanisms and returns a game of them, or a question: such a
game with lists of the messages and creations that an adversary may use."""


def _parts(_: object, __: object, given: tuple[pattern.SoughtMechanism, ...]) -> None:
    kinds = pattern.AnyMechanism, pattern.AnyRenyi
    if type(given) is not tuple or not all(  # pyright: ignore[reportUnnecessaryComparison]
        any(type(each) is kind for kind in kinds) for each in given
    ):
        raise InvalidArgument(
            "parts is a tuple of AnyMechanism(epsilon=…, delta=…, inner=…, pairs=…) and of "
            "AnyRenyi(order=…, moment=…, inner=…, pairs=…)"
        )


@register("antiphon.GamePattern/1")
@attrs.frozen(kw_only=True)
class GamePattern(pattern.Pattern):
    """All games that the function ``compose`` makes of mechanisms: one unknown mechanism for each
    part.

    The bounded figure is their δ at ε; or, with an ``order``, Σ p^α q^(1-α) of that order α, which
    is e^((α-1)D) of the Rényi divergence D of the views (Mironov 2017): ε is then not used.

    ``compose(*mechanisms)`` returns a ``PrivacyGame``, or the ``game.question`` of a catalogue, of
    ``max_creations`` and ``queries``, if the adversary has choices. The adversary sends up to
    ``rounds`` messages, creations included. Without parts nothing is searched: the exact engine's
    figure for the one game is the answer.
    """

    compose: Compose
    rounds: int = attrs.field(validator=lambda _, __, n: exact.whole(n, "rounds"))
    parts: tuple[pattern.SoughtMechanism, ...] = attrs.field(default=(), validator=_parts)
    order: int | None = attrs.field(default=None, validator=maybe_order)

    def __attrs_post_init__(self) -> None:
        for part in self.parts:
            if self.order is not None and type(part) is pattern.AnyMechanism and part.delta:
                raise no_divergence(str(part))

    def figure(self, epsilon: ExactEpsilon) -> Figure:
        """The figure that a conjecture bounds: δ at ε, or a Rényi moment."""
        return figure_of(self.order, epsilon)

    def question(self, mechanisms: Sequence[ContinualMechanism[Any]]) -> Question:
        """The game that ``compose`` makes of some mechanisms. Raises: InvalidArgument if it
        returns no game."""
        try:
            found: object = self.compose(*mechanisms)
        except Exception as error:
            raise InvalidArgument(
                f"compose raised {type(error).__name__} ({error}) for {len(mechanisms)} mechanisms:"
                " it takes one for each part, and returns their PrivacyGame"
            ) from error
        if isinstance(found, PrivacyGame):
            found = found.question()
        if type(found) is not Question:
            raise InvalidArgument(
                f"compose returned {of_kind(found)}: return a PrivacyGame, or "
                "game.question(catalogue=[…], max_creations=…)"
            )
        return attrs.evolve(found, report=None)

    def described(self, epsilon: ExactEpsilon) -> str:
        parts = ", ".join(map(str, self.parts))
        of = f"a game of mechanisms that are {parts}" if parts else "one game"
        return f"{self.figure(epsilon)} of {of}, against {self.rounds} messages"

    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        return {
            "figure": str(self.figure(epsilon)), "claims": [str(each) for each in self.parts],
            "messages": self.rounds,
        }  # fmt: skip

    @property
    def most(self) -> int | None:
        return None if self.parts else 1

    def sizes(self, rounds: int, answers: int) -> pattern.Sizes:
        if not self.parts:
            return (_NOTHING,)
        for part in self.parts:
            part.check(rounds, answers)
        self._each_is_used()

        def longest(size: Size) -> int:
            return max(domain.size for domain in self.domains(size))

        return tuple(sorted(pattern.grid(rounds, answers), key=longest))

    def least(self, epsilon: ExactEpsilon) -> None:
        return None

    def known_by(self, sizes: pattern.Sizes) -> object:
        """The parameters that must be the same when a saved search is resumed: those of the
        pattern, and the game that ``compose`` makes of stand-ins (free twins) for the unknown
        mechanisms."""
        domains = self.domains(sizes[0]) if self.parts else []
        return self, _content(self.question(self.twins(domains)))

    def in_words(self, sizes: pattern.Sizes) -> str:
        if not self.parts:
            return "no mechanism is sought"
        return pattern.rounds_in_words(sizes, self.parts)

    def domains(self, size: Size) -> list[Domain]:
        """The domains (inputs, rounds and answers) of the unknown mechanisms of this size."""
        return [Domain(part.inputs, *size) for part in self.parts]

    def climber(self, size: Size, epsilon: ExactEpsilon) -> Climbing:
        if not self.parts:
            return OneGame(self, self.figure(epsilon))
        domains = self.domains(size)
        programs = [part.program(domain) for part, domain in zip(self.parts, domains, strict=True)]
        return Climber(size, BestOfGame(self, domains, self.figure(epsilon)), programs)

    def twins(self, domains: Sequence[Domain], *, first: int = 0) -> list[tables.TableMechanism]:
        """Stand-ins ("free twins") for the unknown mechanisms: each answer is equally likely."""
        each = enumerate(zip(self.parts, domains, strict=True), start=first)
        return [free_twin(number, domain, part.claim) for number, (part, domain) in each]

    def _each_is_used(self) -> None:
        """Check that the game depends on each unknown mechanism. Raises: InvalidArgument for one
        that ``compose`` ignores."""
        domains, count = self.domains((1, 2)), len(self.parts)
        twins, others = self.twins(domains), self.twins(domains, first=count)
        whole = self.question(twins)
        for place in range(count):
            without = self.question([*twins[:place], others[place], *twins[place + 1 :]])
            if all(
                identical(mine, theirs)
                for mine, theirs in zip(_content(whole), _content(without), strict=True)
            ):
                raise InvalidArgument(
                    f"compose makes nothing of part {place + 1}: its game is the same whatever "
                    "that mechanism is. Put it into the system, into f or into the catalogue, or "
                    "leave the part out"
                )

    def judged(self, found: Climb, epsilon: ExactEpsilon) -> tables.Judged:
        """The result of a local search, judged: mechanisms with rational laws, whose claims the
        exact engine has checked, and their best adversary.

        The loss is computed from the exact law of its views in the game.
        """
        domains, figure = self.domains(found.size), self.figure(epsilon)
        for laws in either(domains, found.laws):
            sought = zip(self.parts, domains, laws, strict=True)
            pairs = [part.kept(domain, law) for part, domain, law in sought]
            plans = [(domain, plan) for domain, (plan, _) in zip(domains, pairs, strict=True)]
            mechanisms = tables.named_mechanisms(plans, [part.claim for part in self.parts])
            lost, question = tuple(lost for _, lost in pairs), self.question(mechanisms)
            result = judged_game(question, self.rounds, figure, mechanisms, lost)
            if result is not None:
                return result
        raise infinite()


def _content(question: Question) -> tuple[object, ...]:
    return question.system, question.verification, question.creations


def judged_game(
    question: Question,
    rounds: int,
    figure: Figure,
    mechanisms: tuple[ContinualMechanism[Any], ...],
    claimed: tuple[Fraction, ...],
) -> tables.Judged | None:
    """The exact loss of a game to its best adversary, together with its ``mechanisms`` and their
    own exact losses ``claimed``.

    None if this loss is infinite.
    """
    best = figure.best(question, rounds)
    if best is None:
        return None
    game, growth = PrivacyGame(question.system, question.verification), figure.growth
    own, other = tables.both_laws(best.adversary, game, rounds)
    gained = own.hockey_stick(other, growth)
    adversary = attrs.evolve(best.adversary, growth=growth, advantage=gained)
    return tables.Judged(mechanisms, claimed, adversary, figure.of(own, other), game)


def either(domains: Sequence[Domain], laws: list[Doubles]) -> Iterator[list[Doubles]]:
    """Yields the given laws and then, for a divergence that is infinite because of rounding, the
    same laws mixed with uniform answers."""
    yield laws
    yield list(map(tables.soften, domains, laws))


def infinite() -> InvalidArgument:
    """The error for a pattern whose game has an infinite Rényi divergence for every law."""
    return InvalidArgument(
        "one world alone has some view of this game, whatever is answered by what is sought: its "
        "Rényi divergence is infinite, and no bound on it holds. Leave order out: δ can be bounded"
    )


def no_divergence(claim: str) -> InvalidArgument:
    """The error for an unknown mechanism with δ > 0 in a pattern that bounds a Rényi divergence."""
    return InvalidArgument(
        f"{claim} bounds no Rényi divergence, for with probability δ anything may be told: give a "
        "claim with δ = 0, or of a divergence, or leave order out, and bound δ"
    )


class OneGame:
    """The search of a pattern without unknown mechanisms: one exact loss."""

    def __init__(self, of: GamePattern, figure: Figure) -> None:
        self._pattern, self._figure = of, figure

    def climb(self, number: int, random: Generator, near: list[Doubles] | None = None) -> Climb:
        """The exact loss of the game, as the result of a local search."""
        question, rounds = self._pattern.question(()), self._pattern.rounds
        loss = self._figure.tight(question, rounds)
        if loss is None:
            raise infinite()
        return Climb(_NOTHING, float(loss), [])


class Countered(NamedTuple):
    """The best adversary against given laws: its gain, its game, and these laws."""

    gain: float
    adversary: StrategyAdversary
    question: Question
    laws: list[Doubles]


class BestOfGame:
    """A search for the best adversary in a pattern's game, given the laws of its mechanisms."""

    def __init__(self, of: GamePattern, domains: Sequence[Domain], figure: Figure) -> None:
        self._pattern, self._domains, self._figure = of, domains, figure

    @cached_property
    def _free(self) -> Question:
        return self._pattern.question(self._pattern.twins(self._domains))

    def best(self, laws: list[Doubles], bit: int) -> Countered:
        """The best adversary against rational laws near these, by the exact engine."""
        for tried in either(self._domains, laws):
            question = self._question(tried)
            found = self._figure.best(question, self._pattern.rounds)
            if found is not None:
                return Countered(float(found.loss), found.adversary, question, list(tried))
        raise infinite()

    def _question(self, laws: list[Doubles]) -> Question:
        made = [
            tables.mechanism(f"M{place + 1}", domain, tables.round_law(domain, law), part.claim)
            for place, (part, domain, law) in enumerate(
                zip(self._pattern.parts, self._domains, laws, strict=True)
            )
        ]
        return self._pattern.question(made)

    def slope(self, seen: Countered, place: int, size: int) -> Doubles:
        """The gradient of the gain of the adversary ``seen`` in the law number ``place``."""
        strategy = FixedStrategy(seen.adversary, seen.question, self._free)
        found = tangent(strategy.views(self._domains), seen.laws, self._figure)
        return slope(found, seen.laws, place)
