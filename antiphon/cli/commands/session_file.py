"""``antiphon session``: the file of a durable session, seen, verified and made shorter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs

from antiphon.cli.output import print_json, progress
from antiphon.cli.user_code import guarded, import_file
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import rational
from antiphon.numbers.interval import down, up
from antiphon.protocol.in_sight import BudgetInSight
from antiphon.protocol.records.labels import message_label, parts_of, party_label
from antiphon.sessions.durable.inspection import SessionFile, compact, status, verify

ACTIONS: Final = ("status", "verify", "compact")


def session(
    action: str, path: Path, *, delta: str | None, with_file: Path | None, as_json: bool
) -> int:
    """What was asked for; the exit status, 1 if nobody may go on with the session."""
    if action not in ACTIONS:
        raise InvalidArgument(f"antiphon session takes {', '.join(ACTIONS)}, not {action!r}")
    at = None if delta is None else exact.probability(rational(delta, "delta"))
    if with_file is not None:
        import_file(with_file)
    sizes: tuple[int, int] | None = None
    with progress(f"reading {path.name}", None, quiet=as_json), guarded():
        if action == "compact":
            sizes = compact(path)
        found = verify(path) if action == "verify" else status(path)
    if as_json:
        print_json(_data(found, sizes, at))
    else:
        print("\n".join(_lines(found, sizes, at, whole=action == "verify")))
    return 1 if found.missing or found.unsynced else 0


def _data(
    found: SessionFile, sizes: tuple[int, int] | None, at: Fraction | None
) -> dict[str, object]:
    data: dict[str, object] = attrs.asdict(found, recurse=False)
    data |= {"path": str(found.path), "system": _system(found)}
    data |= {"written": _written(found), "budget": found.budget and _budget(found.budget, at)}
    return data if sizes is None else data | {"before": sizes[0], "after": sizes[1]}


def _budget(budget: BudgetInSight, at: Fraction | None) -> dict[str, object]:
    """What is spent rounded up, what is left rounded down; null: there is no such figure."""
    standing = Counter(each.standing for each in budget.shares)
    data: dict[str, object] = {
        "unit": budget.unit,
        "limits": budget.limits and [up(each) for each in budget.limits],
        "spent": budget.spent and [up(each) for each in budget.spent],
        "remaining": budget.remaining and [down(each) for each in budget.remaining],
        "largest": None if budget.largest is None else down(budget.largest),
        "purse": [[message_label(each.measure), each.left, each.fixed] for each in budget.purse],
        **{each: standing[each] for each in ("live", "halted", "refused")},
    }
    if at is not None:
        figures = attrs.asdict(budget.at(at), recurse=False)
        figures |= {"delta": str(at), "status": figures["status"].value}
        data["in_epsilon"] = {
            name: None if each == math.inf else each for name, each in figures.items()
        }
    return data


def _lines(
    found: SessionFile, sizes: tuple[int, int] | None, at: Fraction | None, *, whole: bool
) -> Iterator[str]:
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
    if found.unsynced:
        yield "the machine was started anew since: answers may be missing (see ap.resume, orderly)"
    if found.budget is not None:
        more = " and one more that is promised" if found.in_flight else ""
        yield f"its budget after {found.answered:,} answered{more}, as of {_written(found)}:"
        yield from (f"  {line}" for line in found.budget.lines(at))
    yield "a session's file is a secret: with the answers, its coins give the data away"


def _system(found: SessionFile) -> str:
    """Its parts, and not their parameters, of which some may be secret."""
    return " ∘* ".join(party_label(part) for part in parts_of(found.system))


def _written(found: SessionFile) -> str:
    return found.written.isoformat(timespec="seconds")


def _now(found: SessionFile) -> str:
    if found.over is not None:
        return f"over ({found.over})"
    return "live" if found.live else "not live now"
