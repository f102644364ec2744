"""What all tests share: how much is tried, and that a large heap costs nothing.

Every day Hypothesis tries 15 examples of each property, the same ones in every run. `make
test-slow` sets ``EXAMPLES=slow``: 200, others in each run; the one that fails is printed with
how to try it again, and kept in ``.hypothesis`` for the next run.

The names of tests are the same in every process: those that run side by side compare them.
"""

import gc
import math
import os
import resource
import signal

import pytest
from hypothesis import HealthCheck, settings
from mpmath import mp

mp.dps = 60  # for all tests alike: it is one setting of the process

COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
}
settings.register_profile("suite", derandomize=True, max_examples=15, **COMMON)
settings.register_profile("slow", max_examples=200, print_blob=True, **COMMON)
LONG_DOCTESTS = {f"docs/{name}.md" for name in (
    "audits", "choosing", "conjectures", "counters", "dp_ftrl", "fdp", "graybox", "histograms",
    "interop", "laziness", "learners", "mechanisms", "mistakes", "noisy_leader", "preprocessing",
    "scaling", "small_opendp", "study_batches", "study_bounds", "study_regret",
)} | {"antiphon/learners/learner_choice.py"}  # fmt: skip
"""Doctests of a quarter of a second and more; `make docs` runs the pages as well."""
settings.load_profile(os.environ.get("EXAMPLES", "suite"))


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what a script puts in the background (`make test &`) with SIGINT ignored, and
    # children inherit that. The tests of Ctrl-C send it to themselves and to their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    """Collection makes millions of objects that stay: no use to look for garbage among them."""
    gc.disable()
    config.addinivalue_line("markers", "every(n): each n-th of its cases every day, the rest slow")


def pytest_unconfigure(config):
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Refuse names with an address; mark slow what ``every`` leaves for `make test-slow`."""
    wandering = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if wandering:
        raise pytest.UsageError(f"tests named by an address, give ids=: {wandering[:3]}")
    seen = {}
    for item in items:
        if item.nodeid.split("::")[0] in LONG_DOCTESTS:
            item.add_marker("slow")
        if (thinned := item.get_closest_marker("every")) is not None:
            name = item.nodeid.partition("[")[0]
            seen[name] = seen.get(name, -1) + 1
            if seen[name] % thinned.args[0]:
                item.add_marker("slow")


@pytest.fixture(scope="session", autouse=True)
def _alone():
    """Where tests run side by side all cores are busy: none starts processes to be faster."""
    from antiphon.audit.running import runner

    with pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ:
            patch.setattr(runner, "_WORTH", math.inf)
        yield


def pytest_collection_finish():
    """Else each full collection of garbage goes through all tests and modules again."""
    gc.collect()  # what `attrs` replaced is still a subclass of its base, until it is collected
    gc.freeze()
    gc.enable()


# --- the processor time of a run --------------------------------------------------------


def processor_time():
    """Seconds of this process and of the children that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def pytest_terminal_summary(terminalreporter):
    """One process; with xdist, the one that gives out tests, and its workers, which have ended."""
    terminalreporter.write_line(f"{processor_time():.0f} s of processor time")
