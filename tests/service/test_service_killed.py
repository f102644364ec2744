"""kill -9 under load: what was acknowledged is in the log, once, with the answer that was given."""

import http.client
import json
import os
import random
import signal
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from fractions import Fraction

import pytest
from flying import board

from antiphon.composition import BasicFilter
from antiphon.numbers.errors import AntiphonError
from antiphon.protocol.records.codec import decode
from antiphon.sessions.durable.inspection import verify

GONE = (OSError, http.client.HTTPException, ValueError)
FLIGHTS = [{"airline": each, "origin": "JFK", "delay": 20} for each in ("UA", "AA", "DL")]
NAMES = {"analyst": "ada", "ingestion": "feed"}
WINDOW = 8
"""So many draws of a Laplace law of scale 20 and more come again, at some other place of a log with
10,000 draws, with probability 2^-25: two of them are alike with at most 1/80."""


def post(connection, tokens, item):
    """The status of an answer, and what it says."""
    role, path, body, key = item
    headers = {
        "Authorization": f"Bearer {tokens[role]}", "Idempotency-Key": key,
        "Content-Type": "application/json",
    }  # fmt: skip
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def connected(port):
    return closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20))


FIRST = "analyst", "/api/counters", {"airline": "UA", "epsilon": "1"}, "first"
SMALL = {"origin": "JFK", "epsilon": "1/20"}


class Client(threading.Thread):
    """Sends one request after another until nobody answers; remembers what was acknowledged.

    What was sent last, and not answered, it sends again first, to the next process.
    """

    def __init__(self, name, port, tokens, before=None):
        super().__init__(daemon=True)
        self.name, self._port, self._tokens = name, port, tokens
        self.count = before.count if before else 0
        self.pending = before.pending if before else None
        self.heard = {}
        self.again = int(self.pending is not None)

    def run(self):
        with connected(self._port) as connection, suppress(*GONE):
            while True:
                self.pending = self.pending or self._next()
                status, said = post(connection, self._tokens, self.pending)
                if status in (429, 503):
                    time.sleep(0.1)
                    continue
                assert status in (200, 201, 402), said
                role, _, body, key = self.pending
                self.pending = None
                if status != 402:
                    self.heard[role, key] = body, said

    def _next(self):
        self.count += 1
        key = f"{self.name}-{self.count}"
        if self.count % 200 == 7:
            return "analyst", "/api/counters", SMALL, key
        if self.count % 5 == 0:
            return "analyst", "/api/counters/0/ask", None, key
        return "ingestion", "/api/events", {"events": FLIGHTS[: 1 + self.count % 3]}, key


def loaded(started, tokens, times, **options):
    """What was acknowledged while it was killed so often, and how often something came again."""
    dice, heard = random.Random(times), {}
    clients, sent_again = [None] * 3, 0
    for _ in range(times):
        with started(**options) as (port, process, _said):
            with connected(port) as connection:
                assert post(connection, tokens, FIRST) == (201, {"counter": 0})
            clients = [
                Client(f"client{number}", port, tokens, before)
                for number, before in enumerate(clients)
            ]
            for each in clients:
                each.start()
            time.sleep(dice.uniform(0.05, 0.6))
            until = time.monotonic() + 20  # on a busy machine nothing may have been said yet
            while sum(len(each.heard) for each in clients) < 20 and time.monotonic() < until:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
            for each in clients:
                each.join(30)
                assert not each.is_alive()
                assert not heard.keys() & each.heard.keys()
                heard |= each.heard
                sent_again += each.again
    return heard, sent_again


def written(path):
    """(who, key) -> (what, answer), of the log; every one of them, in order; and the draws."""
    said, found, order, draws = None, {}, [], []
    for raw in path.read_bytes().splitlines():
        line = json.loads(raw)
        if "says" in line:
            said = decode(line["says"])
        elif "answers" in line:
            found[said[:2]] = said[2], decode(line["answers"])
            order.append(said[:2])
            draws += [json.dumps(each) for each in line.get("draws", ())]
    return found, order, draws


def answered(role, body, said):
    """What the log has to have of what was acknowledged."""
    if "counter" in said and "count" not in said:
        return ("", body["origin"], "", Fraction(1, 20)), said["counter"]
    if role == "analyst":
        return 0, said["count"]
    return tuple((f["airline"], f["origin"], f["delay"]) for f in body["events"]), None


def complaints(log, heard):
    """What is wrong with a log, by name, where so much was acknowledged."""
    found, order, draws = written(log)
    if max(Counter(each for each in order if each[1]).values()) > 1:
        yield "twice"
    windows = Counter(tuple(draws[at : at + WINDOW]) for at in range(len(draws) - WINDOW + 1))
    if max(windows.values(), default=0) > 1:
        yield "noise again"
    for (role, key), (body, said) in heard.items():
        what, answer = found.get((NAMES[role], key), (None, None))
        wanted = answered(role, body, said)
        if what is None:
            yield "forgotten"
        elif what != wanted[0] or (wanted[1] is not None and answer != wanted[1]):
            yield "altered"
    try:
        status = verify(log, board(BasicFilter(epsilon=4)))  # computed again from the coins
    except AntiphonError as error:
        print(f"{type(error).__name__}: {error}")
        yield "not what its coins say"
        return
    if (status.missing, status.live) != (0, False):
        yield "not whole"


@pytest.mark.slow
@pytest.mark.parametrize(
    "times", [5, pytest.param(200, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_nothing_is_lost_and_no_noise_tossed_twice(started, folder, tokens, times):
    heard, sent_again = loaded(started, tokens, times)
    assert len(heard) > 5 * times
    assert sent_again >= 1
    log = folder / "session.jsonl"
    with started() as (port, _, said), connected(port) as connection:
        assert f"generation {times}:" in said
        connection.request("GET", "/api/budget")
        (spent, _) = json.loads(connection.getresponse().read())["spent"]
    assert [*complaints(log, heard)] == []
    found, _, draws = written(log)
    print(f"{len(heard):,} acknowledged, {sent_again} sent again, {len(draws):,} draws", spent)
    assert len(draws) > times
    made = [what for what, answer in found.values() if type(what) is tuple and type(answer) is int]
    assert Fraction(spent) == sum(watch[3] for watch in made)  # no charge comes back
    key, (body, said) = next((each, it) for each, it in heard.items() if "count" in it[1])
    wrong = {**heard, key: (body, {**said, "count": said["count"] + 1})}
    assert [*complaints(log, wrong)] == ["altered"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("twin", "fault", "times"),
    [
        ("acknowledges", "forgotten", 6), ("goes_back", "forgotten", 6), ("does_twice", "twice", 6),
        ("tosses_again", "noise again", 6),
        ("other_noise", "not what its coins say", 1),  # the service itself refuses to go on
    ],
)  # fmt: skip
def test_a_twin_with_a_fault_is_found(started, folder, tokens, twin, fault, times):
    heard, _ = loaded(started, tokens, times, twin=twin)
    assert fault in [*complaints(folder / "session.jsonl", heard)]


def test_a_count_stays_when_it_is_asked_again_after_a_kill(started, tokens):
    """The noise of a node is tossed once, whoever asks, before and after."""
    counts = set()
    for turn in range(2):
        with started("--pace", "0.05") as (port, process, said), connected(port) as connection:
            assert f"generation {turn}" in said
            assert post(connection, tokens, FIRST) == (201, {"counter": 0})
            flights = "ingestion", "/api/events", {"events": FLIGHTS * 30}, "flights"
            assert post(connection, tokens, flights) == (200, {"events": 90})
            for number in range(3):
                asked = "analyst", "/api/counters/0/ask", None, f"{turn}-{number}"
                counts.add(post(connection, tokens, asked)[1]["count"])
            os.kill(process.pid, signal.SIGKILL)
    assert len(counts) == 1
