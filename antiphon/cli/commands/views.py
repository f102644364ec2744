"""``antiphon replay`` and ``antiphon show``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from antiphon.audit.statistical.evidence import Counterexample, against
from antiphon.cli.output import print_json, progress
from antiphon.cli.user_code import guarded, import_file
from antiphon.numbers.errors import InvalidArgument, ReplayMismatch
from antiphon.protocol.records.files import refuse_taken, write_text
from antiphon.protocol.records.interaction import replay as replayed
from antiphon.protocol.records.transcript import evidence
from antiphon.protocol.records.view import SECRET_TAPE, View, loaded


def replay(path: Path, *, with_file: Path | None, as_json: bool) -> int:
    """Replay what the file allows; the exit status, 1 if it differs."""
    if with_file is not None:
        import_file(with_file)
    mismatch: ReplayMismatch | None = None
    with progress(f"replaying {path.name}", None, quiet=as_json), guarded():
        view, recording = loaded(path, stream=True)
        try:
            replayed(view if recording is None else recording)
        except ReplayMismatch as error:
            mismatch = error
    shown = None if evidence(path) is None else Counterexample.load(path)
    data: dict[str, Any] = {
        "file": path,
        "kind": "view" if recording is None else "recording",
        "replayed": "adversary" if recording is None else "both",
        "rounds": len(view.rounds),
        "complete": view.complete,
        "cut": view.cut,
        "ending": view.ending,
        "seeded": view.header.seeded,
        "identical": mismatch is None,
    }
    if shown is not None:
        data["kind"] = "counterexample"
        data["evidence"] = {
            "epsilon": shown.epsilon, "delta": shown.delta, "delta_lower": shown.delta_lower,
            "confidence": shown.confidence, "bit": shown.bit, "event": shown.event.words(),
            "in_event": shown.in_event, "as_stated": shown.as_stated,
        }  # fmt: skip
    if mismatch is not None:
        data["mismatch"] = {
            "round": mismatch.round, "expected": mismatch.expected, "actual": mismatch.actual,
        }  # fmt: skip
    if as_json:
        print_json(data)
    else:
        print(_verdict(view, data, mismatch))
    outside = shown is not None and shown.in_event is False
    return 0 if mismatch is None and not outside else 1


def _verdict(view: View, data: dict[str, Any], mismatch: ReplayMismatch | None) -> str:
    side = "both sides" if data["replayed"] == "both" else "the adversary"
    lines = [f"{data['file']}: a {data['kind']} of {len(view.rounds):,} rounds"]
    if mismatch is None:
        lines.append(f"identical: {side} replayed, message by message")
    else:
        lines.append(f"DIFFERENT at round {mismatch.round}, replaying {side}")
        lines += [f"  expected  {mismatch.expected}", f"  actual    {mismatch.actual}"]
    if "evidence" in data:
        lines += _evidence(data["evidence"])
    if not view.complete:
        lines.append(f"the file is cut short after round {len(view.rounds)}")
    if view.cut is not None:
        lines.append(f"left out, because it is not whole: {view.cut}")
    if view.header.seeded:
        lines.append("seeded: for study, not for release")
    if data["kind"] == "recording":
        lines.append(SECRET_TAPE)
    return "\n".join(lines)


_PLACES: Final = {
    True: "the view lies in the event",
    False: "the view does NOT lie in the event",
    None: "whether the view lies in it cannot be told: its feature is no registered function",
}


def _evidence(data: dict[str, Any]) -> Iterator[str]:
    yield against(data["epsilon"], data["delta"], data["delta_lower"], data["confidence"])
    yield f"  played in the world b = {data['bit']}, which the event favours"
    yield f"  the event: {data['event']}"
    yield f"  {_PLACES[data['in_event']]}"
    yield f"  as stated, and not to be checked from the file: {', '.join(data['as_stated'])}"


def show(
    path: Path,
    *,
    style: str,
    output: Path | None,
    limit: int,
    with_file: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Draw a view, to a file or to standard output."""
    if style not in ("mermaid", "svg"):
        raise InvalidArgument(f"--format is mermaid or svg, not {style!r}")
    refuse_taken([] if output is None else [output], force)
    if with_file is not None:
        import_file(with_file)
    with progress(f"reading {path.name}", None, quiet=as_json), guarded():
        view, _ = loaded(path, stream=True)
        drawn = view.svg(limit) if style == "svg" else view.mermaid(limit)
    if output is not None:
        write_text(output, drawn, overwrite=force)
    rounds, drawn_rounds = len(view.rounds), min(limit, len(view.rounds))
    if as_json:
        print_json(
            {
                "file": path, "format": style, "rounds": rounds, "rounds_shown": drawn_rounds,
                "output": output, "drawing": drawn if output is None else None,
            }
        )  # fmt: skip
    elif output is None:
        print(drawn, end="")
    else:
        print(f"{output}: {drawn_rounds:,} of {rounds:,} rounds")
    return 0
