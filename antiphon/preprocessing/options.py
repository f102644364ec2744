"""The command-line options of ``antiphon preprocess``."""

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json, check_plot, drawing


def preprocess(
    kind: Annotated[
        str, typer.Argument(help="imputation, scaling, projection, bins or clusters.")
    ] = "imputation",
    size: Annotated[
        list[int] | None,
        typer.Option(min=2, help="n; may be repeated. Else 100, 1,000, … to 100,000."),
    ] = None,
    missing: Annotated[
        str, typer.Option(help="Missing values: a share below 1, or a number.")
    ] = "0.05",
    sigma: Annotated[
        str, typer.Option(help="The least deviation of a feature: a public bound.")
    ] = "0.2",
    gap: Annotated[str, typer.Option(help="The eigengap of a projection: a public bound.")] = "0.1",
    centred: Annotated[
        bool, typer.Option(help="Project by the covariance, as PCA does; else by second moments.")
    ] = True,
    bins: Annotated[int, typer.Option(min=1, max=4096, help="Of each feature.")] = 20,
    eta: Annotated[str, typer.Option(help="η: a bound on the distance to the centre.")] = "0.1",
    dimension: Annotated[int, typer.Option(min=1, max=1 << 20, help="Features of a record.")] = 2,
    epsilon: Annotated[str, typer.Option(help="The naive ε, which the noise is made for.")] = "1",
    delta: Annotated[str, typer.Option(help="δ of all of them.")] = "1e-6",
    plot: Annotated[Path | None, drawing("Draw ε over n: .png, .svg or .pdf.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Print the ε behind a preprocessing that is not private itself, computed in four ways: naive,
    printed, derived, by groups."""
    from antiphon.preprocessing import commands

    check_plot(plot, force)
    asked = commands.PriceAsked(
        kind, missing, sigma, gap, centred, bins, eta, dimension, epsilon, delta
    )
    return commands.prices(asked, tuple(size or ()), plot=plot, as_json=json)
