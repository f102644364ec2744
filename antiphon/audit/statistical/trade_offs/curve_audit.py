"""The audit of a whole curve: several events on fresh samples, and every ε of each of them."""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np

from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.audit.statistical.estimators import Rates, down
from antiphon.audit.statistical.experiment import TESTING, Setting, child
from antiphon.audit.statistical.fixed import repeated
from antiphon.audit.statistical.search import Candidate
from antiphon.audit.statistical.trade_offs.counting import counting, together
from antiphon.audit.statistical.trade_offs.goal import AgainstCurve, best_near, promised
from antiphon.audit.statistical.trade_offs.trade_off import Point, TradeOff
from antiphon.audit.statistical.vacuous import why_vacuous
from antiphon.composition.accounting.curve import PrivacyCurve

FIRST: Final = 0.5
"""The share of α of the event that promised most; the others share the rest."""


def curve_audit(setting: Setting, candidates: list[Candidate], curve: PrivacyCurve) -> AuditReport:
    """Choose adversary, score and cuts; bound them on fresh views, all at once; compare.

    Each cut is an event with two Clopper-Pearson bounds at half of its α. The α of all add up to
    that of the audit: so all bounds hold together, but for that probability, and at every ε.
    """
    goal = setting.goal
    assert type(goal) is AgainstCurve
    candidate, choice = setting.best(candidates, setting.trained)
    task = counting(setting.playing, candidate.adversary, choice)
    seed = child(setting.root, TESTING, 0)
    outcome = setting.workforce.run(task, together, goal.trials, seed, 0)
    looks, alpha = outcome.looks, goal.alpha
    if looks > 1:
        setting = attrs.evolve(setting, confidence=max(0.0, down(1 - looks * alpha)))
    alphas, hits = _shares(alpha, len(task.cuts)), task.hits(outcome.result)
    rates = [Rates.of(each, alpha=share) for each, share in zip(hits, alphas, strict=True)]
    points = [Point(cut.bit, each) for cut, each in zip(task.cuts, rates, strict=True)]
    trade_off = TradeOff(tuple(points))
    epsilon = _worst(curve, goal, rates)
    delta, lows = promised(curve, epsilon), [each.delta_at(epsilon) for each in rates]
    best = int(np.argmax(lows))
    refuted, event, low = lows[best] > delta, task.event(best), lows[best]
    shown = None
    if refuted:
        setting = attrs.evolve(setting, goal=attrs.evolve(goal, epsilon=epsilon, delta=delta))
        shown = setting.show(candidate.adversary, event, rates[best].low, low)
        if shown is not None:
            shown = attrs.evolve(shown, hits=hits[best], alpha=alphas[best])
    return AuditReport(
        verdict="refuted" if refuted else "not refuted",
        epsilon=epsilon,
        delta=delta,
        delta_lower=low,
        epsilon_lower=trade_off.epsilon_at(delta),
        confidence=setting.confidence,
        samples=setting.trained + outcome.done,
        tested=outcome.done,
        method="two Clopper-Pearson bounds for each of several events, chosen on other samples",
        correction=_correction(len(task.cuts), len(candidates)) + repeated(looks, alpha),
        adversary=candidate.name,
        event=event,
        hits=hits[best],
        alpha_each=alphas[best],
        looks=looks,
        interrupted=outcome.interrupted,
        curve=curve.method,
        claimed=goal.claimed,
        trade_off=trade_off,
        player=candidate.adversary,
        vacuous="" if refuted else why_vacuous(setting.playing, candidate.adversary, setting.root),
        counterexample=shown,
    )


def _shares(alpha: float, events: int) -> list[float]:
    """What each event has of α; together no more."""
    if events == 1:
        return [alpha]
    return [FIRST * alpha, *[down((1 - FIRST) * alpha / (events - 1))] * (events - 1)]


def _worst(curve: PrivacyCurve, goal: AgainstCurve, rates: list[Rates]) -> float:
    """The ε at which the bounds exceed the curve most, or come nearest to it."""

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
