"""The figures of the benchmarks, below their table of times."""

from __future__ import annotations

collect_ignore = [
    "beside",
    "scripts",
    "ask_dp_accounting.py",
    "ask_riskcal.py",
    "ask_river.py",
    "ask_storm.py",
]
"""Not searched for doctests: these import what is in no environment of pytest."""


def pytest_terminal_summary(terminalreporter, config):
    """Print what a benchmark noted beside its times: ``extra_info``."""
    session = getattr(config, "_benchmarksession", None)
    noted = [each for each in getattr(session, "benchmarks", ()) if each.extra_info]
    if noted:
        terminalreporter.section("figures")
    for each in noted:
        figures = ", ".join(f"{name}: {_shown(value)}" for name, value in each.extra_info.items())
        terminalreporter.write_line(f"{each.name}: {figures}")


def _shown(value):
    if isinstance(value, float):
        return f"{value:.12g}"
    return f"{value:,}" if isinstance(value, int) else value
