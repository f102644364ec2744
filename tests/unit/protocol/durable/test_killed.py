"""A process that is killed, time and again: nothing that was heard is forgotten."""

import os
import random
import signal
import subprocess
import sys

import pytest

import antiphon as ap
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.protocol.durable.inspection import verify
from antiphon.protocol.durable.reading import opening, steps

CHILD = """
import sys
import antiphon as ap
from antiphon.mechanisms import COUNT
with ap.resume(sys.argv[1], sync=sys.argv[2]) as session:
    print("live", session.last.number if session.last else 0, flush=True)
    while True:
        message = COUNT if session.last and session.last.number % 3 else 1
        answer = session.send(message)
        print(session.last.number, answer, flush=True)
"""


def killed(path, sync, wait):
    """Let a child go on with the session, and kill it: what was heard of it."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), sync], stdout=subprocess.PIPE, text=True
    )
    first = child.stdout.readline()
    assert first.startswith("live"), first
    heard = [child.stdout.readline() for _ in range(wait)]
    os.kill(child.pid, signal.SIGKILL)
    heard += child.stdout.read().splitlines(keepends=True)
    child.wait()
    child.stdout.close()
    assert child.returncode == -signal.SIGKILL
    return [line.split() for line in heard if line.endswith("\n")]


def written(path):
    """The answers of the log, by their numbers."""
    answers = {}

    with path.open("rb") as file:
        first = opening(file, path)
        for course in steps(file, first, first.rebuild_system()):
            if course.last is not None:
                answers[course.last.number] = course.last.answer
    return answers, course


@pytest.mark.parametrize("sync", ["each", "os"])
@pytest.mark.parametrize(
    "times", [4, pytest.param(100, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_what_was_heard_is_in_the_log(tmp_path, sync, times):
    path = tmp_path / "session"
    TreeCounter(horizon=2**20, epsilon=1).start(sink=path, durable=True, sync=sync).close()
    dice, heard = random.Random(times), {}
    for _ in range(times):
        for number, answer in killed(path, sync, dice.randrange(40)):
            assert number not in heard, "a number was answered twice"
            heard[number] = answer
    answers, course = written(path)
    assert {int(number) for number in heard} <= answers.keys()
    assert all(str(answers[int(number)]) == answer for number, answer in heard.items())
    assert course.number - len(heard) <= times + 1  # at most what was in flight, each time
    with ap.resume(path) as session:
        assert type(session.send(COUNT)) is int
    assert verify(path).missing == 0
