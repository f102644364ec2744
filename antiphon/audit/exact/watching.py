"""A progress line for long exact runs, for a person who watches."""

from __future__ import annotations

import sys


def progress(beliefs: int) -> None:
    """A line on standard error, if that is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rexact solver: {beliefs:,} beliefs ")
        sys.stderr.flush()
