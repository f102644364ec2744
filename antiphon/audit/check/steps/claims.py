"""A claim that the exact engine, or else a short audit, refutes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from antiphon.audit.check.report import Finding, LeftOut
from antiphon.audit.check.subject import CLAIMS, Subject
from antiphon.audit.check.where import where
from antiphon.audit.game import PrivacyGame
from antiphon.audit.statistical.report_card import at_least
from antiphon.numbers.errors import (
    CompositionError,
    Intractable,
    InvalidArgument,
    PartError,
)
from antiphon.numbers.printed import shown_down
from antiphon.protocol.adversary import scripted
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import generator
from antiphon.protocol.measures.kinds import parameters_of
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import Pair, identical, same
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Refused, Verification, read

_ROUNDS: Final = 3
_BELIEFS: Final = 20_000
_SAMPLES: Final = 1000
_CONFIDENCE: Final = 1 - 1e-9
_DELTA: Final = 0.01
"""Where a claim has no (ε, δ), it is tested at this δ."""
_ADVERSARIES: Final = 2
_LONGEST: Final = 3
_TRIES: Final = 40


def check(subject: Subject) -> Iterator[Finding]:
    """Raises: LeftOut where no claim could be tested."""
    mechanism = subject.part
    if not isinstance(mechanism, ContinualMechanism):
        raise LeftOut("a claim is about a continual mechanism: wrap it in InteractiveAsContinual")
    if not mechanism.claims:
        raise LeftOut("it claims nothing")
    reasons: list[str] = []
    for number, claim in enumerate(mechanism.claims):
        f: Any = claim.verification  # a user's claim may hold anything
        if not isinstance(f, Verification):
            reasons.append("its f is no Verification")
            continue
        try:
            refuted = refutation(subject, mechanism, claim, number)
        except LeftOut as why:
            reasons.append(str(why))
            continue
        if refuted:
            yield Finding(
                "claims",
                f"the claim {message_label(claim.measure)} w.r.t. "
                f"{message_label(f)} is refuted: {refuted}",
                where(mechanism, "claims"),
                "add more noise, claim more, or claim w.r.t. an f that allows less",
            )
    if reasons:
        raise LeftOut("; ".join(dict.fromkeys(reasons)))


def refutation(
    subject: Subject, mechanism: ContinualMechanism, claim: Claim, number: int
) -> str | None:
    """Why a claim is false, as far as can be told in a second. Raises: LeftOut."""
    game = PrivacyGame(mechanism, claim.verification)
    try:
        return _exactly(game, claim, subject.given)
    except PartError as error:
        raise LeftOut(f"a part of it is faulty: {error}") from None
    except (Intractable, InvalidArgument):
        return _on_samples(subject, game, claim, number)


def _exactly(game: PrivacyGame, claim: Claim, given: tuple[object, ...] | None) -> str | None:
    """By the exact engine: the one place where it is asked about a claim."""
    found = game.check_claims(rounds=_ROUNDS, limit=_BELIEFS, queries=given, report=None)
    own = [each for each in found if each.mechanism is game.system]
    mine = [each for each in own if each.claim is claim or identical(each.claim, claim)]
    for each in mine:
        if each.refuted:
            return f"{each}, exactly"
    if not mine or any(each.reason for each in mine):
        raise Intractable("a claim that cannot be enumerated", "unknown", "a finite system")
    return None


def _on_samples(subject: Subject, game: PrivacyGame, claim: Claim, number: int) -> str | None:
    """By an audit of a few scripts of pairs that f allows."""
    seed = np.random.SeedSequence(subject.seed, spawn_key=(CLAIMS, number))
    try:
        measured = claim if parameters_of(claim.measure) else claim.at(_DELTA)
        epsilon, delta = measured.parameters
    except (CompositionError, AttributeError):
        raise LeftOut(f"a {type(claim.measure).__name__} claim has no (ε, δ)") from None
    if delta >= 1:
        raise LeftOut("every mechanism is (ε, 1)-DP")
    scripts = pair_scripts(game.verification, subject.messages, seed)
    if not scripts:
        raise LeftOut("f allows no differing pair of the messages tried: pass messages=[…]")
    for script in scripts:
        try:
            report = game.audit(
                scripted(script), epsilon=epsilon, delta=delta, samples=_SAMPLES,
                confidence=_CONFIDENCE, seed=seed.spawn(1)[0], rounds=_LONGEST,
                executor="serial", progress=False,
            )  # fmt: skip
        except Exception as error:
            raise LeftOut(f"an audit is not possible: {error}") from None
        if report.refuted:
            low = at_least(report.delta_lower, report.delta)
            return (
                f"an audit finds δ >= {low} at ε = {shown_down(report.epsilon)}, claimed "
                f"{shown_down(report.delta)}, at confidence {report.confidence}, by "
                f"{report.adversary}"
            )
    return None


def pair_scripts(
    f: Verification, messages: tuple[object, ...], seed: np.random.SeedSequence
) -> list[tuple[object, ...]]:
    """Lists of pairs that f allows, with a differing pair wherever one is found."""
    coins, found = generator(seed), list[tuple[object, ...]]()
    for _ in range(_TRIES):
        if len(found) == _ADVERSARIES or len(messages) < 2:
            break
        state, script = f.initial_state, list[Pair]()
        for _ in range(_LONGEST):
            for attempt in range(len(messages) ** 2):
                zero, one = (messages[int(i)] for i in coins.integers(len(messages), size=2))
                if identical(zero, one) and attempt < len(messages):
                    continue
                after = _allowed(f, state, zero, one)
                if type(after) is not Refused:
                    state = after
                    script.append(same(zero) if identical(zero, one) else Pair(zero, one))
                    break
        differs = any(not identical(pair.zero, pair.one) for pair in script)
        if differs and not any(identical(tuple(script), each) for each in found):
            found.append(tuple(script))
    return found


def _allowed(f: Verification, state: object, zero: object, one: object) -> object:
    try:
        return read(f, state, zero, one)
    except Exception:
        return Refused("it raises")
