"""``antiphon demo``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from antiphon.cli.options import Force, Json, Seed

# What options show of the library, so that showing them does not load it; a test compares.
FLIGHTS: Final = 336_776


def demo(
    flights_: Annotated[
        int, typer.Option("--flights", min=1, max=FLIGHTS, help="Play the first N flights.")
    ] = FLIGHTS,
    output: Annotated[Path, typer.Option(help="Directory for what it writes.")] = Path(
        "demo-output"
    ),
    seed: Seed = None,
    epsilon: Annotated[str, typer.Option(help="ε of each counter: 1, 0.5, 1/3, …")] = "1",
    bit: Annotated[
        int, typer.Option(min=0, max=1, help="Whether the challenge flight is absent.")
    ] = 0,
    force: Force = False,
    json: Json = False,
) -> int:
    """Count a year of flights, privately and adaptively, and replay it."""
    from antiphon.cli.commands import flights

    return flights.demo(
        number=flights_, output=output, seed=seed, epsilon=epsilon, bit=bit, force=force,
        as_json=json,
    )  # fmt: skip
