"""Regret over rounds and over ε: how it grows, for programs and for pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import attrs

from antiphon.cli.output import shown
from antiphon.learners.commands.learner_rows import LearnerRow, power, shared
from antiphon.learners.regret_pictures import Facet, Trace


def _regret(row: LearnerRow) -> float:
    return row.regret


def _budget(row: LearnerRow) -> float:
    return float(row.epsilon or 0)


# --- for programs ---------------------------------------------------------------------------------


def sweep_data(rows: Sequence[LearnerRow]) -> list[dict[str, object]]:
    """Each learner: what it did for each T and ε, and the slopes of its regret in both."""
    return [_learner(name, runs) for name, runs in shared(rows, lambda row: row.name).items()]


def _learner(name: str, runs: Sequence[LearnerRow]) -> dict[str, object]:
    by_rounds = shared(runs, lambda row: row.rounds)
    by_budget = shared(runs, lambda row: row.epsilon)
    return {
        "name": name, "private": runs[0].privacy != "no",
        "runs": [
            {"rounds": row.rounds, "epsilon": row.epsilon, **row.standings.to_dict()}
            for row in runs
        ],
        "slopes_in_rounds": [
            {"epsilon": same[0].epsilon, "slope": power(same, lambda row: row.rounds, _regret)}
            for same in by_budget.values()
            if len(by_rounds) > 1
        ],
        "slopes_in_epsilon": [
            {"rounds": rounds, "slope": power(same, _budget, _regret)}
            for rounds, same in by_rounds.items()
            if len(by_budget) > 1
        ],
    }  # fmt: skip


# --- for pictures ---------------------------------------------------------------------------------


def over_rounds(rows: Sequence[LearnerRow]) -> list[Facet]:
    """Regret over T, a picture for each ε; none of one T. Who takes no ε is in each."""
    if len({row.rounds for row in rows}) < 2:
        return []
    budgets: list[Fraction | None] = [*_budgets(rows)] or [None]
    return [
        Facet(
            "" if budget is None else f"ε = {shown(budget)}",
            _traces([row for row in rows if row.epsilon in (None, budget)], lambda row: row.rounds),
        )
        for budget in budgets
    ]


def over_budgets(rows: Sequence[LearnerRow]) -> list[Facet]:
    """Regret over ε, a picture for each T; none of one ε. Who takes no ε is level."""
    budgets = _budgets(rows)
    if len(budgets) < 2:
        return []
    level = [
        attrs.evolve(row, epsilon=end)
        for row in rows if row.epsilon is None
        for end in (budgets[0], budgets[-1])
    ]  # fmt: skip
    both = [*level, *(row for row in rows if row.epsilon is not None)]
    return [
        Facet(f"T = {rounds:,}", _traces(same, _budget))
        for rounds, same in sorted(shared(both, lambda row: row.rounds).items())
    ]


def _budgets(rows: Sequence[LearnerRow]) -> list[Fraction]:
    return sorted({row.epsilon for row in rows if row.epsilon is not None})


def _traces(rows: Sequence[LearnerRow], at: Callable[[LearnerRow], float]) -> list[Trace]:
    return [
        Trace(name, [at(row) for row in same], [row.regret for row in same],
              [row.band for row in same])
        for name, same in shared(rows, lambda row: row.name).items()
    ]  # fmt: skip
