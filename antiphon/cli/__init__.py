"""The command line. It needs the extra ``cli``; nothing else in Antiphon imports it."""

import sys
from collections.abc import Sequence

from antiphon.numbers.errors import MissingExtra

_NEEDED = ("typer", "rich", "click", "shellingham")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status.

    Exit status 0: success; 1: the checked statement does not hold (a replay that differs); 2: bad
    input; 3: a bug; 130: interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        from antiphon.cli.app import run

        return run(given)
    except ImportError as error:
        if str(error.name).split(".")[0] not in _NEEDED:
            raise
        from antiphon.cli.output import report_error

        return report_error(MissingExtra(str(error.name), "cli"), as_json="--json" in given)
