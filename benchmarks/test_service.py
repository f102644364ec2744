"""The service of examples/service/flights.toml over loopback: reads and updates a second.

Its load is on the same cores.

Beside each figure: how many a second of the server's own processor time allows, which does not
depend on what else the machine does.
"""

import asyncio
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")
ROOT = Path(__file__).parents[1]
FILE = str(ROOT / "examples" / "service" / "flights.toml")
CONNECTIONS = 32
MANY = 4_000
FLIGHT = b'{"events":[{"airline":"UA","origin":"JFK","delay":20}]}'
TICKS = os.sysconf("SC_CLK_TCK")


class Served:
    """A service in a process of its own, with three counters."""

    def __init__(self, folder, *options):
        from antiphon.service.tokens import issue

        folder.mkdir(mode=0o700)
        named = {"analyst": "ada", "ingestion": "feed"}
        self.tokens = {role: issue(folder / "tokens", role, name) for role, name in named.items()}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "antiphon",
            "service",
            FILE,
            "--folder",
            str(folder),
            "--begin",
            *options,
        ]
        self.process = subprocess.Popen([*command, "--port", str(self.port)], cwd=ROOT)
        self.keys = 0

    def __enter__(self):
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        watches = [b'{"epsilon":"1/2"}', b'{"airline":"UA","epsilon":"1"}', b'{"epsilon":"1/5"}']
        for watch in watches:
            self.load(1, lambda watch=watch: self.post("analyst", b"/api/counters", watch))
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def post(self, role, path, body):
        """A request, with a key of its own."""
        self.keys += 1
        lines = [
            b"POST %b HTTP/1.1" % path, b"Host: localhost", b"Content-Type: application/json",
            b"Authorization: Bearer %b" % self.tokens[role].encode(),
            b"Idempotency-Key: %d" % self.keys, b"Content-Length: %d" % len(body), b"", body,
        ]  # fmt: skip
        return b"\r\n".join(lines)

    def load(self, many, request):
        """Send so many, on connections that stay; (a second, a second of the server's own)."""
        before, begun = self.spent(), time.perf_counter()
        asyncio.run(self._load(many, request))
        after, ended = self.spent(), time.perf_counter()
        return many / (ended - begun), many / max(after - before, 1 / TICKS)

    def spent(self):
        """Seconds of processor time of the server."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    async def _load(self, many, request):
        left = iter(range(many))

        async def one():
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            for _ in left:
                writer.write(request())
                head = await reader.readuntil(b"\r\n\r\n")
                assert b" 20" in head[:14], head
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
            writer.close()

        await asyncio.gather(*(one() for _ in range(min(many, CONNECTIONS))))


@pytest.mark.parametrize("sync", ["each", "os"])
def test_updates(benchmark, tmp_path, sync):
    """A flight a request, into three counters, acknowledged once it lasts; >= 1,000 a second."""
    with Served(tmp_path / "board", "--sync", sync) as served:
        _noted(benchmark, served, lambda: served.post("ingestion", b"/api/events", FLIGHT))


@pytest.mark.parametrize("path", ["/", "/api/counters"])
def test_reads(benchmark, tmp_path, path):
    """What was released last; >= 2,000 a second, of one address, which is let in that often."""
    request = b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode()
    with Served(tmp_path / "board", "--reads", "1000000") as served:
        served.load(50, lambda: served.post("ingestion", b"/api/events", FLIGHT))
        _noted(benchmark, served, lambda: request)


def _noted(benchmark, served, request):
    found = []
    benchmark.pedantic(lambda: found.append(served.load(MANY, request)), rounds=3, warmup_rounds=1)
    best, own = max(found)
    benchmark.extra_info["a second"] = round(best)
    benchmark.extra_info["a second of the server's processor"] = round(own)
