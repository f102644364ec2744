"""The command ``antiphon audit``: tests a claim about a user's system on samples."""

import shlex
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import attrs

from antiphon.audit import AuditReport, PrivacyGame
from antiphon.audit.statistical.choosing import SCORES
from antiphon.audit.statistical.evidence import Counterexample, NamelessParty
from antiphon.audit.statistical.search import AdversaryFamily, Search
from antiphon.cli.output import check_files, print_card, print_json
from antiphon.cli.user_code import guarded, import_file, named, running, split_target
from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.guarantees.guarantee import Guarantee
from antiphon.numbers.errors import AntiphonError, InvalidArgument
from antiphon.numbers.exact import rational
from antiphon.populations.play import SlowAudit, slow_hint, taken_apart
from antiphon.protocol import Adversary, ContinualMechanism, Verification
from antiphon.protocol.measures.kinds import GaussianDP, ZeroConcentrated
from antiphon.protocol.pictures import check_pictures


@attrs.frozen
class ClaimAsWritten:
    """The claim to test, as options: (ε, δ), ρ, μ, or the name of a privacy curve."""

    epsilon: str | None
    delta: str
    zcdp: str | None
    gdp: str | None
    curve: str | None

    def arguments(self, module: ModuleType) -> dict[str, object]:
        """The claim as keyword arguments of ``game.audit``."""
        delta = rational(self.delta, "delta")
        if self.epsilon is not None:
            return {"epsilon": rational(self.epsilon, "epsilon"), "delta": delta}
        if delta:
            raise InvalidArgument("--delta belongs to --epsilon: a curve has a δ at every ε")
        if self.zcdp is not None:
            return {"curve": of_measure(ZeroConcentrated(rational(self.zcdp, "rho")))}
        if self.gdp is not None:
            return {"curve": of_measure(GaussianDP(rational(self.gdp, "mu")))}
        found: object = getattr(module, self.curve or "", None)
        found = found.curve if isinstance(found, Guarantee) else found
        if isinstance(found, PrivacyCurve):
            return {"curve": found}
        raise InvalidArgument(
            f"{self.curve} in {module.__file__} is neither a privacy curve nor a guarantee"
        )


@attrs.frozen
class Request:
    """The options of ``antiphon audit``: a target, a claim, and how to test it."""

    target: str
    adversary: str
    claim: ClaimAsWritten
    score: str
    feature: str | None
    options: dict[str, Any]
    """The options that are passed to ``game.audit`` as they are."""


@attrs.frozen
class Outputs:
    """The files that an audit writes, and whether it prints JSON."""

    save: Path | None
    report: Path | None
    plot: Path | None
    force: bool
    as_json: bool

    def check(self, method: str) -> None:
        """Check that all files can be written, before the audit takes its time."""
        check_files((self.save, self.report, self.plot), self.force)
        if self.plot is not None:
            check_pictures([self.plot])
            if method != "clopper-pearson":
                raise InvalidArgument("--plot needs --method clopper-pearson, which bounds a curve")


def audit(test: Request, outputs: Outputs) -> int:
    """Test a claim; returns exit status 1 if it is refuted."""
    outputs.check(test.options["method"])
    report = _run(test, quiet=outputs.as_json)
    saved = _saved(report, outputs, test.target)
    if outputs.report is not None:
        report.save(outputs.report, overwrite=outputs.force)
    if outputs.plot is not None:
        report.save_picture(outputs.plot)
    if outputs.as_json:
        print_json(report.to_dict() | (_NOT_SAVED if saved is None else attrs.asdict(saved)))
    else:
        print_card(report.card(_where(saved)))
    return 1 if report.refuted else 0


@attrs.frozen
class SavedFile:
    """A counterexample's file, and the command that replays it, or the reason why none can."""

    saved: str
    replay: str | None
    why_not: str | None = None


_NOT_SAVED: Final = {"saved": None, "replay": None, "why_not": None}


def _saved(report: AuditReport, outputs: Outputs, target: str) -> SavedFile | None:
    """Save the counterexample, and check that it replays from its file, as the printed command
    does."""
    path = outputs.save
    if path is None or report.counterexample is None:
        return None
    with warnings.catch_warnings():
        # Saving warns of parties that no replay can find by name; the replay below reports them.
        warnings.simplefilter("ignore", NamelessParty)
        report.counterexample.save(path, overwrite=outputs.force)
    file = split_target(target, "audit")[0]
    try:
        with guarded():
            Counterexample.load(path).replay()
    except AntiphonError as error:
        return SavedFile(str(path), None, str(error))
    words = ("antiphon", "replay", str(path), "--with", str(file))
    return SavedFile(str(path), shlex.join(words))


def _run(test: Request, *, quiet: bool) -> AuditReport:
    path, name = split_target(test.target, "audit")
    module = import_file(path)
    game = _game(module, name)
    options = dict(test.options)
    if test.feature is not None:
        options["feature"] = _function(module, test.feature)
    options["score"] = test.score if test.score in SCORES else _function(module, test.score)
    what = "an adversary, a list of adversaries or an AdversaryFamily"
    adversaries: Search = named(
        module, test.adversary, Adversary | AdversaryFamily | list | tuple, what
    )
    claim: dict[str, Any] = test.claim.arguments(module)
    with running(path), warnings.catch_warnings():
        if not quiet:
            _warn_if_slow(game, adversaries, options["rounds"])
        warnings.simplefilter("ignore", SlowAudit)
        return game.audit(adversaries, progress=False if quiet else None, **claim, **options)


def _warn_if_slow(game: PrivacyGame, adversaries: Search, rounds: int | None) -> None:
    """Warn on standard error about parts of the system that make the audit slow."""
    if not isinstance(adversaries, Adversary):
        return
    player: Adversary = adversaries  # pyright: ignore[reportUnknownVariableType]
    slow = slow_hint(taken_apart(player, game.mechanism(0), rounds=rounds))
    if slow:
        print(f"antiphon: {slow}", file=sys.stderr)


def _function(module: ModuleType, name: str) -> Callable[..., Any]:
    found: object = getattr(module, name, None)
    if not callable(found):
        raise InvalidArgument(
            f"{name} in {module.__file__} is no function of the answers; scores that need none "
            f"are {', '.join(SCORES)}"
        )
    return found


def _game(module: ModuleType, name: str) -> PrivacyGame:
    what = "a PrivacyGame or a continual mechanism with a claim"
    found: Any = named(module, name, PrivacyGame | ContinualMechanism, what)
    if isinstance(found, PrivacyGame):
        return found
    for claim in found.claims:
        f: Any = claim.verification
        if isinstance(f, Verification):
            return PrivacyGame(found, f)  # pyright: ignore[reportUnknownArgumentType]
    raise InvalidArgument(f"{name} in {module.__file__} has no claim: audit a PrivacyGame")


def _where(saved: SavedFile | None) -> str:
    if saved is None:
        return ""
    if saved.replay is not None:
        return f"A view in the event is in {saved.saved}; try: {saved.replay}"
    return f"A view in the event is in {saved.saved}, but it does not replay: {saved.why_not}"
