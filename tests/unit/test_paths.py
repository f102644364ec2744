"""What is no path is refused where it is given, by the name that it goes by there."""

from pathlib import Path

import pytest

import antiphon as ap
from antiphon.audit import SparsePattern, conjecture
from antiphon.audit.running import Chunks, run
from antiphon.mechanisms import RandomizedResponse, TreeCounter
from antiphon.mechanisms.learners.games import LossTable
from antiphon.numbers.user_files import path_of
from antiphon.protocol.durable.inspection import compact, status, verify

COUNTER = TreeCounter(horizon=2, epsilon=1)
PATTERN = SparsePattern(epsilon=0, delta=0.1, creations=1, sparse=1)
CALLS = {
    "sink": lambda given: COUNTER.start(sink=given, durable=True),
    "resume": ap.resume,
    "status": status,
    "verify": verify,
    "compact": compact,
    "load": ap.Recording.load,
    "view": ap.View.load,
    "losses": LossTable.load,
    "interact": lambda given: ap.interact(
        ap.scripted([0]), RandomizedResponse(epsilon=1), sink=given
    ),
    "checkpoint": lambda given: run(len, Chunks(total=4, seed=1), merge=max, checkpoint=given),
    "search": lambda given: conjecture(PATTERN, 1, seed=1, starts=1, checkpoint=given),
}


@pytest.mark.parametrize("given", [7, True, b"log", ["log"]], ids=repr)
@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_path(call, given):
    with pytest.raises(ap.InvalidArgument, match=r"is the path of a file, as text or a Path, not"):
        CALLS[call](given)


def test_what_is_one():
    assert path_of("a") == path_of(Path("a")) == Path("a")
