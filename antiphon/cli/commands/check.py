"""``antiphon check``: a user's own part, tried against its contracts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antiphon.audit.check import check as try_part
from antiphon.cli.output import print_json
from antiphon.cli.user_code import guarded, import_file, split_target
from antiphon.numbers.errors import InvalidArgument


def check(
    target: str,
    *,
    right: str | None,
    messages: str | None,
    only: Sequence[str],
    seed: int | None,
    as_json: bool,
) -> int:
    """Check a part of a file; status 1 if there are findings."""
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
