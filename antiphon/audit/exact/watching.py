"""A progress line for long exact runs, for a person who watches."""

from __future__ import annotations

import sys

from antiphon.audit.exact.solver import Report


def progress() -> Report | None:
    """Reports to a terminal on standard error; None if nobody watches."""
    return _report if sys.stderr.isatty() else None


def _report(beliefs: int) -> None:
    sys.stderr.write(f"\rexact solver: {beliefs:,} beliefs ")
    sys.stderr.flush()
