"""The commands and their options; what they do is in the modules beside this one.

Each command imports what it runs, so that ``--help`` and an option that does not exist are
answered at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from antiphon import __version__
from antiphon.cli.output import report_error
from antiphon.numbers.errors import AntiphonError, InvalidArgument
from antiphon.protocol.records.files import refuse_taken

# What options show of the library, so that showing them does not load it; a test compares.
FLIGHTS: Final = 336_776
SCORES: Final = ("auto", "counts", "places", "additive", "logistic", "boosted")
METHODS: Final = ("clopper-pearson", "label", "anytime")
CORRECTIONS: Final = ("select", "holm", "bonferroni")

app: Final = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Interactive mechanisms for differential privacy: build them, replay them, verify them.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"antiphon {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it and end."),
    ] = False,
) -> None:
    """What stands before the command."""


_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
_Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Seed, for study only. Without it: the system's entropy."),
]
_File = Annotated[Path, typer.Argument(metavar="VIEW", help="A saved view or recording.")]
_With = Annotated[
    Path | None,
    typer.Option("--with", metavar="FILE.py", help="Run this file: it registers your types."),
]
_Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there already.")]


@app.command()
def demo(
    flights_: Annotated[
        int, typer.Option("--flights", min=1, max=FLIGHTS, help="Play the first N flights.")
    ] = FLIGHTS,
    output: Annotated[Path, typer.Option(help="Directory for what it writes.")] = Path(
        "demo-output"
    ),
    seed: _Seed = None,
    epsilon: Annotated[str, typer.Option(help="ε of each counter: 1, 0.5, 1/3, …")] = "1",
    bit: Annotated[
        int, typer.Option(min=0, max=1, help="Whether the challenge flight is absent.")
    ] = 0,
    force: _Force = False,
    json: _Json = False,
) -> int:
    """Count a year of flights, privately and adaptively, and replay it."""
    from antiphon.cli.commands import flights

    return flights.demo(
        number=flights_, output=output, seed=seed, epsilon=epsilon, bit=bit, force=force,
        as_json=json,
    )  # fmt: skip


@app.command()
def counterexample(
    delta: Annotated[str, typer.Option(help="δ of each M_δ: 0.1, 1e-6, 1/3, …")] = "0.1",
    copies: Annotated[int, typer.Option(min=1, help="How many M_δ may be created.")] = 5,
    runs: Annotated[int, typer.Option(min=1, help="Games for each of the two bits.")] = 20_000,
    seed: _Seed = None,
    confidence: Annotated[float, typer.Option(help="Of the interval.")] = 0.99,
    save: Annotated[Path | None, typer.Option(metavar="VIEW", help="Save one view here.")] = None,
    force: _Force = False,
    json: _Json = False,
) -> int:
    """Play the adversary that breaks sparse parallel composition for δ > 0."""
    from antiphon.cli.commands import counterexample as counterexamples

    return counterexamples.counterexample(
        delta=delta, copies=copies, runs=runs, seed=seed, confidence=confidence, save=save,
        force=force, as_json=json,
    )  # fmt: skip


@app.command()
def audit(
    target: Annotated[
        str | None, typer.Argument(metavar="FILE.py:NAME", help="A PrivacyGame, or a mechanism.")
    ] = None,
    adversary: Annotated[
        str | None, typer.Option(help="An adversary in the file, a list of them, or a family.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="ε of the claim.")] = None,
    delta: Annotated[str, typer.Option(help="δ of the claim.")] = "0",
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
    seed: _Seed = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; without it: where they pay.")
    ] = None,
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
    force: _Force = False,
    json: _Json = False,
) -> int:
    """Test a claim of your system on samples; status 1 if it is refuted.

    With --corpus: test the claims of targets with known truth; status 1 for a surprise.
    """
    from antiphon.cli.commands import audits
    from antiphon.cli.commands import corpus as targets

    if corpus:
        for name, given in {"FILE.py:NAME": target, "--save": save, "--report": report}.items():
            if given is not None:
                raise InvalidArgument(f"--corpus audits targets of its own: leave out {name}")
        return targets.audit_corpus(
            only=only or [], thorough=thorough, samples=samples, seed=seed, executor=workers,
            checkpoint=checkpoint, as_json=json,
        )  # fmt: skip
    if target is None or adversary is None or epsilon is None:
        raise InvalidArgument("audit takes FILE.py:NAME, --adversary and --epsilon, or --corpus")
    options = {
        "samples": samples or 1_000_000, "confidence": confidence, "rounds": rounds, "seed": seed,
        "method": method, "correction": correction, "executor": workers, "checkpoint": checkpoint,
    }  # fmt: skip
    return audits.audit(
        audits.Request(target, adversary, epsilon, delta, score, feature, options),
        audits.Outputs(save, report, plot, force, json),
    )


@app.command()
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
    json: _Json = False,
) -> int:
    """Try a part of your own against its contracts; status 1 if something is found."""
    from antiphon.cli.commands import check as checking

    return checking.check(
        target, right=right, messages=messages, only=only or [], seed=seed, as_json=json
    )


@app.command()
def verify(
    theorem: Annotated[
        list[str] | None, typer.Option(help="Only this one, as 4.10 or HSS; may be repeated.")
    ] = None,
    adversaries: Annotated[
        bool, typer.Option("--adversaries", help="Print who breaks each row that fails.")
    ] = False,
    json: _Json = False,
) -> int:
    """Check the theorems exactly on finite instances, beside twins that must fail."""
    from antiphon.cli.commands import verify as verification

    return verification.verify(theorems=theorem or [], adversaries=adversaries, as_json=json)


@app.command()
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
        str | None, typer.Option(metavar="NAME", help="A list: nothing else is created.")
    ] = None,
    max_creations: Annotated[
        int | None, typer.Option(min=0, help="No more mechanisms are created.")
    ] = None,
    style: Annotated[
        str, typer.Option("--format", help="text, markdown, mermaid or svg.")
    ] = "text",
    output: Annotated[Path | None, typer.Option(help="A file; else standard output.")] = None,
    force: _Force = False,
    json: _Json = False,
) -> int:
    """Say what your system promises, by which theorem; status 1 if none applies."""
    from antiphon.cli.commands import explain as guarantees

    return guarantees.explain(
        target, verification=verification, inner=inner, catalogue=catalogue,
        max_creations=max_creations, style=style, output=output, force=force, as_json=json,
    )  # fmt: skip


@app.command()
def account(
    rr: Annotated[
        list[str],
        typer.Option(metavar="ε,δ", help="Parameters: 0.1,1e-6 or 'ln 3,0'; may be repeated."),
    ],
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
    force: _Force = False,
    json: _Json = False,
) -> int:
    """Say what a composition of fixed (ε, δ) promises, by every bound."""
    from antiphon.cli.commands import account as accounts

    question = accounts.Asked(rr, times, epsilon or [], delta or [], width)
    refuse_taken([] if plot is None else [plot], force)
    return accounts.account(question, plot=plot, as_json=json)


@app.command()
def counters(
    horizon: Annotated[int, typer.Option(min=1, max=1 << 40, help="How many updates.")] = 1 << 20,
    rho: Annotated[str, typer.Option(help="ρ of every counter (zCDP): 0.5, 1/8, …")] = "0.5",
    delta: Annotated[
        str | None, typer.Option(help="Print the (ε, δ) that ρ implies for this δ, too.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the errors: .png, .svg or .pdf.")
    ] = None,
    force: _Force = False,
    json: _Json = False,
) -> int:
    """Compare the expected errors of all continual counters, beside the lower bound."""
    from antiphon.cli.commands import counters as counting

    refuse_taken([] if plot is None else [plot], force)
    return counting.counters(horizon=horizon, rho=rho, delta=delta, plot=plot, as_json=json)


@app.command()
def replay(path: _File, with_: _With = None, json: _Json = False) -> int:
    """Replay a view (the adversary) or a recording (both sides); status 1 if it differs."""
    from antiphon.cli.commands import views

    return views.replay(path, with_file=with_, as_json=json)


@app.command()
def show(
    path: _File,
    style: Annotated[str, typer.Option("--format", help="mermaid or svg.")] = "mermaid",
    output: Annotated[Path | None, typer.Option(help="A file; else standard output.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Draw at most this many rounds.")] = 50,
    with_: _With = None,
    force: _Force = False,
    json: _Json = False,
) -> int:
    """Draw a view as a sequence diagram."""
    from antiphon.cli.commands import views

    return views.show(
        path, style=style, output=output, limit=limit, with_file=with_, force=force, as_json=json
    )


# typer may bring its own copy of click, so its classes are found by way of an exported one.
_UsageError: Final[Any] = typer.BadParameter.__mro__[1]


def run(arguments: Sequence[str]) -> int:
    """Run a command; every error is one line, or with --json one object."""
    as_json = "--json" in arguments
    try:
        status = app(
            args=list(arguments) or ["--help"], prog_name="antiphon", standalone_mode=False
        )
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:  # the reader has gone: as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (AntiphonError, OSError) as error:
        return report_error(error, as_json=as_json)
    except _UsageError as error:
        return _usage(error, as_json)
    except ModuleNotFoundError:  # commands import late: ``main`` knows what the extra has
        raise
    except Exception as error:
        return report_error(error, as_json=as_json, status=3, prefix=_BUG)


_BUG: Final = "this is a bug in antiphon, please report it: "


def _usage(error: Any, as_json: bool) -> int:
    message = InvalidUsage(error.format_message())
    return report_error(message, as_json=as_json)


class InvalidUsage(Exception):
    """Options that the command line does not have, or values they do not take."""
