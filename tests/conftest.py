"""One Hypothesis profile for the suite: the same examples in every run, no deadline.

The names of tests are the same in every process: those that run side by side compare them.
"""

import signal

import pytest
from hypothesis import HealthCheck, settings
from mpmath import mp

mp.dps = 60  # for all tests alike: it is one setting of the process

settings.register_profile(
    "suite",
    derandomize=True,
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("suite")


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what a script puts in the background (`make test &`) with SIGINT ignored, and
    # children inherit that. The tests of Ctrl-C send it to themselves and to their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Refuse names with an address."""
    wandering = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if wandering:
        raise pytest.UsageError(f"tests named by an address, give ids=: {wandering[:3]}")
