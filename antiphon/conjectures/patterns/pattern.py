"""The base class of all patterns: games in which only the claims of some mechanisms are known."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.audit.exact.question import Question
from antiphon.composition.accounting.renyi import OnlyAt, whole_order
from antiphon.conjectures import exact_figures, law_trees
from antiphon.conjectures.climbing import Climb, Climbing, Program, Size, program
from antiphon.conjectures.tables import Judged, Plan, mechanism, mix, round_law
from antiphon.numbers import ExactEpsilon, InvalidArgument, exact
from antiphon.protocol import Approximate, Claim, Measure, Renyi, Status, Verification, register
from antiphon.protocol.messages import Pair, distinct

Sizes = tuple[Size, ...]
SOURCE: Final = "computed exactly (antiphon.audit.exact)"
"""The source that is cited by the claims of the mechanisms that a search finds."""


class Pattern(ABC):
    """A family of games, one for each choice of the unknown mechanisms. Abstract.

    ``climber`` searches in doubles for the largest loss; ``judged`` computes it exactly.
    """

    @property
    @abstractmethod
    def most(self) -> int | None:
        """The number of local searches that cover all games; None if no number of them does."""

    @abstractmethod
    def known_by(self, sizes: Sizes) -> object:
        """The parameters that must be the same when a saved search is resumed."""

    @abstractmethod
    def described(self, epsilon: ExactEpsilon) -> str:
        """The figure and the system that a conjecture is about, in words."""

    @abstractmethod
    def facts(self, epsilon: ExactEpsilon) -> dict[str, object]:
        """The figure and the system that a conjecture is about, as plain data for JSON."""

    @abstractmethod
    def least(self, epsilon: ExactEpsilon) -> tuple[Fraction, str] | None:
        """A loss that some game of the pattern is known to attain, with its source, so that no true
        bound is lower; None if none is known."""

    @abstractmethod
    def sizes(self, rounds: int, answers: int) -> Sizes:
        """The sizes (rounds, answers) to search, from small ones up to ``rounds`` and ``answers``.

        Raises: Intractable if the largest is too large; InvalidArgument where nothing can be found.
        """

    @abstractmethod
    def in_words(self, sizes: Sizes) -> str:
        """The sizes (rounds, answers) that a search covers, in words."""

    @abstractmethod
    def climber(self, size: Size, epsilon: ExactEpsilon) -> Climbing:
        """The local search among the mechanisms of one size. Raises: MissingExtra without scipy."""

    @abstractmethod
    def judged(self, found: Climb, epsilon: ExactEpsilon) -> Judged:
        """The exact loss of the mechanisms that a local search has found. Raises: Intractable where
        it cannot be computed."""


def rounds_in_words(sizes: Sizes, parts: "Iterable[SoughtMechanism]") -> str:
    """The searched sizes (rounds, answers) of mechanisms, in words."""
    told = ", ".join(f"{rounds} × {answers}" for rounds, answers in sizes)
    narrow = any(type(part) is AnyRenyi for part in parts)
    return (
        f"mechanisms of rounds × answers {told}{f', {exact_figures.WIDEST_SAID}' if narrow else ''}"
    )


def grid(rounds: int, answers: int) -> list[Size]:
    """All sizes (rounds, answers) up to the given ones, with at least 1 round and 2 answers."""
    return [(r, a) for r in range(1, rounds + 1) for a in range(2, answers + 1)]


_SURE: Final = Fraction(999, 1000)
"""The weight of a law that is mixed with uniform answers because its divergence is infinite."""
_NEARLY: Final = 1 - Fraction(1, 2**16)
"""The weight of a law in its first mixture with uniform answers, if rounding raised its loss above
the limit of its claim by a relative 2^-16 or more."""
_HIGHEST: Final = 11
"""The highest order α: 16^α occurs in the linear programs, whose solver takes at most 10^15."""


@attrs.frozen(kw_only=True)
class SoughtMechanism(ABC):
    """An unknown mechanism of a pattern: any that keeps a given claim w.r.t. the verification
    function ``inner``, for adversaries that send the pairs ``pairs``. Abstract."""

    inner: Verification = attrs.field(factory=law_trees.ListedPairs)
    pairs: tuple[Pair[Any], ...] = attrs.field(validator=law_trees.finite)
    """The pairs that may be sent to the mechanism; by default those that ``inner`` lists."""

    @pairs.default  # pyright: ignore
    def _of_the_list(self) -> tuple[Pair[Any], ...]:
        return law_trees.pairs_of(self.inner)

    @property
    @abstractmethod
    def measure(self) -> Measure:
        """The measure of privacy in the mechanism's claim, such as (ε, δ)."""

    @property
    @abstractmethod
    def claimed(self) -> tuple[exact_figures.Figure, Fraction]:
        """The figure that the claim bounds, such as δ at ε, and its largest allowed value."""

    @property
    def inputs(self) -> tuple[object, ...]:
        """The messages that the sought mechanism may receive."""
        return distinct(side for pair in self.pairs for side in (pair.zero, pair.one))

    @property
    def claim(self) -> Claim:
        """The privacy claim of the mechanisms that are found: it is checked exactly for each."""
        return Claim(self.measure, self.inner, Status.PROVED, SOURCE)

    def program(self, domain: law_trees.Domain) -> Program:
        """The linear program of the laws of a domain that keep the claim."""
        figure, limit = self.claimed
        return program(
            domain, law_trees.tree(domain, self.pairs, self.inner), figure.loss, float(limit)
        )

    def kept(self, domain: law_trees.Domain, law: law_trees.Doubles) -> tuple[Plan, Fraction]:
        """A rational law near ``law`` that keeps the claim exactly, and its exact loss."""
        figure, limit = self.claimed
        nothing, nearly = Fraction(figure.loss.nothing), _NEARLY
        plan = round_law(domain, law)
        while True:
            made = mechanism("M", domain, plan, self.claim)
            lost = figure.tight(Question(made, self.inner, report=None), domain.rounds)
            if lost is None:
                plan = mix(domain, plan, _SURE, evenly=True)
            elif lost <= limit:
                return plan, lost
            elif (part := (limit - nothing) / (lost - nothing)) < nearly:
                # Rounding has raised the loss far above the limit: uniform answers are mixed into
                # the law, with a larger weight at each repetition.
                plan, nearly = mix(domain, plan, nearly, evenly=True), 2 * nearly - 1
            else:  # Mixing in constant answers once mostly suffices, as the loss is convex.
                plan = mix(domain, plan, part)

    def check(self, rounds: int, answers: int) -> None:
        """Checks that the number of histories is not too large. Raises: Intractable."""
        law_trees.check_length(law_trees.Domain(self.inputs, rounds, answers), len(self.pairs))


@register("antiphon.AnyMechanism/1")
@attrs.frozen(kw_only=True)
class AnyMechanism(SoughtMechanism):
    """An unknown mechanism of a pattern that is (ε, δ)-DP w.r.t. the f' ``inner``."""

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability)

    @property
    def measure(self) -> Approximate:
        return Approximate(self.epsilon, self.delta)

    @property
    def claimed(self) -> tuple[exact_figures.TightDelta, Fraction]:
        return exact_figures.TightDelta(self.epsilon), self.delta

    def __str__(self) -> str:
        return f"({exact_figures.epsilon_text(self.epsilon)}, {self.delta})-DP"


@register("antiphon.AnyRenyi/1")
@attrs.frozen(kw_only=True)
class AnyRenyi(SoughtMechanism):
    """An unknown mechanism of a pattern, with a sum Σ p^α q^(1-α) over views of at most ``moment``,
    at a whole order α, w.r.t. the verification function ``inner``.

    The moment is e^((α-1)D) of the Rényi divergence D: this is Rényi DP of the order α only
    (Mironov 2017).
    """

    order: int = attrs.field()
    moment: Fraction = attrs.field(converter=exact.fraction)

    @order.validator  # pyright: ignore
    def _within_reach(self, _: object, value: object) -> None:
        if whole_order(value) > _HIGHEST:
            raise InvalidArgument(
                f"order is a whole number from 2 to {_HIGHEST}: the linear programs of higher ones "
                "are past what doubles can do"
            )

    @moment.validator  # pyright: ignore
    def _possible(self, _: object, value: Fraction) -> None:
        OnlyAt(self.order, value)

    @property
    def measure(self) -> Renyi:
        return Renyi(OnlyAt(self.order, self.moment))

    @property
    def claimed(self) -> tuple[exact_figures.TightMoment, Fraction]:
        return exact_figures.TightMoment(self.order), self.moment

    def __str__(self) -> str:
        return f"of moment {self.moment} at α = {self.order}"
