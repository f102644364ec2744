"""``antiphon audit``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from antiphon.cli.options import Force, Json, Seed, Workers
from antiphon.numbers.errors import InvalidArgument

# What options show of the library, so that showing them does not load it; a test compares.
SCORES: Final = ("auto", "counts", "places", "additive", "logistic", "boosted")
METHODS: Final = ("clopper-pearson", "label", "anytime")
CORRECTIONS: Final = ("select", "holm", "bonferroni")


def audit(
    target: Annotated[
        str | None, typer.Argument(metavar="FILE.py:NAME", help="A PrivacyGame, or a mechanism.")
    ] = None,
    adversary: Annotated[
        str | None, typer.Option(help="An adversary in the file, a list of them, or a family.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="ε of the claim.")] = None,
    delta: Annotated[str, typer.Option(help="δ of the claim.")] = "0",
    zcdp: Annotated[
        str | None, typer.Option(metavar="RHO", help="Instead of ε: ρ of a zCDP claim, at every ε.")
    ] = None,
    gdp: Annotated[
        str | None, typer.Option(metavar="MU", help="Instead of ε: μ of a GDP claim, at every ε.")
    ] = None,
    curve: Annotated[
        str | None,
        typer.Option(help="Instead of ε: a privacy curve or a guarantee in the file, at every ε."),
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Interactions in each world; by default 1,000,000.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of a refutation.")] = 0.95,
    score: Annotated[
        str, typer.Option(help=f"{', '.join(SCORES)}, or a function of the answers in the file.")
    ] = "auto",
    feature: Annotated[
        str | None, typer.Option(help="A function of the answers in the file: what is read.")
    ] = None,
    method: Annotated[str, typer.Option(help=", ".join(METHODS) + ".")] = METHODS[0],
    correction: Annotated[
        str, typer.Option(help=f"Of several adversaries: {', '.join(CORRECTIONS)}.")
    ] = CORRECTIONS[0],
    rounds: Annotated[
        int | None, typer.Option(min=1, help="End an interaction after so many messages.")
    ] = None,
    seed: Seed = None,
    workers: Workers = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep what is counted here, and resume (needs a seed).")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="VIEW", help="Save a counterexample here.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Save the report here.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw what is proved.")
    ] = None,
    corpus: Annotated[
        bool, typer.Option("--corpus", help="Audit the targets with known truth instead.")
    ] = False,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="The corpus with enough samples for its figures.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="Of the corpus, names with this in them; repeatable.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Test a claim of your system on samples; status 1 if it is refuted.

    With --corpus: test the claims of targets with known truth; status 1 for a surprise.
    """
    from antiphon.cli.commands import audits
    from antiphon.selfcheck.commands import corpus as targets

    if corpus:
        for name, given in {"FILE.py:NAME": target, "--save": save, "--report": report}.items():
            if given is not None:
                raise InvalidArgument(f"--corpus audits targets of its own: leave out {name}")
        return targets.audit_corpus(
            only=only or [], thorough=thorough, samples=samples, seed=seed, executor=workers,
            checkpoint=checkpoint, as_json=json,
        )  # fmt: skip
    claims = [each for each in (epsilon, zcdp, gdp, curve) if each is not None]
    if target is None or adversary is None or len(claims) != 1:
        raise InvalidArgument(
            "audit takes FILE.py:NAME, --adversary and one of --epsilon, --zcdp, --gdp and "
            "--curve, or --corpus"
        )
    options = {
        "samples": samples or 1_000_000, "confidence": confidence, "rounds": rounds, "seed": seed,
        "method": method, "correction": correction, "executor": workers, "checkpoint": checkpoint,
    }  # fmt: skip
    return audits.audit(
        audits.Request(
            target,
            adversary,
            audits.ClaimAsWritten(epsilon, delta, zcdp, gdp, curve),
            score,
            feature,
            options,
        ),
        audits.Outputs(save, report, plot, force, json),
    )
