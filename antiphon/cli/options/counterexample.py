"""``antiphon counterexample``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json, Seed


def counterexample(
    delta: Annotated[str, typer.Option(help="δ of each M_δ: 0.1, 1e-6, 1/3, …")] = "0.1",
    copies: Annotated[int, typer.Option(min=1, help="How many M_δ may be created.")] = 5,
    runs: Annotated[int, typer.Option(min=1, help="Games for each of the two bits.")] = 20_000,
    seed: Seed = None,
    confidence: Annotated[float, typer.Option(help="Of the interval.")] = 0.99,
    save: Annotated[Path | None, typer.Option(metavar="VIEW", help="Save one view here.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Play the adversary that breaks sparse parallel composition for δ > 0."""
    from antiphon.cli.commands import counterexample as counterexamples

    return counterexamples.counterexample(
        delta=delta, copies=copies, runs=runs, seed=seed, confidence=confidence, save=save,
        force=force, as_json=json,
    )  # fmt: skip
