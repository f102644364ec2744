# pyright: reportUnknownMemberType=false
"""The command ``antiphon mistakes``: the mistakes that three adversaries force on a learner,
between two bounds."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import attrs

from antiphon.cli.output import CommandOutcome, exact_number, one_of, tell
from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import littlestone
from antiphon.learners import mistakes as streams
from antiphon.learners.commands.players import INTERRUPTED, PlayOptions
from antiphon.learners.contests import checkpoints
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import rational
from antiphon.numbers.rounded_text import fixed_down, fixed_up, shown_up
from antiphon.protocol import Card, ContinualMechanism, Grid, Part
from antiphon.protocol.pictures import COLOURS, SOFT, headed, legend, picture, style_axes


class MistakesAsked(NamedTuple):
    """The learner and its parameters, as the user wrote them on the command line."""

    learner: str
    rounds: int
    epsilon: str
    delta: str
    beta: str
    points: int


class Promised(NamedTuple):
    """The ε, δ and β (failure probability) of the private learners and of the lower bound."""

    epsilon: Fraction
    delta: Fraction
    beta: Fraction


class AdversaryRow(NamedTuple):
    """The mistakes that one adversary forces on a learner, and the number ``hits`` of the samples
    (1, 1) that it sends (the others are (0, 0)); or the reason ``why`` there is no result."""

    adversary: str
    hits: int
    mistakes: streams.MistakeFigure | None
    why: str | None = None


class Curves(NamedTuple):
    """Figures for T = 1, 2, 4, … rounds: the lower bound on mistakes, and the mistakes of the
    sparse-vector learner when each sample is (1, 1)."""

    rounds: tuple[int, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


@attrs.frozen
class MistakeTable(CommandOutcome):
    """The mistakes that three adversaries force on a learner, as ``antiphon mistakes`` prints."""

    asked: MistakesAsked
    budget: Promised
    promise: str
    private: bool
    concentration: streams.MistakeFigure | None
    adversaries: list[AdversaryRow]
    interrupted: bool
    lower: float
    upper: float
    curves: Curves
    plot: Path | None
    _told = "private concentration adversaries interrupted lower upper curves plot"

    def to_dict(self) -> dict[str, Any]:
        return {**self.asked._asdict(), **super().to_dict()}

    def _card(self) -> Card:
        asked, promise = self.asked, self.promise or "not private"
        return Card(f"{asked.learner}: {promise}, {asked.rounds:,} rounds", self._parts())

    def _parts(self) -> Iterator[Part]:
        if (figure := self.concentration) is not None:
            how = f"with probability {figure} ({figure.how})"
            yield f"on blanks it leaves its first hypothesis {how}"
        cells = [
            (row.adversary, "", "", row.why or "")
            if row.mistakes is None
            else (row.adversary, f"{row.hits:,}", str(row.mistakes), row.mistakes.how)
            for row in self.adversaries
        ]
        columns = ("adversary", "says (1, 1)", "mistakes", "found")
        yield Grid(cells, columns, numbers=columns[1:3])
        epsilon, delta, beta = map(exact_number, self.budget)
        yield (
            f"At least {fixed_down(self.lower, 1)} for every ({epsilon}, {delta})-DP learner that "
            f"is {beta}-concentrated, on its worst stream;"
        )
        most = fixed_up(self.upper, 1)
        yield f"the sparse-vector learner of that ε, wrong every round: {most}."
        if self.interrupted:
            yield INTERRUPTED
        if self.plot is not None:
            yield f"Mistakes over rounds are drawn in {self.plot}"


def _learners(
    asked: MistakesAsked, budget: Promised
) -> dict[str, Callable[[], ContinualMechanism[Any]]]:
    given: dict[str, Any] = {
        "horizon": asked.rounds, "epsilon": budget.epsilon, "beta": float(budget.beta),
    }  # fmt: skip
    tuned = partial[ContinualMechanism[Any]]
    return {
        "sparse-vector": tuned(littlestone.sparse_vector_learner, **given),
        "name-and-shame": tuned(littlestone.NameAndShame, delta=budget.delta),
        "tree-counter": tuned(littlestone.tree_counter_learner, **given),
        "points": tuned(littlestone.point_learner, points=asked.points, **given),
        "halving": littlestone.Halving,
    }


def mistakes(asked: MistakesAsked, playing: PlayOptions) -> int:
    """The command ``antiphon mistakes``: counts the mistakes, prints and draws them."""
    budget = Promised(*(rational(getattr(asked, name), name) for name in Promised._fields))
    known = _learners(asked, budget)
    learner = one_of(known, asked.learner, "learner")()
    curves = _curves(asked.rounds, budget)
    law = streams.mistake_law(
        learner, asked.rounds, repetitions=playing.repeat, seed=playing.seed,
        executor=playing.workers, progress=False if playing.as_json else None,
    )  # fmt: skip
    rows, beta = list[AdversaryRow](), list[streams.MistakeFigure]()
    interrupted = True
    with suppress(KeyboardInterrupt):
        beta.append(law.concentration())
        rows += _rows(law, budget)
        interrupted = False
    if playing.plot is not None:
        _draw(curves, rows, f"Mistakes of {asked.learner}", playing.plot)
    promise, (_, lower, upper) = _promise(learner), curves
    table = MistakeTable(
        asked, budget, promise, bool(promise), beta[0] if beta else None, rows, interrupted,
        lower[-1], upper[-1], curves, playing.plot,
    )  # fmt: skip
    tell(table, as_json=playing.as_json)
    return 0


def _promise(learner: ContinualMechanism[Any]) -> str:
    """A learner's (ε, δ) from ``guarantee``, in words; "" for a learner that claims no privacy."""
    if not getattr(learner, "private", True):
        return ""
    promise = guarantee(learner)
    delta = promise.delta_at(0) if isinstance(learner, littlestone.NameAndShame) else 0
    epsilon = promise.epsilon_at(delta)
    return f"({shown_up(epsilon)}, {shown_up(delta)})-DP, {promise.status.value}"


def _curves(rounds: int, budget: Promised) -> Curves:
    times, beta = checkpoints(rounds), float(budget.beta)
    lower = [littlestone.mistakes_lower_bound(t, **budget._asdict()) for t in times]
    upper = list[float]()
    for time in times:
        given: dict[str, Any] = {"horizon": time, "epsilon": budget.epsilon, "beta": beta}
        law = streams.mistake_law(littlestone.sparse_vector_learner(**given), time)
        upper.append(float(law.mistakes(streams.every_round(time)).value))
    return Curves(times, tuple(lower), tuple(upper))


# --- three adversaries against a learner ----------------------------------------------------------

HARD: Final = "hard sequence"


def _rows(law: streams.MistakeLaw, budget: Promised) -> Iterator[AdversaryRow]:
    rounds = law.rounds
    yield AdversaryRow("wrong every round", rounds, law.mistakes(streams.every_round(rounds)))
    if rounds > (most := streams.most_rounds(law)):
        yield AdversaryRow("best of all 2^T", 0, None, f"searched among at most 2^{most}")
    else:
        worst = streams.worst_sequence(law)
        yield AdversaryRow("best of all 2^T", len(worst.hits), worst.mistakes)
    shape = littlestone.hard_shape(rounds, **budget._asdict())
    try:
        hits = streams.hard_sequence(law, copies=shape.copies, parts=shape.parts).hits
    except InvalidArgument as error:
        yield AdversaryRow(HARD, 0, None, str(error))
    else:
        yield AdversaryRow(HARD, len(hits), law.mistakes(hits))


def _draw(curves: Curves, rows: list[AdversaryRow], title: str, path: Path) -> None:
    """Draws the two curves of expected mistakes over T, and at the last T the mistakes that each
    adversary forces, with their confidence intervals.

    The axis of T is logarithmic.
    """
    with picture([path], width=8, height=5) as figure:
        axes = figure.subplots()
        style_axes(axes, "rounds T", "expected mistakes")
        times, lower, upper = map(list, curves)
        axes.fill_between(times, lower, upper, color=SOFT, alpha=0.12, linewidth=0)
        axes.plot(times, upper, color=COLOURS[0], label="sparse vector, wrong every round")
        axes.plot(times, lower, color=COLOURS[1], label="lower bound of every private learner")
        found = [(row.adversary, row.mistakes) for row in rows if row.mistakes is not None]
        for number, (name, mistakes) in enumerate(found):
            value = float(mistakes.value)
            ends = [[value - float(mistakes.low)], [float(mistakes.high) - value]]
            axes.errorbar(
                times[-1:], [value], yerr=ends, fmt="os^"[number % 3], label=name,
                color=COLOURS[2 + number % 4], capsize=4,
            )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        legend(axes)
        headed(figure, title, 0.1)
        figure.subplots_adjust(left=0.1, right=0.97, top=0.9, bottom=0.11)
