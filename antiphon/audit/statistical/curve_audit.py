"""The audit of a whole privacy curve: several events, each compared with it at every ε."""

from operator import add
from statistics import NormalDist
from typing import Final, TypeAlias

import attrs
import numpy as np

from antiphon.audit.running import Chunk
from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.audit.statistical.claim_audit import make_report, repetition_note
from antiphon.audit.statistical.estimators import Hits, Rates, down
from antiphon.audit.statistical.event import Choice, Cut, Cuts
from antiphon.audit.statistical.experiment import TESTING, Playing, Setting, child_seed
from antiphon.audit.statistical.reader import Path, with_numbers_at
from antiphon.audit.statistical.scorers import Scorer, Vector
from antiphon.audit.statistical.search import Candidate
from antiphon.audit.statistical.trade_off import (
    AgainstCurve,
    Point,
    TradeOff,
    best_near,
    claimed_delta,
)
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.protocol.adversary import Adversary

Counts: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
"""(views of each world, views of b = 0 beyond each cut, views of b = 1 beyond each cut)."""

_EACH_WAY: Final = 16
"""The largest number of cuts (thresholds of a score) on either side of the median."""
_LEAST: Final = 4
"""The least number of tuning views (the mean of both worlds) beyond the outermost cuts."""


@attrs.frozen
class CountCuts:
    """A task that plays a chunk of fresh views in both worlds, and counts those beyond each cut."""

    playing: Playing
    adversary: Adversary
    scorer: Scorer
    places: tuple[Path, ...]
    """The places of continuous numbers in a view, found in training (``Event.wide``)."""
    cuts: tuple[Cut, ...]

    def __call__(self, chunk: Chunk) -> Counts:
        return chunk.size, self._beyond(0, chunk), self._beyond(1, chunk)

    def _beyond(self, bit: int, chunk: Chunk) -> tuple[int, ...]:
        sample = self.playing.sample(self.adversary, bit, chunk.size, child_seed(chunk.seed, bit))
        cells = (with_numbers_at(sample, self.places) if self.scorer.symbolic else sample).cells
        scored = [
            (self.scorer.score(skeleton, cell.columns), cell.count)
            for skeleton, cell in cells.items()
        ]
        kinds = [each for each in scored if not isinstance(each[0], np.ndarray)]
        scores, counts = np.array([*zip(*kinds, strict=True)] or [(), ()])
        numbers = [score for score, _ in scored if isinstance(score, np.ndarray)]
        return tuple(
            int(counts[cut.holds(scores)].sum())
            + sum(int(np.count_nonzero(cut.holds(each))) for each in numbers)
            for cut in self.cuts
        )

    def hits(self, counts: Counts) -> list[Hits]:
        """For each cut, the views beyond it in the world that it favours, and in the other one."""
        views, *worlds = counts
        return [
            Hits(worlds[cut.bit][place], views, worlds[1 - cut.bit][place], views)
            for place, cut in enumerate(self.cuts)
        ]


def together(counts: Counts, more: Counts) -> Counts:
    """The sum of the counts of two chunks of views."""
    (views, *worlds), (others, *beyond) = counts, more
    zero, one = (tuple(map(add, *each)) for each in zip(worlds, beyond, strict=True))
    return views + others, zero, one


def counting(playing: Playing, adversary: Adversary, choice: Choice) -> CountCuts:
    """The task that counts views beyond the chosen cut, and beyond other cuts of the same score."""
    event = choice.event
    if choice.cuts is None or choice.cut is None:
        sure = Cut(event.threshold, event.above, event.bit)
        return CountCuts(playing, adversary, event.scorer, event.wide, (sure,))
    cuts = dict.fromkeys([choice.cut, *spread(choice.cuts)])
    return CountCuts(playing, adversary, choice.cuts.scorer, event.wide, tuple(cuts))


def spread(cuts: Cuts) -> list[Cut]:
    """Cuts beyond which at most half of the tuning views lie, evenly spaced in normal quantiles."""
    found: list[Cut] = []
    for above, met in ((True, cuts.above), (False, cuts.below)):
        shares = met[0] / cuts.totals[0], met[1] / cuts.totals[1]
        share: Vector = (shares[0] + shares[1]) / 2
        least = _LEAST / min(cuts.totals)
        end = NormalDist().inv_cdf(min(0.5, least))
        for target in map(NormalDist().cdf, np.linspace(end, 0, _EACH_WAY)):
            place = int(np.argmin(np.abs(share - target)))
            if least <= share[place] <= 0.5:
                bit = int(shares[1][place] >= shares[0][place])
                found.append(Cut(float(cuts.limits[place]), above, bit))
    return found


FIRST: Final = 0.5
"""The share of α for the event with the best expected bound; all others share the rest."""


def curve_audit(setting: Setting, candidates: list[Candidate], curve: PrivacyCurve) -> AuditReport:
    """Audit a whole curve: choose adversary, score and cuts, and bound all cuts on fresh views.

    Each cut is an event with two Clopper-Pearson bounds at half of its α. Their α add up to that of
    the audit: so all bounds hold together, and at every ε, except with that probability.
    """
    goal = setting.goal
    assert type(goal) is AgainstCurve
    candidate, choice = setting.best(candidates, setting.trained)
    task = counting(setting.playing, candidate.adversary, choice)
    seed = child_seed(setting.root, TESTING, 0)
    outcome = setting.workforce.run(task, together, goal.trials, seed, wide=bool(task.places))
    looks, alpha = outcome.looks, goal.alpha
    setting = setting.after(looks)
    alphas, hits = _shares(alpha, len(task.cuts)), task.hits(outcome.result)
    rates = [Rates.of(each, alpha=share) for each, share in zip(hits, alphas, strict=True)]
    trade_off = TradeOff(tuple(Point(cut.bit, r) for cut, r in zip(task.cuts, rates, strict=True)))
    epsilon = _worst(curve, goal, rates)
    delta, lows = claimed_delta(curve, epsilon), [each.delta_at(epsilon) for each in rates]
    best = int(np.argmax(lows))
    refuted, low = lows[best] > delta, lows[best]
    event = task.cuts[best].event(task.scorer, task.places)
    setting = attrs.evolve(setting, goal=attrs.evolve(goal, epsilon=epsilon, delta=delta))
    found = candidate.adversary, event, rates[best].low, low, (hits[best], alphas[best])
    return make_report(
        setting, candidate, event, refuted,
        delta_lower=low,
        epsilon_lower=trade_off.epsilon_at(delta),
        samples=setting.trained + outcome.done,
        tested=outcome.done,
        method="two Clopper-Pearson bounds for each of several events, chosen on other samples",
        correction=_correction(len(task.cuts), len(candidates)) + repetition_note(looks, alpha),
        hits=hits[best],
        alpha_each=alphas[best],
        looks=looks,
        interrupted=outcome.interrupted,
        curve=curve.method,
        claimed=goal.claimed,
        trade_off=trade_off,
        counterexample=setting.show(*found) if refuted else None,
    )  # fmt: skip


def _shares(alpha: float, events: int) -> list[float]:
    """The share of α for each event; the shares add up to at most α."""
    if events == 1:
        return [alpha]
    return [FIRST * alpha, *[down((1 - FIRST) * alpha / (events - 1))] * (events - 1)]


def _worst(curve: PrivacyCurve, goal: AgainstCurve, rates: list[Rates]) -> float:
    """The ε at which the proved bounds exceed the claimed curve by most, or come nearest to it."""

    def bound(epsilon: float) -> float:
        return max(each.delta_at(epsilon) for each in rates)

    beyond = [goal.excess(np.array(bound(e)), delta) for e, delta in goal.claimed]
    return best_near(curve, goal, bound, int(np.argmax(beyond)))


def _correction(events: int, candidates: int) -> str:
    chosen = f"one of {candidates} adversaries was chosen on training samples; " * (candidates > 1)
    if events == 1:
        return f"{chosen}one event was tested, so none was needed"
    return (
        f"{chosen}{events} events were tested at once: half of α for the one that promised most on "
        f"training samples, α/{2 * (events - 1)} for each of the others (Bonferroni)"
    )
