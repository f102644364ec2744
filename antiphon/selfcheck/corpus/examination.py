"""The corpus, audited: which claims are refuted, beside which ones should be."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final, Literal, Union

import attrs
import numpy as np

from antiphon.audit.statistical import Rates, p_value
from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.selfcheck.corpus.entry import Entry

LEVEL: Final = 1e-3
"""The probability that any true claim of the corpus counts as refuted, at most."""
CONFIDENCE: Final = 0.9
"""Of each bound, on its own."""

TRAINING: Final = 1_000_000
"""So many samples choose player and event, or a quarter if that is more, or half if less …"""
MOST_TRAINING: Final = 8_000_000
"""… but no more than this: they are held in memory."""


@attrs.frozen
class AuditedEntry:
    """One audited entry: what came out, and whether it should have."""

    entry: Entry
    report: AuditReport = attrs.field(repr=False)
    level: float
    """α of this entry's verdict: LEVEL, divided by the number of entries."""
    seconds: float

    @property
    def p_value(self) -> float:
        """Of the claim, on fresh samples of the event that was chosen."""
        return p_value(self.report.hits, epsilon=self.report.epsilon, delta=self.report.delta)

    @property
    def epsilon_lower(self) -> float:
        """The least ε for the claimed δ is at least this, with confidence CONFIDENCE."""
        return self._rates.epsilon_at(self.report.delta)

    @property
    def delta_lower(self) -> float:
        """The true δ at the claimed ε is at least this, with the same confidence."""
        return self._rates.delta_at(self.report.epsilon)

    @property
    def _rates(self) -> Rates:
        return Rates.of(self.report.hits, alpha=1 - CONFIDENCE)

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted at the level of the whole corpus."""
        return self.p_value <= self.level

    @property
    def as_expected(self) -> bool:
        """A true claim is not refuted, a false one is."""
        return self.refuted != self.entry.private

    @property
    def bound(self) -> float:
        """What the entry's goal is about."""
        return self.epsilon_lower if self.entry.goal_of == "epsilon" else self.delta_lower

    @property
    def reached(self) -> bool | None:
        """Whether the bound has come to the entry's goal; None if there is none."""
        goal = self.entry.goal
        return None if goal is None else self.bound >= goal


def examine(
    entry: Entry,
    *,
    seed: np.random.SeedSequence,
    entries: int = 1,
    thorough: bool = False,
    samples: int | None = None,
    executor: Union[int, Literal["serial"], None] = None,
    checkpoint: Path | None = None,
) -> AuditedEntry:
    """Audit one entry's claim with its players, of which training samples choose one.

    Args: ``entries``, how many are audited together, over which LEVEL is divided;
    ``thorough``, whether samples and event are to bring the bound to its goal, or just to
    decide; ``samples`` in each world, if not the entry's own number; ``executor`` and
    ``checkpoint``, see ``audit``.
    """
    started = time.perf_counter()
    epsilon, delta = entry.parameters
    level = LEVEL / entries
    views = samples or (entry.thorough if thorough else entry.samples)
    # The event with the best bound on ε may be a rare one, which refutes with less power.
    bounding = thorough and not delta and (entry.private or entry.goal is not None)
    report = entry.game.audit(
        [player.adversary for player in entry.players],
        epsilon=epsilon,
        delta=delta,
        samples=views,
        training=min(views // 2, max(TRAINING, views // 4), MOST_TRAINING),
        confidence=CONFIDENCE if bounding else 1 - level,
        feature=entry.feature,
        score=entry.score,
        objective="epsilon" if bounding else "delta",
        seed=seed,
        executor=executor,
        checkpoint=checkpoint,
        progress=False,
    )
    return AuditedEntry(entry, report, level, time.perf_counter() - started)
