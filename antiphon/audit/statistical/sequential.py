"""The anytime-valid audit: bet on fresh samples until the claim is ruined, or samples end.

Each round trains as long as it then bets, as far as memory goes, and lasts twice as long as the
round before: its adversary, event and stakes depend on earlier rounds and on training samples only.
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np

from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.audit.statistical.betting import Batch, EProcess
from antiphon.audit.statistical.estimators import Hits
from antiphon.audit.statistical.events.thresholds import Choice
from antiphon.audit.statistical.experiment import BETTING, LEAST_ROUND, CountHits, Setting, child
from antiphon.audit.statistical.search import Candidate, budgets
from antiphon.audit.statistical.vacuous import why_vacuous
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import generator
from antiphon.protocol.records.labels import counted

_FIRST: Final = 500
_LONGEST: Final = 1 << 27
DELTAS: Final = tuple(i / 64 for i in range(64))
EPSILONS: Final = (0.0, *(0.01 * 1.12**i for i in range(64)))
"""Claims beside the one that is tested, for the bounds: up to ε = 12.6."""


@attrs.define
class Ladder:
    """E-processes of weaker and weaker claims; the bound is the last that falls in a row.

    The first step at or above the truth is a true claim, and no bound passes the truth
    unless that falls: with probability at most α.
    """

    steps: tuple[float, ...]
    processes: tuple[EProcess, ...]
    fallen: set[int] = attrs.field(factory=set[int])

    def bet(self, batch: Batch, expected: Batch, *, alpha: float) -> None:
        """Bet on a batch, with the stakes that would be best if it came as expected."""
        for place, process in enumerate(self.processes):
            process.update(batch, stake=process.best_stake(expected))
            if process.rejects(alpha=alpha):
                self.fallen.add(place)

    @property
    def bound(self) -> float:
        """The last claim of those that have all fallen; −1 if the first one stands."""
        place = next((i for i in range(len(self.steps)) if i not in self.fallen), len(self.steps))
        return self.steps[place - 1] if place else -1.0


def sequential_audit(setting: Setting, candidates: list[Candidate]) -> AuditReport:
    """Bet in rounds; stops once the claim has fallen, or when the samples are used up."""
    if setting.workforce.checkpoint is not None:
        raise InvalidArgument("an anytime audit keeps no checkpoint: pass method='clopper-pearson'")
    goal, total = setting.goal, setting.trained + setting.goal.trials
    deltas = sorted({*DELTAS, goal.delta})
    epsilons = sorted({*EPSILONS, goal.epsilon})
    ladders = (
        Ladder(tuple(deltas), tuple(EProcess(goal.epsilon, each) for each in deltas)),
        Ladder(tuple(epsilons), tuple(EProcess(each, goal.delta) for each in epsilons)),
    )
    used, bets, number = 0, Hits(0, 0, 0, 0), 0
    rounds = len(budgets(len(candidates), 1))
    size = max(_FIRST, 2 * LEAST_ROUND * (rounds - 1) * (len(candidates) + 1))
    while True:
        size = min(size, _LONGEST, (total - used) // 2)
        trained = min(size, setting.trained)
        candidate, choice = setting.best(candidates, trained, number)
        hits, interrupted = _play(setting, candidate, choice, size, number)
        batch = _paired(hits, child(setting.root, BETTING, number, 1))
        for ladder in ladders:
            ladder.bet(batch, _expected(choice), alpha=goal.alpha)
        used, bets, number = used + trained + size, bets + hits, number + 1
        refuted = ladders[0].bound >= goal.delta
        size *= 2
        if refuted or interrupted or total - used < size:
            break
    low = max(0.0, ladders[0].bound)
    event, share = choice.event, choice.hits.own / choice.hits.trials
    return AuditReport(
        verdict="refuted" if refuted else "not refuted",
        epsilon=goal.epsilon,
        delta=goal.delta,
        delta_lower=low,
        epsilon_lower=max(0.0, ladders[1].bound),
        confidence=setting.confidence,
        samples=used,
        tested=bets.trials,
        method="betting, valid at any time: "
        f"{counted(number, 'round')}, each on an event of its own",
        correction="one e-process tests the claim whatever is re-chosen, so none was needed",
        adversary=candidate.name,
        event=event,
        hits=bets,
        interrupted=interrupted,
        player=candidate.adversary,
        vacuous="" if refuted else why_vacuous(setting.playing, candidate.adversary, setting.root),
        counterexample=setting.show(candidate.adversary, event, share, low) if refuted else None,
    )


def _play(
    setting: Setting, candidate: Candidate, choice: Choice, size: int, number: int
) -> tuple[Hits, bool]:
    task = CountHits(setting.playing, candidate.adversary, choice.event)
    outcome = setting.workforce.count(task, size, child(setting.root, BETTING, number, 0), 0)
    return Hits(*outcome.result[-1]), outcome.interrupted


def _paired(hits: Hits, seed: np.random.SeedSequence) -> Batch:
    """The views of both worlds in pairs, by lot."""
    coins = generator(seed)
    both = int(coins.hypergeometric(hits.own, hits.trials - hits.own, hits.against))
    ahead, behind = hits.own - both, hits.against - both
    return Batch(both, ahead, behind, hits.trials - both - ahead - behind)


def _expected(choice: Choice) -> Batch:
    """What the tuning samples promise, a little less hopefully: with two views added to each."""
    own = choice.hits.own / (choice.hits.trials + 2)
    against = (choice.hits.against + 2) / (choice.hits.others + 2)
    scale = 10**6
    kinds = (own * against, own * (1 - against), (1 - own) * against, (1 - own) * (1 - against))
    return Batch(*(round(scale * kind) for kind in kinds))
