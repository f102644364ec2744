"""``ap.check``: tests of the contracts of mechanisms, post-processors and verification functions.

A check is a generator function of the subject: it yields findings, returns the number of cases
tried, and raises ``NotApplicable`` where it does not apply.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from antiphon.audit.check.report import CheckReport, Finding, NotApplicable, Trial, Tried, exhaust
from antiphon.audit.check.steps import claims, columns, contracts, properties, verifications
from antiphon.audit.check.subject import Subject, isolated_global_state
from antiphon.composition import ExtConComp, Lifting
from antiphon.numbers.errors import InvalidArgument, of_kind, written_as
from antiphon.protocol import Adversary, Mechanism, PostProcessor, Verification, freeze
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.session import outside

Check: TypeAlias = Callable[[Subject], Trial]

_STEPS: Final[tuple[tuple[str, Check], ...]] = (
    ("crashes", contracts.crashes),
    ("purity", contracts.purity),
    ("randomness", contracts.randomness),
    ("replay", contracts.replay),
    ("states", contracts.states),
    ("answers", contracts.answers),
    ("alphabets", contracts.alphabets),
    ("columns", columns.check),
)
MECHANISM: Final = (*_STEPS, ("claims", claims.check))
PROCESSOR: Final = (
    *_STEPS, ("declarations", properties.declarations), ("properties", properties.check),
)  # fmt: skip
_UNREPEATABLE: Final = ("purity", "randomness", "replay")
_STOPPED_BY: Final = {"columns": ("crashes", *_UNREPEATABLE), "claims": _UNREPEATABLE}
"""For a check, the checks whose findings cancel it, as it could say nothing about such steps."""


@written_as("ap.check(part)")
def check(
    part: object,
    *,
    right: Mechanism | None = None,
    messages: Iterable[object] | None = None,
    only: Iterable[str] | None = None,
    seed: int | None = None,
) -> CheckReport:
    """Test a mechanism, post-processor or verification function against the contracts of its kind.

    Args: ``right``, the mechanism on the right of a post-processor (one with a ``lifting``:
    ExtConComp); ``messages``, the messages to try, if the query space cannot list any (for an f,
    they are paired); ``only``, the names of some checks; ``seed``, to repeat a check: the report
    has it. Returns: findings with their place and cure. No finding is no proof, and a check that
    tried nothing is *vacuous*. No global state stays changed. Cost: seconds.

    Raises: InvalidArgument for another part, where no message is known, or for a message outside
    the query space.

    >>> import random
    >>> import antiphon as ap
    >>> @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)
    ... def lazy(state, bit, coins):
    ...     return state, random.getrandbits(1)
    >>> [finding.what for finding in check(lazy, only=["randomness"]).findings]
    ["a step draws from Python's global generator (random.…)"]
    """
    given = None if messages is None else freeze(tuple(messages))
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    with isolated_global_state(seed):
        if isinstance(part, Verification):
            f: Verification = part  # pyright: ignore[reportUnknownVariableType]
            tried = verifications.MESSAGES if given is None else given
            of_f = [(name, partial(each, f, tried)) for name, each in verifications.CHECKS]
            return _report(message_label(f), of_f, None, only, seed)
        subject = _subject(part, right, given, seed)
        for each in given or ():
            if not subject.system.signature.queries.contains(each):
                raise InvalidArgument(f"messages lists {outside(subject.system, each)}")
        rows = PROCESSOR if subject.is_link else MECHANISM
        bound = [(name, partial(each, subject)) for name, each in rows]
        return _report(subject.name, bound, subject, only, seed)


def _subject(
    part: object, right: Mechanism | None, given: tuple[object, ...] | None, seed: int
) -> Subject:
    if isinstance(part, PostProcessor):
        if right is None and isinstance(getattr(part, "lifting", None), Lifting):  # pyright: ignore[reportUnknownArgumentType]
            right = ExtConComp()
        if right is None:
            raise InvalidArgument(
                f"what stands on the right of {message_label(part)}? pass right=…, a mechanism "
                "(on the command line: --right NAME)"
            )
        return Subject(part, part @ right, right, given, seed)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(part, Mechanism) and not isinstance(part, Adversary):
        return Subject(part, part, None, given, seed)  # pyright: ignore[reportUnknownArgumentType]
    raise InvalidArgument(
        f"check takes a mechanism, a post-processor or a verification function, not {of_kind(part)}"  # pyright: ignore[reportUnknownArgumentType]
    )


def _report(
    name: str,
    rows: Sequence[tuple[str, Callable[[], Trial]]],
    subject: Subject | None,
    only: Iterable[str] | None,
    seed: int,
) -> CheckReport:
    """The report of the checks that ``only`` names; repeated findings about one place are
    merged."""
    chosen = {each for each, _ in rows} if only is None else set(only)
    if unknown := sorted(chosen - {each for each, _ in rows}):
        known = ", ".join(each for each, _ in rows)
        raise InvalidArgument(f"no check {', '.join(unknown)}; those of {name} are {known}")
    if subject is not None:
        try:
            _ = subject.taken
        except NotApplicable as why:
            raise InvalidArgument(str(why)) from None
    found, tried = list[Finding](), list[tuple[str, Tried]]()
    left_out = list[tuple[str, str]]()

    def take(finding: Finding) -> None:
        if all((finding.check, finding.what) != (each.check, each.what) for each in found):
            found.append(finding)

    for title, each in (row for row in rows if row[0] in chosen):
        stops = _STOPPED_BY.get(title, ())
        if any(finding.check in stops for finding in found):
            left_out.append((title, "its steps do not repeat: mend them first"))
            continue
        try:
            made = exhaust(each(), take)
        except NotApplicable as why:
            left_out.append((title, str(why)))
            continue
        left_out += [(title, why) for why in made.left_out]
        if made.count or not made.left_out:
            tried.append((title, made))
    return CheckReport(name, tuple(found), tuple(tried), tuple(left_out), seed)


__all__ = ["CheckReport", "Finding", "Tried"]
