"""The audit with a fixed number of samples: choose an event, test it on others, report."""

from typing import Any, Final, Literal, TypeAlias

import attrs
import numpy as np

from antiphon.audit.running import Outcome
from antiphon.audit.statistical import estimators
from antiphon.audit.statistical.audit_report import AuditReport, Tested
from antiphon.audit.statistical.event import Choice, Event
from antiphon.audit.statistical.experiment import (
    TESTING,
    VACUOUS,
    CountHits,
    Playing,
    Setting,
    Trace,
    child_seed,
    merge_trace,
)
from antiphon.audit.statistical.search import Candidate
from antiphon.numbers.rounded_text import shown_up
from antiphon.protocol import LEFT, Adversary, Pair, Refused, identical
from antiphon.protocol.records.interaction import interact
from antiphon.verifiers.verifier import Verifier

_PLAYS: Final = 64


def why_vacuous(playing: Playing, adversary: Adversary, seed: np.random.SeedSequence) -> str:
    """Why an audit tests nothing: V[f] lets no differing pair pass in a few plays; else "".

    Views without a differing pair have the same law in both worlds, for any mechanism. The plays
    end at the first such pair, so a normal audit needs only one.
    """
    said = pairs = differing = 0
    reason = ""
    for number in range(_PLAYS):
        world = playing.game.mechanism(number % 2)
        guard = world.links[0]
        if not isinstance(guard, Verifier):
            return ""
        view = interact(
            adversary, world, rounds=playing.rounds, seed=child_seed(seed, VACUOUS, number)
        )
        state = guard.initial_state
        for message in view.messages:
            said += 1
            pairs += type(message) is Pair
            differs = type(message) is Pair and not identical(message.zero, message.one)
            differing += differs
            state, _, _ = guard.step(state, LEFT, message, None)
            if type(state) is Refused:
                reason = state.reason
            elif differs:
                return ""
    if not said:
        return "nothing was said"
    if not pairs:
        return "every view was halted by V[f]: its messages are no pairs; say Pair(m0, m1), same(m)"
    if not differing:
        return f"no differing pair was sent in {_PLAYS} plays, so both worlds are the same"
    return f"every view was halted by V[f] before a differing pair could pass: {reason}"


def make_report(
    setting: Setting, candidate: Candidate, event: Event, refuted: bool, **found: Any
) -> AuditReport:
    """The report of an audit, with the findings ``found``."""
    player, playing, goal = candidate.adversary, setting.playing, setting.goal
    return AuditReport(
        verdict="refuted" if refuted else "not refuted", epsilon=goal.epsilon, delta=goal.delta,
        confidence=setting.confidence, adversary=candidate.name, event=event, player=player,
        vacuous="" if refuted else why_vacuous(playing, player, setting.root), **found,
    )  # fmt: skip


Method: TypeAlias = Literal["clopper-pearson", "label", "anytime"]
Chosen: TypeAlias = tuple[Candidate, Choice]

_WORDS: Final = {
    "clopper-pearson": "two Clopper-Pearson bounds at α/2, on an event chosen on other samples",
    "label": "one Clopper-Pearson bound on guesses of a random label, by an event chosen on "
    "other samples",
}


def fixed_audit(
    setting: Setting, candidates: list[Candidate], method: Method, correction: estimators.Correction
) -> AuditReport:
    """An audit of fixed size: choose adversary and event, and test them on fresh views."""
    if correction == "select":
        chosen: list[Chosen] = [setting.best(candidates, setting.trained)]
    else:
        chosen = [
            (each, setting.choose(each, setting.trained, 0, place))
            for place, each in enumerate(candidates)
        ]
    outcomes = [_count(setting, pair, place, method) for place, pair in enumerate(chosen)]
    return _report(setting, len(candidates), chosen, outcomes, method, correction)


def _count(setting: Setting, chosen: Chosen, place: int, method: Method) -> Outcome[Trace]:
    candidate, choice = chosen
    task, trials = CountHits(setting.playing, candidate.adversary, choice.event), 1
    if method == "label":
        task = attrs.evolve(task, label=1 / (1 + estimators.exp_up(setting.goal.epsilon)))
        trials = 2
    return setting.workforce.run(
        task, merge_trace, trials * setting.goal.trials, child_seed(setting.root, TESTING, place),
        wide=bool(choice.event.wide), place=place,
    )  # fmt: skip


def _report(
    setting: Setting,
    candidates: int,
    chosen: list[Chosen],
    outcomes: list[Outcome[Trace]],
    method: Method,
    correction: estimators.Correction,
) -> AuditReport:
    goal = setting.goal
    looks = max(outcome.looks for outcome in outcomes)
    setting = setting.after(looks)
    alpha = goal.alpha / len(chosen)
    hits = [estimators.Hits(*outcome.result[-1]) for outcome in outcomes]
    rates = [estimators.Rates.of(each, alpha=alpha) for each in hits]
    lows = [_delta_lower(each, goal.epsilon, alpha, method) for each in hits]
    tests = _tests(setting, chosen, hits, correction) if len(chosen) > 1 else ()
    best = max(range(len(chosen)), key=lambda i: (lows[i], -tests[i].p_value if tests else 0.0))
    (candidate, choice), low = chosen[best], lows[best]
    refuted = low > goal.delta
    tested = outcomes[best].done // (2 if method == "label" else 1)
    counts = (hits[best], alpha) if method == "clopper-pearson" else ()
    found = candidate.adversary, choice.event, rates[best].low, low, *counts
    return make_report(
        setting, candidate, choice.event, refuted,
        delta_lower=low,
        epsilon_lower=max(each.epsilon_at(goal.delta) for each in rates),
        samples=setting.trained + tested,
        tested=tested,
        method=_WORDS[method],
        correction=_correction(correction, candidates) + repetition_note(looks, goal.alpha),
        hits=hits[best],
        tests=tests,
        trace=tuple(estimators.Hits(*point) for point in outcomes[best].result),
        alpha_each=alpha if method == "clopper-pearson" else None,
        looks=looks,
        interrupted=any(outcome.interrupted for outcome in outcomes),
        counterexample=setting.show(*found) if refuted else None,
    )  # fmt: skip


def _delta_lower(hits: estimators.Hits, epsilon: float, alpha: float, method: Method) -> float:
    if method == "clopper-pearson":
        return estimators.Rates.of(hits, alpha=alpha).delta_at(epsilon)
    correct, labels = hits.own + hits.others - hits.against, hits.trials + hits.others
    return estimators.label_delta_lower_bound(correct, labels, epsilon=epsilon, alpha=alpha)


def _tests(
    setting: Setting,
    chosen: list[Chosen],
    hits: list[estimators.Hits],
    correction: estimators.Correction,
) -> tuple[Tested, ...]:
    goal = setting.goal
    p_values = [estimators.p_value(each, epsilon=goal.epsilon, delta=goal.delta) for each in hits]
    adjusted = (estimators.holm if correction == "holm" else estimators.bonferroni)(p_values)
    return tuple(
        Tested(candidate.name, choice.event, each, p, together)
        for (candidate, choice), each, p, together in zip(
            chosen, hits, p_values, adjusted, strict=True
        )
    )


def _correction(correction: estimators.Correction, candidates: int) -> str:
    if candidates == 1:
        return "one hypothesis was tested, so none was needed"
    if correction == "select":
        return (
            f"one hypothesis was tested: one of {candidates} adversaries, chosen on training "
            "samples, so none was needed"
        )
    each = f"{candidates} hypotheses were tested, each bounded at α/{candidates} (Bonferroni)"
    if correction == "bonferroni":
        return each
    return f"{each}, and so is the verdict; which of them are refuted, by Holm's method"


def repetition_note(looks: int, alpha: float) -> str:
    """A sentence on reports seen before on growing samples, each one more chance of an error."""
    if looks == 1:
        return ""
    return (
        f"; this is report {looks} of samples that grew, each wrong with probability at most "
        f"α = {shown_up(alpha, 3)}, so the confidence is that of all {looks} together"
    )
