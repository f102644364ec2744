"""``antiphon audit``: a claim about a user's system, tested on samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from antiphon.audit.game import PrivacyGame
from antiphon.audit.statistical.audit import AuditReport
from antiphon.cli.output import print_json
from antiphon.cli.parameters import rational
from antiphon.cli.user_code import guarded, import_file, split_target
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.errors import InvalidArgument
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.verifiers.verification import Verification


def audit(
    target: str,
    *,
    adversary: str,
    epsilon: str,
    delta: str,
    samples: int,
    confidence: float,
    rounds: int | None,
    seed: int | None,
    save: Path | None,
    as_json: bool,
) -> int:
    """Test a claim; status 1 if it is refuted."""
    path, name = split_target(target, "audit")
    module = import_file(path)
    game = _game(module, name)
    player = _attribute(module, adversary, Adversary, "an adversary")
    with guarded():
        report = game.audit(
            player,
            epsilon=rational(epsilon, "epsilon"),
            delta=rational(delta, "delta"),
            samples=samples,
            confidence=confidence,
            rounds=rounds,
            seed=seed,
        )
    saved = save if report.counterexample is not None else None
    if saved is not None and report.counterexample is not None:
        report.counterexample.save(saved)
    if as_json:
        print_json(report.to_dict() | {"saved": None if saved is None else str(saved)})
    else:
        print("\n".join(_lines(report, saved)))
    return 1 if report.verdict == "refuted" else 0


def _attribute(module: ModuleType, name: str, kind: type[Any], what: str) -> Any:
    found: Any = getattr(module, name, None)
    if not isinstance(found, kind):
        raise InvalidArgument(f"{name} in {module.__file__} is not {what}")
    return found


def _game(module: ModuleType, name: str) -> PrivacyGame:
    found: Any = getattr(module, name, None)
    if isinstance(found, PrivacyGame):
        return found
    if isinstance(found, ContinualMechanism):
        for claim in found.claims:
            f: Any = claim.verification
            if isinstance(f, Verification):
                return PrivacyGame(found, f)  # pyright: ignore[reportUnknownArgumentType]
    raise InvalidArgument(
        f"{name} in {module.__file__} is neither a PrivacyGame nor a continual mechanism with a "
        "claim"
    )


def _lines(report: AuditReport, saved: Path | None) -> Iterator[str]:
    claim = f"({report.epsilon:.10g}, {report.delta:.10g})-DP"
    yield f"{claim}: {report.verdict}, at confidence {report.confidence:.10g}"
    yield f"  δ at that ε is at least      {report.delta_lower:.6g}"
    yield f"  ε at that δ is at least      {report.epsilon_lower:.6g}"
    yield (
        f"  the event                    {len(report.event.features)} kinds of view, favouring "
        f"b = {report.event.bit}: {report.hits[0]:,} against {report.hits[1]:,} test samples"
    )
    yield f"  samples in each world        {report.samples:,}, half of them to choose the event"
    yield f"  method                       {report.method}"
    if saved is not None:
        yield f"A view in the event is in {saved}; try: antiphon replay {saved}"
