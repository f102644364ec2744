"""A service in a folder of its own, talked to without a network, or as a process."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from antiphon.composition import BasicFilter

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

FLIGHTS = ROOT / "examples" / "service" / "flights.toml"
NEEDED = ("starlette", "uvicorn", "httpx")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
"""Of the extra ``service``, and of ``test``."""

UA = {"airline": "UA", "epsilon": "1/2"}
FLIGHT = {"airline": "UA", "origin": "JFK", "delay": 20}


class Talk:
    """A client of a service, with tokens for all roles."""

    def __init__(self, service, client, tokens):
        self.service, self.client, self.tokens = service, client, tokens
        self.count = 0

    def headers(self, role, key=None):
        self.count += 1
        fresh = {"Idempotency-Key": key or f"key-{self.count}"}
        return {"Authorization": f"Bearer {self.tokens[role]}", **fresh}

    async def create(self, watch=None, *, key=None):
        said = watch or UA
        headers = self.headers("analyst", key)
        return await self.client.post("/api/counters", json=said, headers=headers)

    async def ask(self, number=0, *, key=None):
        place, headers = f"/api/counters/{number}/ask", self.headers("analyst", key)
        return await self.client.post(place, headers=headers)

    async def fly(self, many=1, *, key=None, **other):
        said = {"events": [{**FLIGHT, **other}] * many}
        headers = self.headers("ingestion", key)
        return await self.client.post("/api/events", json=said, headers=headers)


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "board"
    found.mkdir(mode=0o700)
    return found


@pytest.fixture
def tokens(folder):
    from antiphon.service.tokens import issue

    named = {"analyst": "ada", "ingestion": "feed"}
    return {role: issue(folder / "tokens", role, name) for role, name in named.items()}


@pytest.fixture
def clock(monkeypatch):
    """What rates are told by: it stands still until its ``now`` is set, in seconds."""
    from antiphon.service.wire import floods

    found = SimpleNamespace(now=0.0)
    monkeypatch.setattr(floods, "time", SimpleNamespace(monotonic=lambda: found.now))
    return found


@pytest.fixture
def talking(folder, tokens):
    """``with``: a service of the same folder, each time."""
    import httpx
    from flying import file

    from antiphon.service.routes import app_of
    from antiphon.service.service import opened

    @asynccontextmanager
    async def talk(budget=BasicFilter(epsilon=2), pace=3600, known=None, **options):  # noqa: B008
        service = opened(known or file(folder, budget), pace=pace, sync="os", **options)
        transport = httpx.ASGITransport(app_of(service), raise_app_exceptions=False)
        client = httpx.AsyncClient(transport=transport, base_url="http://localhost")
        async with service.running(), client:
            yield Talk(service, client, tokens)

    return talk


@pytest.fixture
def talked(talking):
    """Run one conversation with a fresh service: what it returns."""

    def run(conversation, **options):
        async def whole():
            async with talking(**options) as talk:
                return await conversation(talk)

        return asyncio.run(whole())

    return run


@pytest.fixture
def started(folder, tokens):
    """``with``: a process that serves the folder; (its port, itself, what it said)."""

    @contextmanager
    def start(*options, port=None, twin=None, known=None):
        if port is None:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
        what = ["-m", "antiphon"] if twin is None else [str(HERE / "twins.py"), twin]
        where = [str(known or FLIGHTS), "--folder", str(folder)]
        command = [sys.executable, *what, "service", *where, "--begin"]
        process = subprocess.Popen(
            [*command, "--port", str(port), "--sync", "os", *options],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            said = []
            while not said or not said[-1].startswith("http://"):
                said.append(process.stdout.readline())
                assert said[-1], "".join(said)
            waited(port)
            yield port, process, "".join(said)
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGTERM)
            process.stdout.close()
            process.wait(30)

    return start


def waited(port):
    """Until it listens."""
    import time

    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("it does not listen")
