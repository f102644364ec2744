"""``antiphon check``: its options."""

from __future__ import annotations

from typing import Annotated

import typer

from antiphon.cli.options import Json


def check(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py:NAME",
            help="A mechanism, a post-processor, or a verification function.",
        ),
    ],
    right: Annotated[
        str | None, typer.Option(metavar="NAME", help="What stands on a post-processor's right.")
    ] = None,
    messages: Annotated[
        str | None, typer.Option(metavar="NAME", help="A list of messages to try.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this check; repeatable.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="To try the same again.")] = None,
    json: Json = False,
) -> int:
    """Try a part of your own against its contracts; status 1 if something is found."""
    from antiphon.cli.commands import check as checking

    return checking.check(
        target, right=right, messages=messages, only=only or [], seed=seed, as_json=json
    )
