"""``game.audit``: a test of a claim on samples, and a counterexample that replays.

Training samples choose the adversary and the event; fresh samples test them, in chunks that are
reduced to hit counts; so no bound uses the samples that chose its event.
"""

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, Union

import attrs
import numpy as np

from antiphon.audit.running import Checkpoint, Progress
from antiphon.audit.running.executors import Executor
from antiphon.audit.statistical import experiment
from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.audit.statistical.choosing import SCORES
from antiphon.audit.statistical.claim_audit import Method, fixed_audit, sequential_audit
from antiphon.audit.statistical.curve_audit import curve_audit
from antiphon.audit.statistical.estimators import CORRECTIONS, Correction, alpha_of, exp_up
from antiphon.audit.statistical.event import EventGoal, Goal, Objective
from antiphon.audit.statistical.reader import as_float
from antiphon.audit.statistical.search import Search, members
from antiphon.audit.statistical.trade_off import against
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument, written_as
from antiphon.populations.play import Feature, SlowAudit, slow_hint, taken_apart
from antiphon.protocol.coins.sampled import seed_sequence
from antiphon.protocol.provenance import why_untrusted
from antiphon.protocol.records.labels import message_label, name_parties

METHODS: Final = ("clopper-pearson", "label", "anytime")
MANY: Final = 1 << 15
"""The number of samples from which on a slow audit warns."""
LEAST_SAMPLES: Final = 1000
"""The least number of samples: half of them choose the event, and half test it."""
MOST_TRAINING: Final = 2_000_000
"""The largest number of training views of each world, unless an audit states another."""
MOST_NUMBERS: Final = 1 << 26
"""The largest number of numbers in all training views of a world: half a gigabyte."""


@written_as("game.audit(adversary, epsilon=1, samples=10_000)")
def audit(
    game: experiment.Game,
    adversary: Search,
    *,
    epsilon: exact.Epsilon | None = None,
    delta: object = 0,
    curve: PrivacyCurve | None = None,
    samples: int,
    confidence: float = 0.95,
    seed: int | np.random.SeedSequence | None = None,
    feature: Feature = tuple,
    score: Union[str, Callable[[Any], object]] = "auto",
    method: Method = "clopper-pearson",
    objective: Objective | None = None,
    correction: Correction = "select",
    rounds: int | None = None,
    training: int | None = None,
    chunk: int | None = None,
    executor: Union[Executor, int, Literal["serial"], None] = None,
    checkpoint: Union[Checkpoint, str, Path, None] = None,
    progress: Union[Progress, Literal[False], None] = None,
) -> AuditReport:
    """Test on samples the claim "(ε, δ)-DP w.r.t. f", or a whole privacy curve.

    Given are an adversary, or several, of which the best is chosen. The verdict *refuted* comes
    with a view that replays, and is wrong with probability at most α = 1 − confidence; so is each
    of the bounds. *Not refuted* proves nothing.

    That holds for ``samples`` fixed before any result is seen. To look and then decide whether to
    go on, use method "anytime". An audit that continues a checkpoint, or goes on after Ctrl-C has
    shown a report, states the number of reports and the confidence of all of them together;
    repetitions under new seeds must be counted by the caller.

    Args:
        adversary: one, several, or an ``AdversaryFamily``.
        curve: instead of ε and δ, the whole claimed curve, such as ``ap.guarantee(…).curve``.
            Some thirty events are tested at once, at every ε; ``report.epsilon`` and
            ``report.delta`` are where the claim fails, or nearly fails, and ``report.bounds``
            has the proved bounds. Only with method "clopper-pearson" and, for several
            adversaries, correction "select".
        samples: interactions in each world; with ``training`` of them (None: half, at most
            2·10^6) adversary and event are chosen, with the others they are tested. Where views
            have more than 32 numbers training is shorter, so that it fits into memory.
        feature: a function of a view's answers, by default all of them; make it coarse if there
            are many different answers.
        score: how views are ranked: "auto" (all that need NumPy only), "counts", "places"
            (single numbers), "additive", "logistic", "boosted" (scikit-learn), or your own
            function of the answers, which takes the place of ``feature``.
        method: "clopper-pearson", two bounds at α/2 that give both δ and ε; "label", one
            bound, tighter for δ; "anytime", an e-process that stops as soon as the claim is
            refuted and re-chooses the event on the way.
        objective: which lower bound the event is chosen for; None: "epsilon" if δ = 0.
        correction: several adversaries: "select" chooses one on training samples and tests
            that alone; "holm" and "bonferroni" test all, each with ``samples``. The verdict,
            that the claim fails for *any* of them, is Bonferroni's with both; for *which*,
            ``report.tests`` has p-values adjusted by the one or the other.
        chunk: the number of test views of each world that are played at once (for "label": of
        both); by default an eighth of all, between 2^15 and 2^18; if views have no numbers, a 32nd
        if that is more. It is part of a checkpoint's experiment, as ``training`` is. executor,
        checkpoint, progress: see ``running.run``.

    Raises: InvalidArgument for too few samples, a confidence outside (0, 1), δ >= 1, an
    adversary that never halts, views with nothing to count and no number; MissingExtra; errors of
    ``running.run``. Warns (``SlowAudit``) of parts that make many samples slow.

    >>> from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game
    >>> adversary = CounterexampleAdversary(delta=0.1, copies=5)
    >>> game = counterexample_game(0.1)
    >>> report = game.audit(adversary, epsilon=0, delta=0.1, samples=10**6, seed=1)
    >>> report.verdict, 0.40 < report.delta_lower < 0.40951
    ('refuted', True)
    """
    alpha = alpha_of(confidence)
    trained = _shares(samples, training)
    _one_of(method, METHODS, "method")
    _one_of(correction, CORRECTIONS, "correction")
    own = callable(score)
    if own and feature is not tuple:
        raise InvalidArgument("a score function takes the place of feature: pass one of them")
    if not own:
        _one_of(score, SCORES, "score")
    if checkpoint is not None and seed is None:
        raise InvalidArgument("a checkpoint needs a seed: without one nothing can be resumed")
    root = np.random.SeedSequence() if seed is None else seed_sequence(seed)
    candidates = members(adversary, experiment.child_seed(root, experiment.CHOOSING))
    playing = experiment.Playing(game, score if callable(score) else feature, rounds)
    width = playing.width(candidates[0].adversary, experiment.child_seed(root, experiment.PROBING))
    name_parties(game.mechanism(0), *(each.adversary for each in candidates), feature, score)
    slow = slow_hint(taken_apart(candidates[0].adversary, game.mechanism(0), rounds=rounds))
    if slow and samples >= MANY:
        warnings.warn(slow, SlowAudit, stacklevel=2)
    if training is None:
        trained = max(LEAST_SAMPLES // 2, min(trained, MOST_NUMBERS // max(1, width)))
    goal: EventGoal
    if curve is None:
        goal = _goal(epsilon, delta, objective, alpha, samples - trained)
    else:
        _alone(epsilon, delta, objective, method, correction)
        goal = against(curve, alpha, samples - trained)
    workforce = experiment.Workforce(chunk, executor, checkpoint, progress, width)
    named = "own" if callable(score) else score
    setting = experiment.Setting(playing, goal, named, workforce, root, trained, confidence)
    if curve is not None:
        report = curve_audit(setting, candidates, curve)
    elif method == "anytime":
        report = sequential_audit(setting, candidates)
    else:
        report = fixed_audit(setting, candidates, method, correction)
    return attrs.evolve(report, hint=_hint(game), slow=slow)


def _hint(game: experiment.Game) -> str:
    system = game.mechanism(0).mechanism
    if why_untrusted(system) is None:
        return ""
    return (
        f"{message_label(system, 40)} has parts that are not this library's: ap.check (antiphon "
        "check) looks for faults that pass for privacy"
    )


def _one_of(value: object, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise InvalidArgument(f"{name} is one of {', '.join(allowed)}, not {value!r}")


def _shares(samples: object, training: object) -> int:
    if type(samples) is not int or samples < LEAST_SAMPLES:
        raise InvalidArgument(
            f"an audit needs at least {LEAST_SAMPLES} samples, not {samples!r}: half of them "
            "choose the event and the others test it"
        )
    if training is None:
        return min(samples // 2, MOST_TRAINING)
    if type(training) is not int or not 4 <= training < samples:
        raise InvalidArgument(
            f"training is an int from 4 to samples - 1, not {training!r}: what is left tests"
        )
    return training


def _alone(epsilon: object, delta: object, objective: object, method: str, correction: str) -> None:
    """Refuse arguments that do not go with a claimed curve. Raises: InvalidArgument."""
    if epsilon is not None or delta != 0 or objective is not None:
        raise InvalidArgument("a curve is all of the claim: leave out epsilon, delta, objective")
    if method != METHODS[0] or correction != CORRECTIONS[0]:
        raise InvalidArgument(
            "a curve is tested by method='clopper-pearson', and of several adversaries by "
            "correction='select'"
        )


def _goal(
    epsilon: exact.Epsilon | None, delta: object, objective: Objective | None, alpha: float, n: int
) -> Goal:
    """The goal of an audit: the claim in floats, rounded up, so that no true claim gets false."""
    if epsilon is None:
        raise InvalidArgument("an audit tests a claim: pass epsilon, and delta, or a curve")
    claimed, level = exact.probability(delta), exact.epsilon(epsilon)
    if claimed >= 1:
        raise InvalidArgument("every mechanism is (epsilon, 1)-DP: there is nothing to audit")
    rounded = 0.0 if level == 0 else math.nextafter(as_float(level), math.inf)
    exp_up(rounded)
    near = float(claimed)
    most = near if Fraction(near) >= claimed else math.nextafter(near, 2)
    return Goal(objective or ("delta" if most else "epsilon"), rounded, most, alpha, n)
