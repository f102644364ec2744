"""The check of claims: each is tested by the exact engine, or else by a short audit."""

from typing import Any, Final, TypeAlias

import numpy as np

from antiphon.audit.check.examples import agreeing_message, differing_pair, next_state, questions
from antiphon.audit.check.report import Finding, NotApplicable, Trial, Tried
from antiphon.audit.check.subject import CLAIMS, Subject
from antiphon.audit.check.watch import source_place
from antiphon.audit.game import PrivacyGame
from antiphon.numbers.errors import (
    CompositionError,
    Intractable,
    InvalidArgument,
    PartError,
    of_kind,
    told,
)
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
"""The δ at which a claim is tested if its measure states no (ε, δ)."""
ORDERS: Final = ("ada", "dada")
"""The scripts tried: d is a differing pair, a an identical one (a query if possible). Answers
before and after d reveal it if they share their noise; if f allows one d only, a second d becomes
a."""
LONGEST: Final = 4
Script: TypeAlias = tuple[Pair, ...]


def check(subject: Subject) -> Trial:
    """Check every claim: by the exact engine on all runs of a few messages, else by audits of a few
    scripts of pairs.

    Raises: LeftOut where no claim could be tested.
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
        f: Any = claim.verification  # a user's claim may have any fields
        if not isinstance(f, Verification):
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
    """The reason why a claim is false, if a test of about a second shows one; else None. Raises:
    LeftOut."""
    try:
        return _exactly(game, claim, given)
    except PartError as error:
        raise NotApplicable(f"a part of it is faulty: {error}") from None
    except (Intractable, InvalidArgument):
        return _on_samples(game, claim, scripts, seed)


def _exactly(game: PrivacyGame, claim: Claim, given: tuple[object, ...]) -> str | None:
    """A refutation of a claim by the exact engine; None if it finds none."""
    found = game.check_claims(rounds=_ROUNDS, limit=_BELIEFS, queries=given, report=None)
    own = [each for each in found if each.mechanism is game.system]
    mine = [each for each in own if each.claim is claim or identical(each.claim, claim)]
    for each in mine:
        if each.refuted:
            return f"{each}, exactly"
    if not mine or any(each.reason for each in mine):
        raise Intractable("a claim that cannot be enumerated", "unknown", "a finite system")
    return None


def _on_samples(
    game: PrivacyGame, claim: Claim, scripts: list[Script], seed: np.random.SeedSequence
) -> str | None:
    """A refutation of a claim by an audit of each script, wrong with probability at most 1 -
    ``_CONFIDENCE``."""
    try:
        measured = claim if parameters_of(claim.measure) else claim.at(_DELTA)
        epsilon, delta = measured.parameters
    except (CompositionError, AttributeError):
        raise NotApplicable(f"{of_kind(claim.measure)} claim has no (ε, δ)") from None
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
            raise NotApplicable(f"an audit is not possible: {told(error)}") from None
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
    """Scripts of pairs for an audit: one for each of ``ORDERS``, followed as far as f allows it.

    None without a differing pair.
    """
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
