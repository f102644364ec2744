"""What the commands print: text for people, or one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

Advance = Callable[[int], None]
"""Told how much is done."""


def print_json(data: Mapping[str, object]) -> None:
    """One JSON object on standard output, on one line."""
    print(json.dumps(data, allow_nan=False))


def report_error(error: BaseException, *, as_json: bool, status: int = 2, prefix: str = "") -> int:
    """One line about an error; the exit status."""
    text = prefix + (" ".join(str(error).split()) or type(error).__name__)
    text = text.encode("utf-8", "backslashreplace").decode()  # a file may say lone surrogates
    if as_json:
        print_json({"error": {"type": type(error).__name__, "message": text}})
    else:
        print(f"antiphon: {text}", file=sys.stderr)
    return status


@contextmanager
def progress(
    text: str, total: int | None, *, quiet: bool = False
) -> Generator[Advance, None, None]:
    """A progress bar on standard error, if that is a terminal; ``total`` None: a spinner."""
    if quiet or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        task = bars.add_task(text, total=total)
        yield lambda done: bars.update(task, completed=done)
