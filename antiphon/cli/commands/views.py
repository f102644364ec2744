"""The commands ``antiphon replay``, ``show`` and ``session``: views and durable sessions."""

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import attrs

from antiphon.audit.statistical.evidence import Counterexample, against
from antiphon.cli.output import print_json, progress
from antiphon.cli.user_code import guarded, import_file
from antiphon.numbers import down, exact, up
from antiphon.numbers.errors import InvalidArgument, ReplayMismatch
from antiphon.numbers.exact import rational
from antiphon.protocol.budget_view import BudgetInSight
from antiphon.protocol.records.files import refuse_taken, write_text
from antiphon.protocol.records.interaction import replay as replayed
from antiphon.protocol.records.labels import message_label, parts_of, party_label
from antiphon.protocol.records.transcript import evidence
from antiphon.protocol.records.view import SECRET_TAPE, View, loaded
from antiphon.sessions.durable.inspection import SessionFile, compact, status, verify


def replay(path: Path, *, with_file: Path | None, as_json: bool) -> int:
    """Replay a view or a recording from its file; returns exit status 1 if the replay differs."""
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
        given = (
            "" if data["replayed"] == "both" else "; answers are as the file has them, unchecked"
        )
        lines.append(f"identical: {side} replayed, message by message{given}")
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
    yield f"  stated, and not checkable from the file: {', '.join(data['as_stated'])}"


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
    """Write a view as a diagram, to a file or to standard output."""
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


ACTIONS: Final = ("status", "verify", "compact")


def session(
    action: str, path: Path, *, delta: str | None, with_file: Path | None, as_json: bool
) -> int:
    """Carry out ``action`` on a durable session's file; returns exit status 1 if the session must
    not be resumed."""
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
    """The budget as JSON data; spent amounts are rounded up, those left down; null where
    unknown."""
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
        yield "one message has no answer yet: the resumed session answers it"
    if found.cut is not None:
        yield f"left out, because it is not whole: {found.cut}"
    if found.missing:
        yield f"OLDER than its session: {found.missing:,} answers are missing, not to be resumed"
    if found.unsynced:
        yield "the machine was started anew since: answers may be missing (see ap.resume, orderly)"
    if found.budget is not None:
        more = " and one more without an answer yet" if found.in_flight else ""
        yield f"its budget after {found.answered:,} answered{more}, as of {_written(found)}:"
        yield from (f"  {line}" for line in found.budget.lines(at))
    yield "a session's file is a secret: its coins and answers reveal the data"


def _system(found: SessionFile) -> str:
    """The names of a system's parts, without parameters, since some of those may be secret."""
    return " ∘* ".join(party_label(part) for part in parts_of(found.system))


def _written(found: SessionFile) -> str:
    return found.written.isoformat(timespec="seconds")


def _now(found: SessionFile) -> str:
    if found.over is not None:
        return f"over ({found.over})"
    return "live" if found.live else "not live now"
