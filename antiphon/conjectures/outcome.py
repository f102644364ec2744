# pyright: reportUnknownMemberType=false
"""The outcome of a search: "refuted", with mechanisms and an adversary, or "not refuted"."""

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import attrs

from antiphon.audit.exact.strategy import StrategyAdversary
from antiphon.conjectures.exact_figures import epsilon_text
from antiphon.conjectures.patterns.pattern import Pattern, Sizes
from antiphon.conjectures.tables import Judged
from antiphon.conjectures.tree_drawing import mechanism_drawn, mechanism_tree, sheet, strategy_drawn
from antiphon.numbers import ExactEpsilon, InvalidArgument, told_apart
from antiphon.protocol.display import Card, Grid, Part, Picture, Shown
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import distinct, identical
from antiphon.protocol.pictures import COLOURS, SOFT, Axes, Plotted, legend, style_axes, titled
from antiphon.protocol.records.interaction import record
from antiphon.protocol.records.labels import message_label, shorten
from antiphon.protocol.records.view import Recording

_PATIENCE: Final = 100_000
"""The largest number of plays that are tried for one that ends in an accused view."""

_LONG: Final = 24
_WIDE: Final = 160
_CLEARLY: Final = 1.01
"""The smallest ratio of the loss to the bound that is displayed; smaller ones are close to 1."""

_EDGES: Final = "Edges: of mechanisms, the probability of an answer; of the adversary, its answer."


@attrs.frozen(eq=False, repr=False)
class Conjectured(Shown, Plotted):
    """The outcome of a search for mechanisms that break a bound: "refuted", or "not refuted"."""

    pattern: Pattern
    epsilon: ExactEpsilon
    bound: Fraction
    judged: Judged | None = attrs.field(repr=False)
    """The best laws that were found, with their exact loss; None if nothing was found."""
    starts: int
    """The number of climbs (local searches) made."""
    searched: Sizes
    """The sizes (rounds, answers) of the mechanisms in the search."""
    history: tuple[tuple[int, float], ...] = attrs.field(repr=False)
    """The course of the search: (number of starts, best gain in doubles) at each improvement."""
    interrupted: bool = False

    @property
    def loss(self) -> Fraction:
        """The largest loss of a composition that was found, computed exactly: a tight δ, or a
        moment."""
        return Fraction(0) if self.judged is None else self.judged.loss

    @property
    def delta(self) -> Fraction:
        """The largest loss found, equal to ``loss``; a tight δ if the pattern is about (ε, δ)."""
        return self.loss

    @property
    def refuted(self) -> bool:
        """Whether the loss found is larger than the bound."""
        return self.loss > self.bound

    @property
    def ratio(self) -> float:
        """The ratio of the loss to the bound; 1.0 only if they are equal."""
        if not self.bound:
            return math.inf if self.loss else 1.0
        near = float(self.loss / self.bound)
        if near != 1 or self.loss == self.bound:
            return near
        return math.nextafter(1.0, math.inf if self.refuted else 0.0)

    @property
    def mechanisms(self) -> tuple[ContinualMechanism[Any], ...]:
        """The mechanisms that attain the loss while each keeps its claim; a mechanism that is
        created several times is listed once."""
        return () if self.judged is None else distinct(self.judged.mechanisms)

    @property
    def adversary(self) -> StrategyAdversary | None:
        """The adversary that attains the loss against these mechanisms; None if nothing was found.

        It plays, saves and replays like any adversary. For a Rényi divergence the adversary accuses
        the views that are likelier in world b; their probability is then no measure of the loss.
        """
        return None if self.judged is None else self.judged.adversary

    def __bool__(self) -> bool:
        """Whether the conjecture has not been refuted."""
        return not self.refuted

    @property
    def title(self) -> str:
        """The title of the outcome: its verdict, and its subject."""
        verdict = "refuted" if self.refuted else "not refuted, which proves nothing"
        if self.exhausted and not self.refuted:
            verdict = f"not refuted, and final for this grid: all {self.starts:,} starts were made"
        return f"{verdict}: {self.pattern.described(self.epsilon)}"

    @property
    def exhausted(self) -> bool:
        """Whether the search covered all games of the pattern, so that no more time is needed."""
        return self.pattern.most is not None and self.starts >= self.pattern.most

    @property
    def figure(self) -> str:
        """The name of the bounded figure, such as "δ(0)"."""
        return str(self.pattern.facts(self.epsilon)["figure"])

    @property
    def figures(self) -> tuple[str, str]:
        """The bound and the loss found, as two texts, rounded so that the comparison is right; the
        ratio is added if the loss is clearly larger.

        The digits suffice to show whether the bound is refuted.
        """
        found, bound = told_apart(self.loss, self.bound)
        text = _both(self.loss, found)
        if self.bound and self.ratio >= _CLEARLY:
            text += f", {told_apart(self.loss / self.bound, 1)[0]} times that"
        return _both(self.bound, bound), text

    def _card(self) -> Card:
        return Card(self.title, self._parts())

    @property
    def _counted(self) -> str:
        """The number of local searches, as text: "n", or "n of m" if m cover all games."""
        most = self.pattern.most
        return f"{self.starts:,}" if most is None else f"{self.starts:,} of {most:,}"

    def _parts(self) -> Iterator[Part]:
        bound, found = self.figures
        searched = self.pattern.in_words(self.searched) if self.searched else "nothing yet"
        rows = [
            ("bound", bound),
            ("found", found),
            ("starts", f"{self._counted}{', interrupted' if self.interrupted else ''}"),
            ("searched", searched),
        ]
        yield Grid([*rows, *self._tested()])
        if self.refuted:
            yield Picture(self.svg)
        if self.history:
            yield self._picture()

    def _tested(self) -> Iterator[tuple[str, str]]:
        """The rows of the table for the tested inequality, the system and its functions f and
        f'."""
        yield "tested", f"{self.figure} <= {self.figures[0]}"
        if self.judged is None:
            return
        game = self.judged.game
        # A pattern that describes its game by rows of its own (``facts``) names the system there.
        if not self.judged.facts:
            yield "system", message_label(game.system, _WIDE)
        yield "f", message_label(game.verification, _WIDE)
        claimed = distinct(c.verification for m in self.mechanisms for c in m.claims)
        for each in claimed:
            if not identical(each, game.verification):
                yield "f'", shorten(repr(each), _WIDE)
        yield from self.judged.facts

    def _draw(self, axes: Axes) -> None:
        """Plots the best loss over the number of local searches, and the bound as a line."""
        style_axes(axes)
        if self.history:
            starts, best = map(list, zip(*self.history, strict=True))
            line = [*starts, self.starts], [*best, best[-1]]
            axes.step(*line, where="post", color=COLOURS[0], label="the best found")
            axes.plot(starts, best, "o", markersize=4, color=COLOURS[0])
        bound = float(self.bound)
        axes.axhline(bound, color=COLOURS[1], linestyle="--", linewidth=1.2, label="the bound")
        axes.set_xlim(left=0, right=1.04 * max(self.starts, 1))
        axes.set_xlabel("starts", color=SOFT)
        axes.set_ylabel(self.figure, color=SOFT)
        legend(axes, loc="best")
        titled(axes, self.title, 9)

    def tree(self) -> str:
        """The mechanisms and the adversary that attain the loss, as decision trees in text."""
        adversary = self.adversary
        parts = [mechanism_tree(each) for each in self.mechanisms]
        return "\n\n".join([*parts, *([] if adversary is None else [adversary.tree()])])

    def svg(self) -> str:
        """A picture of the mechanisms as trees, beside the tree of their adversary."""
        adversary = self.adversary
        heard = None if self.judged is None else self.judged.heard
        trees = [mechanism_drawn(each, heard) for each in self.mechanisms]
        against = [] if adversary is None else [strategy_drawn(adversary)]
        bound, found = self.figures
        return sheet([self.title, f"bound {bound}; found {found}", _EDGES], trees, against)

    def recording(self, *, seed: int | None = None) -> Recording:
        """A recorded play that ends in an accused view, from which both sides can be replayed.

        Raises: InvalidArgument if nothing was found that accuses.
        """
        adversary = self.adversary
        if self.judged is None or adversary is None or not adversary.advantage:
            raise InvalidArgument("no gain of an adversary was found, so there is no play")
        game = self.judged.game.mechanism(adversary.bit)
        for attempt in range(_PATIENCE):
            found = record(adversary, game, seed=None if seed is None else seed + attempt)
            if adversary.event(found.view):
                return found
        raise InvalidArgument("no play fell into the event: it is too rare to show one")

    def save(self, path: str | Path, *, seed: int | None = None, overwrite: bool = False) -> None:
        """Saves a recording of a play in which the adversary accuses, readable by its owner only;
        ``antiphon replay`` runs it again."""
        self.recording(seed=seed).save(path, overwrite=overwrite)

    def to_dict(self) -> dict[str, object]:
        """The outcome as plain data for JSON."""
        return {
            "refuted": self.refuted, **self.pattern.facts(self.epsilon),
            "epsilon": epsilon_text(self.epsilon),
            "bound": str(self.bound), "loss": str(self.loss),
            "ratio": self.ratio if math.isfinite(self.ratio) else None, "starts": self.starts,
            "searched": [list(each) for each in self.searched],
            "history": [list(each) for each in self.history], "interrupted": self.interrupted,
        }  # fmt: skip


def _both(figure: Fraction, rounded: str) -> str:
    """A fraction as text: in decimals, after the fraction itself if that is short."""
    text = str(figure)
    if len(text) >= _LONG or text == rounded:
        return rounded
    return f"{text} {'=' if Fraction(rounded) == figure else '≈'} {rounded}"
