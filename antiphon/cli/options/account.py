"""``antiphon account``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json, check_plot


def account(
    rr: Annotated[
        list[str] | None,
        typer.Option(metavar="ε,δ", help="Parameters: 0.1,1e-6 or 'ln 3,0'; may be repeated."),
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND:VALUES",
            help="A dominating pair: gaussian:MU, discrete-gaussian:SIGMA,SHIFT, "
            "discrete-laplace:SCALE,SHIFT or bounded-range:ETA; may be repeated.",
        ),
    ] = None,
    times: Annotated[int, typer.Option(min=1, help="Repeat them all so often.")] = 1,
    epsilon: Annotated[
        list[str] | None, typer.Option(help="Ask for δ at this ε; may be repeated.")
    ] = None,
    delta: Annotated[
        list[str] | None, typer.Option(help="Ask for ε at this δ; may be repeated.")
    ] = None,
    width: Annotated[
        str, typer.Option(help="Of the certified interval in ε, for unlike parameters.")
    ] = "1e-6",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curves: .png, .svg or .pdf.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Say what a composition of fixed (ε, δ), or of dominating pairs, promises, by every bound."""
    from antiphon.cli.commands import account as accounts

    question = accounts.AccountQuestion(
        rr or [], pair or [], times, epsilon or [], delta or [], width
    )
    check_plot(plot, force)
    return accounts.account(question, plot=plot, as_json=json)
