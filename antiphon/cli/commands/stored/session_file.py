"""``antiphon session``: the file of a durable session, seen, verified and made shorter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from antiphon.cli.output import print_json, progress
from antiphon.cli.user_code import guarded, import_file
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.durable.inspection import SessionFile, compact, status, verify
from antiphon.protocol.records.labels import parts_of, party_label

ACTIONS: Final = ("status", "verify", "compact")


def session(action: str, path: Path, *, with_file: Path | None, as_json: bool) -> int:
    """What was asked for; the exit status, 1 if nobody may go on with the session."""
    if action not in ACTIONS:
        raise InvalidArgument(f"antiphon session takes {', '.join(ACTIONS)}, not {action!r}")
    if with_file is not None:
        import_file(with_file)
    sizes: tuple[int, int] | None = None
    with progress(f"reading {path.name}", None, quiet=as_json), guarded():
        if action == "compact":
            sizes = compact(path)
        found = verify(path) if action == "verify" else status(path)
    if as_json:
        print_json(_data(found, sizes))
    else:
        print("\n".join(_lines(found, sizes, whole=action == "verify")))
    return 1 if found.missing else 0


def _data(found: SessionFile, sizes: tuple[int, int] | None) -> dict[str, object]:
    data: dict[str, object] = attrs.asdict(found, recurse=False)
    data |= {"path": str(found.path), "system": _system(found)}
    return data if sizes is None else data | {"before": sizes[0], "after": sizes[1]}


def _lines(found: SessionFile, sizes: tuple[int, int] | None, *, whole: bool) -> Iterator[str]:
    if sizes is not None:
        yield f"{sizes[0]:,} bytes before, {sizes[1]:,} now"
    yield f"{found.path}: a session of {_system(found)}, {_now(found)}"
    yield f"{found.answered:,} answered, generation {found.generation}, {found.size:,} bytes"
    if whole:
        yield f"verified: {found.stepped:,} messages were answered as the file says"
    else:
        yield f"a restart steps through {found.stepped:,} of them"
    if found.in_flight:
        yield "one message more is promised: whoever resumes it has its answer"
    if found.cut is not None:
        yield f"left out, because it is not whole: {found.cut}"
    if found.missing:
        yield f"OLDER than its session: {found.missing:,} answers are missing, not to be resumed"
    yield "a session's file is a secret: with the answers, its coins give the data away"


def _system(found: SessionFile) -> str:
    """Its parts, and not their parameters, of which some may be secret."""
    return " ∘* ".join(party_label(part) for part in parts_of(found.system))


def _now(found: SessionFile) -> str:
    if found.over is not None:
        return f"over ({found.over})"
    return "live" if found.live else "not live now"
