"""``antiphon mistakes``: what three adversaries cost a learner, between two bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

from antiphon.cli.output import print_json
from antiphon.cli.written import one_of, shown
from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners.commands.players import INTERRUPTED, PlayOptions
from antiphon.learners.littlestone import (
    Halving,
    NameAndShame,
    hard_shape,
    mistakes_lower_bound,
    point_learner,
    sparse_vector_learner,
    tree_counter_learner,
)
from antiphon.learners.mistakes import (
    MistakeFigure,
    MistakeLaw,
    every_round,
    hard_sequence,
    mistake_law,
    most_rounds,
    worst_sequence,
)
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import rational
from antiphon.numbers.printed import fixed_down, fixed_up, shown_up
from antiphon.protocol.mechanism import ContinualMechanism


class MistakesAsked(NamedTuple):
    """The learner and the bound, as they are written."""

    learner: str
    rounds: int
    epsilon: str
    delta: str
    beta: str
    points: int


class Promised(NamedTuple):
    """ε, δ and β."""

    epsilon: Fraction
    delta: Fraction
    beta: Fraction


class AdversaryRow(NamedTuple):
    """An adversary, how many (1, 1) it says, and the mistakes; or why there are none."""

    adversary: str
    hits: int
    mistakes: MistakeFigure | None
    why: str = ""

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        figure = None if self.mistakes is None else self.mistakes.to_dict()
        return {
            "adversary": self.adversary, "hits": self.hits, "mistakes": figure,
            "why": self.why or None,
        }  # fmt: skip


class Curves(NamedTuple):
    """The lower bound and the sparse-vector learner's mistakes, for T = 1, 2, 4, … rounds."""

    rounds: tuple[int, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


def _learners(
    asked: MistakesAsked, budget: Promised
) -> dict[str, Callable[[], ContinualMechanism[Any]]]:
    rounds, epsilon, beta = asked.rounds, budget.epsilon, float(budget.beta)
    tuned = partial[ContinualMechanism[Any]]
    return {
        "sparse-vector": tuned(sparse_vector_learner, horizon=rounds, epsilon=epsilon, beta=beta),
        "name-and-shame": tuned(NameAndShame, delta=budget.delta),
        "tree-counter": tuned(tree_counter_learner, horizon=rounds, epsilon=epsilon, beta=beta),
        "points": tuned(
            point_learner, points=asked.points, horizon=rounds, epsilon=epsilon, beta=beta
        ),
        "halving": Halving,
    }


def mistakes(
    asked: MistakesAsked,
    playing: PlayOptions,
) -> int:
    """Count, print, draw."""
    budget = Promised(*(rational(getattr(asked, name), name) for name in Promised._fields))
    known = _learners(asked, budget)
    learner = one_of(known, asked.learner, "learner")()
    curves = _curves(asked.rounds, budget)
    law = mistake_law(
        learner, asked.rounds, repetitions=playing.repeat, seed=playing.seed,
        executor=playing.workers, progress=False if playing.as_json else None,
    )  # fmt: skip
    rows, beta = list[AdversaryRow](), list[MistakeFigure]()
    interrupted = True
    with suppress(KeyboardInterrupt):
        beta.append(law.concentration())
        rows += _rows(law, budget)
        interrupted = False
    if playing.plot is not None:
        from antiphon.report.mistakes import drawn

        found = [(row.adversary, row.mistakes) for row in rows if row.mistakes is not None]
        drawn(curves, found, title=f"Mistakes of {asked.learner}", paths=[playing.plot])
    if playing.as_json:
        told = beta[0].to_dict() if beta else None
        print_json(
            {
                **asked._asdict(), "private": bool(_promise(learner)), "concentration": told,
                "adversaries": [row.to_dict() for row in rows], "interrupted": interrupted,
                "lower": curves.lower[-1], "upper": curves.upper[-1], "curves": curves._asdict(),
                "plot": playing.drawn,
            }
        )  # fmt: skip
    else:
        _print(asked, budget, _promise(learner), beta, rows, curves, interrupted)
        if playing.plot is not None:
            print(f"Mistakes over rounds are drawn in {playing.plot}")
    return 0


def _promise(learner: ContinualMechanism[Any]) -> str:
    """(ε, δ), as derived; "" of a learner that is not private."""
    if not getattr(learner, "private", True):
        return ""
    promise = guarantee(learner)
    delta = promise.delta_at(0) if isinstance(learner, NameAndShame) else 0
    epsilon = promise.epsilon_at(delta)
    return f"({shown_up(epsilon)}, {shown_up(delta)})-DP, {promise.status.value}"


def _curves(rounds: int, budget: Promised) -> Curves:
    epsilon, delta, beta = budget
    times = (*(1 << k for k in range((rounds - 1).bit_length())), rounds)
    lower = [mistakes_lower_bound(t, epsilon=epsilon, delta=delta, beta=beta) for t in times]
    upper = list[float]()
    for time in times:
        learner = sparse_vector_learner(horizon=time, epsilon=epsilon, beta=float(beta))
        upper.append(float(mistake_law(learner, time).mistakes(every_round(time)).value))
    return Curves(times, tuple(lower), tuple(upper))


# --- three adversaries ----------------------------------------------------------------------------

HARD: Final = "hard sequence"


def _rows(law: MistakeLaw, budget: Promised) -> Iterator[AdversaryRow]:
    rounds = law.rounds
    yield AdversaryRow("wrong every round", rounds, law.mistakes(every_round(rounds)))
    if rounds > (most := most_rounds(law)):
        yield AdversaryRow("best of all 2^T", 0, None, f"looked for among at most 2^{most}")
    else:
        worst = worst_sequence(law)
        yield AdversaryRow("best of all 2^T", len(worst.hits), worst.mistakes)
    shape = hard_shape(rounds, epsilon=budget.epsilon, delta=budget.delta, beta=budget.beta)
    try:
        hits = hard_sequence(law, copies=shape.copies, parts=shape.parts).hits
    except InvalidArgument as error:
        yield AdversaryRow(HARD, 0, None, str(error))
    else:
        yield AdversaryRow(HARD, len(hits), law.mistakes(hits))


# --- for people -----------------------------------------------------------------------------------


def _print(
    asked: MistakesAsked, budget: Promised, promise: str, beta: list[MistakeFigure],
    rows: list[AdversaryRow], curves: Curves, interrupted: bool,
) -> None:  # fmt: skip
    from antiphon.report import print_table

    print(f"{asked.learner}: {promise or 'not private'}, {asked.rounds:,} rounds")
    for figure in beta:
        print(f"on blanks it leaves its first hypothesis with probability {figure} ({figure.how})")
    columns = ["adversary", "says (1, 1)", "mistakes", "found"]
    cells = [
        [row.adversary, f"{row.hits:,}", str(row.mistakes), row.mistakes.how]
        if row.mistakes is not None
        else [row.adversary, "", "", row.why]
        for row in rows
    ]
    print_table(columns, cells, numbers=columns[1:3])
    epsilon, delta, beta_shown = map(shown, budget)
    least, most = fixed_down(curves.lower[-1], 1), fixed_up(curves.upper[-1], 1)
    print(
        f"At least {least} for every ({epsilon}, {delta})-DP learner that is "
        f"{beta_shown}-concentrated, on its worst stream;"
    )
    print(f"the sparse-vector learner of that ε, wrong every round: {most}.")
    if interrupted:
        print(INTERRUPTED)
