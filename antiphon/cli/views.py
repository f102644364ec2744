"""``antiphon replay`` and ``antiphon show``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antiphon.cli.output import print_json, progress
from antiphon.cli.user_code import import_file, rerunning
from antiphon.protocol.errors import InvalidArgument, ReplayMismatch
from antiphon.protocol.interaction import replay as replayed
from antiphon.protocol.transcript import load
from antiphon.protocol.view import View


def replay(path: Path, *, with_file: Path | None, as_json: bool) -> int:
    """Replay what the file allows; the exit status, 1 if it differs."""
    if with_file is not None:
        import_file(with_file)
    mismatch: ReplayMismatch | None = None
    with progress(f"replaying {path.name}", None, quiet=as_json), rerunning():
        view, recording = load(path, stream=True)
        try:
            replayed(view if recording is None else recording)
        except ReplayMismatch as error:
            mismatch = error
    data: dict[str, Any] = {
        "file": str(path),
        "kind": "view" if recording is None else "recording",
        "replayed": "adversary" if recording is None else "both",
        "rounds": len(view.rounds),
        "complete": view.complete,
        "ending": view.ending.value,
        "seeded": view.header.seeded,
        "identical": mismatch is None,
    }
    if mismatch is not None:
        data["mismatch"] = {
            "round": mismatch.round, "expected": mismatch.expected, "actual": mismatch.actual,
        }  # fmt: skip
    if as_json:
        print_json(data)
    else:
        print(_verdict(view, data, mismatch))
    return 0 if mismatch is None else 1


def _verdict(view: View, data: dict[str, Any], mismatch: ReplayMismatch | None) -> str:
    side = "both sides" if data["replayed"] == "both" else "the adversary"
    lines = [f"{data['file']}: a {data['kind']} of {len(view.rounds):,} rounds"]
    if mismatch is None:
        lines.append(f"identical: {side} replayed, message by message")
    else:
        lines.append(f"DIFFERENT at round {mismatch.round}, replaying {side}")
        lines += [f"  expected  {mismatch.expected}", f"  actual    {mismatch.actual}"]
    if not view.complete:
        lines.append(f"the file is cut short after round {len(view.rounds)}")
    if view.header.seeded:
        lines.append("seeded: for study, not for release")
    if data["kind"] == "recording":
        lines.append("a recording is a secret: with the answers, its tape gives the data away")
    return "\n".join(lines)


def show(
    path: Path,
    *,
    style: str,
    output: Path | None,
    limit: int,
    with_file: Path | None,
    as_json: bool,
) -> int:
    """Draw a view, to a file or to standard output."""
    if style not in ("mermaid", "svg"):
        raise InvalidArgument(f"--format is mermaid or svg, not {style!r}")
    if with_file is not None:
        import_file(with_file)
    with progress(f"reading {path.name}", None, quiet=as_json), rerunning():
        view, _ = load(path, stream=True)
        drawn = view.svg(limit) if style == "svg" else view.mermaid(limit)
    if output is not None:
        output.write_text(drawn, encoding="utf-8")
    if as_json:
        shown = min(limit, len(view.rounds))
        print_json(
            {
                "file": str(path),
                "format": style,
                "rounds": len(view.rounds),
                "rounds_shown": shown,
                "output": None if output is None else str(output),
                "drawing": drawn if output is None else None,
            }
        )
    elif output is None:
        print(drawn, end="")
    else:
        print(f"{output}: {min(limit, len(view.rounds)):,} of {len(view.rounds):,} rounds")
    return 0
