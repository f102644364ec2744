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

import pytest

from antiphon.composition import BasicFilter
from antiphon.protocol.durable.inspection import verify
from antiphon.protocol.records.codec import decode
from examples.service.board import board

GONE = (OSError, http.client.HTTPException, ValueError)
FLIGHTS = [{"airline": each, "origin": "JFK", "delay": 20} for each in ("UA", "AA", "DL")]


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
                assert status == 200, said
                role, _, body, key = self.pending
                self.heard[role, key], self.pending = (body, said), None

    def _next(self):
        self.count += 1
        key = f"{self.name}-{self.count}"
        if self.count % 5 == 0:
            return "analyst", "/api/counters/0/ask", None, key
        return "ingestion", "/api/flights", {"flights": FLIGHTS[: 1 + self.count % 3]}, key


def written(path):
    """(who, key) -> (what, answer), of the log; and every one of them, in order."""
    said, found, order = None, {}, []
    for raw in path.read_bytes().splitlines():
        line = json.loads(raw)
        if "says" in line:
            said = decode(line["says"])
        elif "answers" in line:
            found[said[:2]] = said[2], decode(line["answers"])
            order.append(said[:2])
    return found, order


@pytest.mark.parametrize(
    "times", [5, pytest.param(200, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_nothing_is_lost_and_no_noise_tossed_twice(started, folder, tokens, times):
    dice, heard = random.Random(times), {}
    clients, sent_again = [None] * 3, 0
    for _ in range(times):
        with started() as (port, process, _said):
            with connected(port) as connection:
                assert post(connection, tokens, FIRST) == (201, {"counter": 0})
            clients = [
                Client(f"client{number}", port, tokens, before)
                for number, before in enumerate(clients)
            ]
            for each in clients:
                each.start()
            time.sleep(dice.uniform(0.05, 0.6))
            os.kill(process.pid, signal.SIGKILL)
            for each in clients:
                each.join(30)
                assert not each.is_alive()
                assert not heard.keys() & each.heard.keys()
                heard |= each.heard
                sent_again += each.again
    log = folder / "session.jsonl"
    found, order = written(log)
    names = {"analyst": "ada", "ingestion": "feed"}
    assert max(Counter(each for each in order if each[1]).values()) == 1  # nothing is done twice
    for (role, key), (body, said) in heard.items():
        what, answer = found[names[role], key]
        if role == "analyst":
            assert (what, answer) == (0, said["count"])
        else:
            flights = tuple((f["airline"], f["origin"], f["delay"]) for f in body["flights"])
            assert what == flights
    assert len(heard) > 5 * times
    assert sent_again >= 1
    system = board(BasicFilter(epsilon=4))
    status = verify(log, system)  # every answer is computed again from the coins in the log
    assert (status.missing, status.live, status.generation) == (0, False, times - 1)


def test_a_count_stays_when_it_is_asked_again_after_a_kill(started, tokens):
    """The noise of a node is tossed once, whoever asks, before and after."""
    counts = set()
    for turn in range(2):
        with started("--pace", "0.05") as (port, process, said), connected(port) as connection:
            assert f"generation {turn}" in said
            assert post(connection, tokens, FIRST) == (201, {"counter": 0})
            flights = "ingestion", "/api/flights", {"flights": FLIGHTS * 30}, "flights"
            assert post(connection, tokens, flights) == (200, {"flights": 90})
            for number in range(3):
                asked = "analyst", "/api/counters/0/ask", None, f"{turn}-{number}"
                counts.add(post(connection, tokens, asked)[1]["count"])
            os.kill(process.pid, signal.SIGKILL)
    assert len(counts) == 1
