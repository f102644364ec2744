"""The commands ``antiphon explain`` (a system's guarantee) and ``check`` (tests of a part)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from antiphon.audit.check import check as try_part
from antiphon.audit.game import PrivacyGame
from antiphon.cli.output import print_json
from antiphon.cli.user_code import guarded, import_file, named, running, split_target
from antiphon.composition import Counterexample, Guarantee, NoGuarantee, Violation, guarantee
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Mechanism, Verification
from antiphon.protocol.records.files import refuse_taken, write_text


def explain(
    target: str,
    *,
    verification: str | None,
    inner: str | None,
    catalogue: str | None,
    max_creations: int | None,
    style: str,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Print or write a guarantee and its derivation; exit status 1 if no theorem applies."""
    refuse_taken([] if output is None else [output], force)
    path, name = split_target(target, "explain")
    module = import_file(path)
    system, f = _system(module, name)
    if verification is not None:
        f = named(module, verification, Verification, "a verification function")
    narrowed: dict[str, Any] = {"max_creations": max_creations}
    if inner is not None:
        narrowed["inner"] = named(module, inner, Verification, "a verification function")
    if catalogue is not None:
        narrowed["catalogue"] = named(module, catalogue, list | tuple, "a list of mechanisms")
    try:
        with running(path):
            found = guarantee(system, f, **narrowed)
    except NoGuarantee as error:
        _refused(error, as_json)
        return 1
    _show(found, style, output, force, as_json)
    return 0


def _system(module: ModuleType, name: str) -> tuple[Mechanism, Verification | None]:
    found: object = getattr(module, name, None)
    if isinstance(found, PrivacyGame):
        return found.system, found.verification
    return named(module, name, Mechanism, "a mechanism or a PrivacyGame"), None


def _show(found: Guarantee, style: str, output: Path | None, force: bool, as_json: bool) -> None:
    if style not in ("text", "markdown", "mermaid", "svg"):
        raise InvalidArgument(f"--format is text, markdown, mermaid or svg, not {style[:40]!r}")
    text = found.explain(style)  # type: ignore[arg-type]
    if output is not None:
        write_text(output, text, overwrite=force)
    if as_json:
        print_json({"holds": True} | found.to_dict() | {"saved": output})
    elif output is None:
        print(text)
    else:
        print(f"written to {output}")


def _refused(error: NoGuarantee, as_json: bool) -> None:
    if not as_json:
        print("\n".join(_lines(error)))
        return
    print_json(
        {
            "holds": False,
            "theorem": error.theorem,
            "needs": error.premise.text,
            "but": error.premise.evidence,
            "cure": error.cure,
            "counterexample": _counterexample(error.counterexample),
        }
    )


def _lines(error: NoGuarantee) -> Iterator[str]:
    yield "no guarantee"
    yield f"  {error.theorem} needs {error.premise.text}"
    yield f"  but {error.premise.evidence}"
    yield f"  to mend it: {error.cure}"
    if isinstance(error.counterexample, Counterexample):
        found = error.counterexample
        yield (
            f"  to see it: antiphon counterexample --delta {found.delta} --copies {found.copies}"
        )


def _counterexample(found: object) -> dict[str, object] | None:
    if isinstance(found, Counterexample):
        shown = {"epsilon": found.epsilon, "delta": found.delta, "copies": found.copies}
        return {"kind": "sparse parallel composition (CM §5.2)", **shown}
    if isinstance(found, Violation):
        return {"kind": f"the {found.property.value} property", "reason": found.reason}
    return None


def check(
    target: str,
    *,
    right: str | None,
    messages: str | None,
    only: Sequence[str],
    seed: int | None,
    as_json: bool,
) -> int:
    """Check a mechanism or post-processor of a user's file; returns exit status 1 if there are
    findings."""
    path, name = split_target(target, "check")
    module = import_file(path)

    def found(place: str) -> Any:
        if place not in vars(module):
            raise InvalidArgument(f"{path} has no {place}")
        return vars(module)[place]

    with guarded():
        report = try_part(
            found(name),
            right=None if right is None else found(right),
            messages=None if messages is None else found(messages),
            only=only or None,
            seed=seed,
        )
    if as_json:
        print_json(report.to_dict())
    else:
        print(report)
    return 0 if report else 1
