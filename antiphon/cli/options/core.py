"""The options of the core commands, with one function for each command."""

from pathlib import Path
from typing import Annotated, Final

import typer

from antiphon.cli.options import File, Force, Json, Seed, With, Workers, check_plot, drawing
from antiphon.numbers.errors import InvalidArgument


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
    times: Annotated[int, typer.Option(min=1, help="Repeat them all this many times.")] = 1,
    epsilon: Annotated[
        list[str] | None, typer.Option(help="Ask for δ at this ε; may be repeated.")
    ] = None,
    delta: Annotated[
        list[str] | None, typer.Option(help="Ask for ε at this δ; may be repeated.")
    ] = None,
    width: Annotated[
        str, typer.Option(help="Width in ε of the certified interval, for unequal parameters.")
    ] = "1e-6",
    plot: Annotated[Path | None, drawing("Draw the curves: .png, .svg or .pdf.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Print the privacy of a composition of mechanisms with fixed (ε, δ), or of dominating pairs,
    by every bound."""
    from antiphon.cli.commands import account as accounts

    question = accounts.AccountQuestion(
        rr or [], pair or [], times, epsilon or [], delta or [], width
    )
    check_plot(plot, force)
    return accounts.account(question, plot=plot, as_json=json)


# These are copies of lists in the library, which --help must not load; a test compares them.
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
        str | None, typer.Option(help="A function of the answers in the file, to be audited.")
    ] = None,
    method: Annotated[str, typer.Option(help=", ".join(METHODS) + ".")] = METHODS[0],
    correction: Annotated[
        str, typer.Option(help=f"For several adversaries: {', '.join(CORRECTIONS)}.")
    ] = CORRECTIONS[0],
    rounds: Annotated[
        int | None, typer.Option(min=1, help="End an interaction after this many messages.")
    ] = None,
    seed: Seed = None,
    workers: Workers = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep the counts here, and resume (needs a seed).")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="VIEW", help="Save a counterexample here.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Save the report here.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the proved bounds.")
    ] = None,
    corpus: Annotated[
        bool, typer.Option("--corpus", help="Audit the targets with known truth instead.")
    ] = False,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="The corpus with enough samples for its figures.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="Corpus entries with this in their name; repeatable.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Test a claim of your system on samples; status 1 if it is refuted.

    With --corpus: test claims that are known to be true or false; status 1 if one verdict is wrong.
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
    claim = audits.ClaimAsWritten(epsilon, delta, zcdp, gdp, curve)
    return audits.audit(
        audits.Request(target, adversary, claim, score, feature, options),
        audits.Outputs(save, report, plot, force, json),
    )


def certify(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="A certificate to check; or FILE.py:NAME, a question or game."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="FILE.py:NAME", help="Derive its tables anew from this game."),
    ] = None,
    epsilon: Annotated[
        list[str] | None, typer.Option(help="Certify δ at this ε: 0, 'ln 2', …; repeatable.")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="Certify the least ε at this δ.")] = None,
    order: Annotated[
        int | None,
        typer.Option(min=1, help="Certify the Rényi moment of this order; 1: the loss's range."),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=0, help="Messages; without it: as many as the game takes.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="CERTIFICATE", help="Write the certificate here.")
    ] = None,
    reader: Annotated[
        bool,
        typer.Option(
            "--reader",
            help="Print the file that checks FILE without antiphon; without FILE, a tight δ.",
        ),
    ] = False,
    force: Force = False,
    json: Json = False,
) -> int:
    """Write a certificate of an exact answer, or check one; status 1 if it does not hold."""
    from antiphon.cli.commands import certificates

    if reader:
        return certificates.print_reader(target)
    if target is None:
        raise InvalidArgument("certify takes a certificate to check, or FILE.py:NAME to certify")
    if epsilon is None and delta is None and order is None:
        return certificates.check(target, against, as_json=json)
    if save is None or against is not None:
        raise InvalidArgument("with --epsilon, --delta or --order: --save, and no --against")
    figure = certificates.Figure(epsilon, delta, order, rounds)
    return certificates.write(target, figure, save, force=force, as_json=json)


def check(
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py:NAME",
            help="A mechanism, a post-processor, or a verification function.",
        ),
    ],
    right: Annotated[
        str | None, typer.Option(metavar="NAME", help="The mechanism on a post-processor's right.")
    ] = None,
    messages: Annotated[
        str | None, typer.Option(metavar="NAME", help="A list of messages to try.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this check; repeatable.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="To repeat the same check.")] = None,
    json: Json = False,
) -> int:
    """Test a part of your own against its contracts; status 1 if there are findings."""
    from antiphon.cli.commands import explain as checking

    return checking.check(
        target, right=right, messages=messages, only=only or [], seed=seed, as_json=json
    )


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


def counters(
    horizon: Annotated[int, typer.Option(min=1, max=1 << 40, help="How many updates.")] = 1 << 20,
    events: Annotated[int, typer.Option(min=1, help="How many of them may differ.")] = 1,
    rho: Annotated[str, typer.Option(help="ρ of every counter (zCDP): 0.5, 1/8, …")] = "0.5",
    window: Annotated[
        int | None,
        typer.Option(min=1, help="Errors of sums of the last so many updates, not of counts."),
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="Print the (ε, δ) that ρ implies for this δ, too.")
    ] = None,
    plot: Annotated[Path | None, drawing("Draw the errors: .png, .svg or .pdf.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Compare the expected errors of all continual counters, beside the lower bound."""
    from antiphon.cli.commands import counters as counting

    check_plot(plot, force)
    return counting.counters(
        horizon=horizon, events=events, rho=rho, window=window, delta=delta, plot=plot, as_json=json
    )


# This is a copy of ``demo.data.TOTAL``, since --help must not load the library; a test compares
# them.
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


def explain(
    target: Annotated[
        str, typer.Argument(metavar="FILE.py:NAME", help="A mechanism, a chain, or a PrivacyGame.")
    ],
    verification: Annotated[
        str | None, typer.Option("--f", metavar="NAME", help="f, by its name in the file.")
    ] = None,
    inner: Annotated[
        str | None, typer.Option(metavar="NAME", help="f' of a complex mechanism.")
    ] = None,
    catalogue: Annotated[
        str | None, typer.Option(metavar="NAME", help="List of mechanisms: no other is created.")
    ] = None,
    max_creations: Annotated[
        int | None, typer.Option(min=0, help="No more mechanisms are created.")
    ] = None,
    style: Annotated[
        str, typer.Option("--format", help="text, markdown, mermaid or svg.")
    ] = "text",
    output: Annotated[Path | None, typer.Option(help="A file; else standard output.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Print the guarantee of your system, and its theorem; status 1 if none applies."""
    from antiphon.cli.commands import explain as guarantees

    return guarantees.explain(
        target, verification=verification, inner=inner, catalogue=catalogue,
        max_creations=max_creations, style=style, output=output, force=force, as_json=json,
    )  # fmt: skip


def replay(path: File, with_: With = None, json: Json = False) -> int:
    """Replay a view (the adversary) or a recording (both sides); status 1 if it differs."""
    from antiphon.cli.commands import views

    return views.replay(path, with_file=with_, as_json=json)


def session(
    action: Annotated[
        str,
        typer.Argument(
            metavar="status|verify|compact",
            help="status, verify (step through all of it), or compact (to its last state).",
        ),
    ],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A session's file.")],
    delta: Annotated[str | None, typer.Option(help="Give the budget in ε at this δ, too.")] = None,
    with_: With = None,
    json: Json = False,
) -> int:
    """Inspect, verify or compact the file of a durable session; status 1 if it must not be
    resumed."""
    from antiphon.cli.commands import views

    return views.session(action, path, delta=delta, with_file=with_, as_json=json)


def show(
    path: File,
    style: Annotated[str, typer.Option("--format", help="mermaid or svg.")] = "mermaid",
    output: Annotated[Path | None, typer.Option(help="A file; else standard output.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Draw at most this many rounds.")] = 50,
    with_: With = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Draw a view as a sequence diagram."""
    from antiphon.cli.commands import views

    return views.show(
        path, style=style, output=output, limit=limit, with_file=with_, force=force, as_json=json
    )
