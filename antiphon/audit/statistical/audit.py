"""``game.audit``: a claim tested on samples, and a counterexample that replays."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Any, Literal, Protocol, Required, TypedDict

import attrs
import numpy as np

from antiphon.audit.statistical.estimators import (
    Event,
    delta_lower_bound,
    epsilon_lower_bound,
    likelihood_ratio_event,
)
from antiphon.audit.statistical.populations import Feature, play_population
from antiphon.protocol import exact
from antiphon.protocol.adversary import Adversary, History
from antiphon.protocol.chain import Chain
from antiphon.protocol.coins import seed_sequence
from antiphon.protocol.errors import InvalidArgument
from antiphon.protocol.interaction import interact
from antiphon.protocol.view import View

LEAST_SAMPLES = 1000
"""Half of the samples choose the event and half test it; fewer show nothing."""
_TRIES = 1000


class Game(Protocol):
    """What is audited: both worlds of a privacy game."""

    def mechanism(self, bit: int) -> Chain:
        """The world ``bit``."""
        ...


@attrs.frozen
class AuditReport:
    """What an audit found. Never "private": a claim is *refuted* or *not refuted*."""

    verdict: Literal["refuted", "not refuted"]
    epsilon: float
    delta: float
    """The claim that was tested."""
    delta_lower: float
    """The true δ(ε) is at least this, with the stated confidence."""
    epsilon_lower: float
    """The least ε for the claimed δ is at least this, with the same confidence."""
    confidence: float
    samples: int
    """Interactions in each world, of which half chose the event."""
    method: str
    event: Event = attrs.field(repr=False)
    hits: tuple[int, int]
    """How many of the test samples fell into the event, in the world it favours and the other."""
    counterexample: View | None = attrs.field(repr=False)
    """A view in the event, played in the world it favours; it saves and replays."""

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        skipped = {"event", "counterexample"}
        data = attrs.asdict(self, filter=lambda field, _: field.name not in skipped)
        return data | {"event_bit": self.event.bit, "event_size": len(self.event.features)}


class Sampling(TypedDict, total=False):
    """What ``audit`` takes besides the game, the adversary and ε."""

    delta: object
    samples: Required[int]
    confidence: float
    feature: Feature
    rounds: int | None
    seed: int | np.random.SeedSequence | None


def audit(
    game: Game,
    adversary: Adversary[Any],
    *,
    epsilon: exact.Epsilon,
    delta: object = 0,
    samples: int,
    confidence: float = 0.95,
    feature: Feature = tuple,
    rounds: int | None = None,
    seed: int | np.random.SeedSequence | None = None,
) -> AuditReport:
    """Test the claim "(ε, δ)-DP w.r.t. f" against one adversary.

    Half of the samples choose an event by likelihood ratio, the other half bound its
    probabilities (Clopper-Pearson at α/2 each), so the verdict *refuted* is wrong with
    probability at most α = 1 − confidence. The bound on ε is of the same two bounds.

    Args: ``samples``, interactions in each world; ``feature``, what is counted of a
    view, a function of its answers: make it coarse where answers are many.
    Raises: InvalidArgument for too few samples, a confidence outside (0, 1), δ >= 1, or
    an adversary that never halts.
    """
    level, claimed = _checked(epsilon, delta, samples, confidence)
    streams = [None] * 5 if seed is None else seed_sequence(seed).spawn(5)

    def play(bit: int, count: int, stream: Any) -> dict[Hashable, int]:
        return play_population(
            adversary,
            game.mechanism(bit),
            replicas=count,
            feature=feature,
            rounds=rounds,
            seed=stream,
        )

    half = samples // 2
    event = likelihood_ratio_event(
        play(0, half, streams[0]), play(1, half, streams[1]), growth=math.exp(level)
    )
    rest = samples - half
    tested = [play(bit, rest, stream) for bit, stream in enumerate(streams[2:4])]
    hits, against = event.hits(tested[event.bit]), event.hits(tested[1 - event.bit])
    alpha = 1 - confidence
    low = delta_lower_bound(hits, rest, against, rest, epsilon=level, alpha=alpha)
    refuted = low > claimed
    shown = _find(game, adversary, event, feature, rounds, streams[4]) if refuted else None
    return AuditReport(
        verdict="refuted" if refuted else "not refuted",
        epsilon=level,
        delta=claimed,
        delta_lower=low,
        epsilon_lower=epsilon_lower_bound(hits, rest, against, rest, delta=claimed, alpha=alpha),
        confidence=confidence,
        samples=samples,
        method="Clopper-Pearson on an event chosen by likelihood ratio on disjoint samples",
        event=event,
        hits=(hits, against),
        counterexample=shown,
    )


def _checked(
    epsilon: exact.Epsilon, delta: object, samples: object, confidence: float
) -> tuple[float, float]:
    if type(samples) is not int or samples < LEAST_SAMPLES:
        raise InvalidArgument(
            f"an audit needs at least {LEAST_SAMPLES} samples, not {samples!r}: half of them "
            "choose the event"
        )
    if not 0 < confidence < 1:
        raise InvalidArgument(f"confidence must lie between 0 and 1, not {confidence!r}")
    claimed = exact.probability(delta)
    if claimed >= 1:
        raise InvalidArgument("every mechanism is (epsilon, 1)-DP: there is nothing to audit")
    # Rounded so that the tested claim is no stronger than the one that was made.
    level = math.nextafter(float(exact.epsilon(epsilon)), math.inf)
    return (0.0 if exact.epsilon(epsilon) == 0 else level), _above(claimed)


def _above(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, 2)


def _find(
    game: Game,
    adversary: Adversary[Any],
    event: Event,
    feature: Feature,
    rounds: int | None,
    seed: np.random.SeedSequence | None,
) -> View | None:
    """A view in the event, if one turns up soon."""
    seeds = [None] * _TRIES if seed is None else seed.spawn(_TRIES)
    for each in seeds:
        view = interact(adversary, game.mechanism(event.bit), rounds=rounds, seed=each)
        if feature(History(view.answers)) in event.features:
            return view
    return None
