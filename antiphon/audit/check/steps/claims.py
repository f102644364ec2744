"""The check of claims: each is tested by the exact engine, or else by a short audit."""

from typing import Final, TypeAlias

import numpy as np

from antiphon.audit.check.examples import agreeing_message, differing_pair, next_state, questions
from antiphon.audit.check.report import Finding, NotApplicable, Trial, Tried
from antiphon.audit.check.subject import CLAIMS, Subject, source_place
from antiphon.audit.game import PrivacyGame
from antiphon.composition.accounting.bounds import of_measure, point_at
from antiphon.numbers import errors
from antiphon.numbers.rounded_text import shown_down, told_apart
from antiphon.protocol import Claim, Pair, Verification, generator, identical, message_label
from antiphon.protocol.adversary import scripted
from antiphon.protocol.measures.kinds import parameters_of
from antiphon.protocol.mechanism import ContinualMechanism

_ROUNDS: Final = 3
_BELIEFS: Final = 20_000
_SAMPLES: Final = 1000
_CONFIDENCE: Final = 1 - 1e-9
_DELTA: Final = 0.01
"""The δ at which a claim without an (ε, δ) of its own is tested."""
ORDERS: Final = ("ada", "dada")
"""The scripts of an audit, as orders of pairs: differing ones ("d"), and identical ones ("a";
queries, if possible).

Identical pairs before and after a differing one reveal noise that is used again. Where f allows no
second differing pair, an identical one stands in its place.

Answers before and after d reveal a shared noise. Where f allows no second d, it becomes a.
"""
LONGEST: Final = 4
Script: TypeAlias = tuple[Pair, ...]


def check(subject: Subject) -> Trial:
    """Check each claim by the exact engine on a few messages, or else by audits of a few scripts.

    Raises: NotApplicable where no claim could be tested.
    """
    mechanism = subject.part
    if not isinstance(mechanism, ContinualMechanism):
        raise NotApplicable(
            "a claim is about a continual mechanism: wrap it in InteractiveAsContinual"
        )
    if not mechanism.claims:
        raise NotApplicable("it claims nothing")
    reasons, tried = dict[str, None](), 0
    for number, claim in enumerate(mechanism.claims):
        f: object = claim.verification  # A user's claim may have an f of any type.
        if not isinstance(f, Verification):  # pyright: ignore[reportUnnecessaryIsInstance]
            reasons["its f is no Verification"] = None
            continue
        seed = np.random.SeedSequence(subject.seed, spawn_key=(CLAIMS, number))
        scripts = pair_scripts(claim.verification, subject.messages, generator(seed))
        try:
            game = PrivacyGame(mechanism, claim.verification)
            refuted = refutation(game, claim, subject.messages, scripts, seed) if scripts else None
        except NotApplicable as why:
            reasons[str(why)] = None
            continue
        tried += sum(not identical(each.zero, each.one) for script in scripts for each in script)
        if refuted:
            yield Finding(
                "claims",
                f"the claim {message_label(claim.measure)} w.r.t. "
                f"{message_label(f)} is refuted: {refuted}",
                source_place(mechanism, "claims"),
                "add more noise, draw it anew for each answer, claim more, or claim w.r.t. an f "
                "that allows less",
            )
    return Tried(tried, "differing pair", tuple(reasons))


def refutation(
    game: PrivacyGame, claim: Claim, given: tuple[object, ...], scripts: list[Script],
    seed: np.random.SeedSequence,
) -> str | None:  # fmt: skip
    """Why a claim is false, if a test of a second or so shows it. Raises: NotApplicable."""
    try:
        return _exactly(game, claim, given)
    except errors.PartError as error:
        raise NotApplicable(f"a part of it is faulty: {error}") from None
    except (errors.Intractable, errors.InvalidArgument):
        return _on_samples(game, claim, scripts, seed)


def _exactly(game: PrivacyGame, claim: Claim, given: tuple[object, ...]) -> str | None:
    """Why a claim is false, by the exact engine; None if it finds no reason."""
    found = game.check_claims(rounds=_ROUNDS, limit=_BELIEFS, queries=given, report=None)
    own = [each for each in found if each.mechanism is game.system]
    mine = [each for each in own if each.claim is claim or identical(each.claim, claim)]
    for each in mine:
        if each.refuted:
            return f"{each}, exactly"
    if not mine or any(each.reason for each in mine):
        raise errors.Intractable("a claim that cannot be enumerated", "unknown", "a finite system")
    return None


def _on_samples(
    game: PrivacyGame, claim: Claim, scripts: list[Script], seed: np.random.SeedSequence
) -> str | None:
    """Why a claim is false, by audits of each script, wrong with probability at most 10⁻⁹ each."""
    try:
        stated = parameters_of(claim.measure)
        if stated is None:
            point = point_at(of_measure(claim.measure), _DELTA)
            stated = point.epsilon, point.delta
        epsilon, delta = stated
    except (errors.AntiphonError, AttributeError):
        raise NotApplicable(f"{errors.of_kind(claim.measure)} claim has no (ε, δ)") from None
    if delta >= 1:
        raise NotApplicable("every mechanism is (ε, 1)-DP")
    for script in scripts:
        try:
            report = game.audit(
                scripted(script), epsilon=epsilon, delta=delta, samples=_SAMPLES,
                confidence=_CONFIDENCE, seed=seed.spawn(1)[0], rounds=LONGEST,
                executor="serial", progress=False,
            )  # fmt: skip
        except Exception as error:
            raise NotApplicable(f"an audit is not possible: {errors.told(error)}") from None
        if report.refuted:
            low = told_apart(report.delta_lower, report.delta)[0]
            return (
                f"an audit finds δ >= {low} at ε = {shown_down(report.epsilon)}, claimed "
                f"{shown_down(report.delta)}, at confidence {report.confidence}, by "
                f"{report.adversary}"
            )
    return None


def pair_scripts(
    f: Verification, messages: tuple[object, ...], drawn: np.random.Generator
) -> list[Script]:
    """Short scripts of pairs that f allows, each with a differing pair."""
    asked = questions(f, messages) or messages
    found = list[Script]()
    for order in ORDERS:
        state, script = f.initial_state, list[Pair]()
        for kind in order:
            pair = (differing_pair(f, state, messages, drawn) if kind == "d" else None) or (
                agreeing_message(f, state, asked, drawn)
                or agreeing_message(f, state, messages, drawn)
            )
            if pair is None:
                break
            state = next_state(f, state, pair)
            script.append(pair)
        differs = any(not identical(pair.zero, pair.one) for pair in script)
        if differs and not any(identical(tuple(script), each) for each in found):
            found.append(tuple(script))
    return found
