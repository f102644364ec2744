"""Durable sessions: what a message costs beyond its step, and a restart. Ratios within one run."""

import itertools

import pytest

import antiphon as ap
from antiphon.mechanisms import TreeCounter
from antiphon.sessions.durable.inspection import status

COUNTER = TreeCounter(horizon=2**30, epsilon=1)
MANY = 4_096


def test_a_session_that_is_not_durable(benchmark):
    session = COUNTER.start()
    benchmark(lambda: [session.send(1) for _ in range(MANY)])


@pytest.mark.parametrize("sync", ["each", "group", "os"])
def test_many_at_once(benchmark, tmp_path, sync):
    """Of which 1,024 wait for one sync; ≤ 30 µs a message beyond the step."""
    with COUNTER.start(sink=tmp_path / "log", durable=True, sync=sync) as session:
        benchmark(lambda: list(session.send_many([1] * MANY)))


@pytest.mark.parametrize("sync", ["each", "os"])
def test_one_by_one(benchmark, tmp_path, sync):
    with COUNTER.start(sink=tmp_path / "log", durable=True, sync=sync) as session:
        benchmark(session.send, 1)


def test_a_restart_after_many(benchmark, tmp_path):
    """The state is kept by itself: it takes as long after 10⁵ messages as after 10⁶."""
    path = tmp_path / "log"
    with COUNTER.start(sink=path, durable=True, sync="os") as session:
        for _ in session.send_many(itertools.repeat(1, 100_000)):
            pass
    assert status(path).stepped < 20_000
    benchmark(lambda: ap.resume(path).close())
