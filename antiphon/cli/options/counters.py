"""``antiphon counters``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json, check_plot


def counters(
    horizon: Annotated[int, typer.Option(min=1, max=1 << 40, help="How many updates.")] = 1 << 20,
    rho: Annotated[str, typer.Option(help="ρ of every counter (zCDP): 0.5, 1/8, …")] = "0.5",
    delta: Annotated[
        str | None, typer.Option(help="Print the (ε, δ) that ρ implies for this δ, too.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the errors: .png, .svg or .pdf.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Compare the expected errors of all continual counters, beside the lower bound."""
    from antiphon.cli.commands import counters as counting

    check_plot(plot, force)
    return counting.counters(horizon=horizon, rho=rho, delta=delta, plot=plot, as_json=json)
