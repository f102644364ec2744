"""A restart takes no longer after a million messages than after some thousands."""

import itertools
import time

import pytest

import antiphon as ap
from antiphon.composition import BasicFilter
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.sessions.durable.durable_session import _TAIL
from antiphon.sessions.durable.inspection import status

MANY = 1_000_000
COUNTER = TreeCounter(horizon=2**30, epsilon=1)
CHILDREN = 200
GUARDED = ap.Identifier(0) @ ap.ExtConComp(budget=BasicFilter(epsilon=CHILDREN, delta=0))
"""A complex mechanism: pairs, an identifier, a budget, two hundred counters."""
CREATED = [ap.same(ap.Create(COUNTER)) for _ in range(CHILDREN)]
ASKED = [ap.same(ap.Ask(asked, i)) for i in range(CHILDREN) for asked in (1, COUNT)]


def seconds_of_a_restart(path):
    """Of this processor: others may be busy on it."""
    before = time.process_time()
    ap.resume(path).close()
    return time.process_time() - before


@pytest.mark.slow
@pytest.mark.parametrize("sync", ["each", "group", "os"])
@pytest.mark.parametrize(
    ("system", "first", "then"),
    [(COUNTER, [], [1, 1, COUNT]), (GUARDED, CREATED, ASKED)],
    ids=["a counter", "a complex mechanism"],
)
def test_a_restart_takes_a_second_after_a_million(path, system, first, then, sync):
    said = itertools.chain(first, itertools.cycle(then))
    with ap.begin(system, path, sync=sync) as session:
        for _ in session.send_many(itertools.islice(said, MANY)):
            pass
        while tail(session) < 0.95:
            list(session.send_many(itertools.islice(said, 100)))
        answered = session.last.number
    longest = max(seconds_of_a_restart(path) for _ in range(3))
    found = status(path)
    print(f"{longest:.2f} s, {found.stepped:,} messages, {found.size:,} bytes")
    assert found.answered == answered >= MANY
    assert longest <= 1


def tail(session):
    """How much there is to step through, as a part of what there ever is."""
    end, length = session._kept
    return (session._log.size - end) / max(_TAIL, length)


@pytest.mark.slow
def test_a_restart_after_ten_thousand_children(path):
    """Many that are alike are read once."""
    system = ap.ExtConComp()
    with ap.begin(system, path, sync="os") as session:
        for _ in session.send_many([ap.Create(TreeCounter(horizon=365, epsilon=1))] * 10_000):
            pass
        session.compact()
    assert seconds_of_a_restart(path) <= 2
