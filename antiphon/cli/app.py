"""The command line: each public function in a folder ``options`` of the library is a command."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from inspect import isfunction
from typing import Annotated, Any, Final

import typer

from antiphon import __version__
from antiphon.cli.output import report_error
from antiphon.numbers.errors import AntiphonError
from antiphon.numbers.public import found_alone

_FIRST: Final = (
    "demo", "counterexample", "audit", "check", "verify", "certify", "explain", "account",
    "counters", "replay", "show",
)  # fmt: skip
"""The first commands in ``--help``, in this order; the others follow alphabetically."""

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
def before(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it and end."),
    ] = False,
) -> None:
    """The options before the command's name, such as ``--version``."""


def _commands() -> Iterator[Callable[..., int]]:
    """The functions of all commands, from all folders ``options``, in the order of ``--help``."""
    known = {
        name: each
        for file in found_alone("options")
        for name, each in vars(file).items()
        if isfunction(each) and each.__module__ == file.__name__ and not name.startswith("_")
    }
    first = [name for name in _FIRST if name in known]
    yield from (known[name] for name in (*first, *sorted(known.keys() - {*first})))


for _command in _commands():
    app.command()(_command)


# typer may contain a copy of click, so click's class of usage errors is taken from a base of
# typer's own.
_UsageError: Final[Any] = typer.BadParameter.__mro__[1]


def run(arguments: Sequence[str]) -> int:
    """Run a command; returns its exit status. An error is printed as one line, or with --json as
    one object."""
    as_json = "--json" in arguments
    try:
        status = app(
            args=list(arguments) or ["--help"], prog_name="antiphon", standalone_mode=False
        )
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:  # The reader of the output has ended, as in `| head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as ended:  # With --help, typer itself ends the program after a closed pipe.
        if isinstance(ended.__context__, BrokenPipeError):
            return 0
        raise
    except (AntiphonError, OSError) as error:
        return report_error(error, as_json=as_json)
    except _UsageError as error:
        return _usage(error, as_json)
    except ModuleNotFoundError:  # The caller, ``main``, reports which package is missing.
        raise
    except Exception as error:
        return report_error(error, as_json=as_json, status=3, prefix=_BUG)


_BUG: Final = "this is a bug in antiphon, please report it: "


def _usage(error: Any, as_json: bool) -> int:
    message = InvalidUsage(error.format_message())
    return report_error(message, as_json=as_json)


class InvalidUsage(Exception):
    """The error of a command line with unknown options, or with values that an option refuses."""
