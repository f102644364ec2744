"""A service in a folder of its own, talked to without a network."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

for needed in ("starlette", "uvicorn", "httpx"):
    pytest.importorskip(needed, reason=f"the extra `service` is not installed: {needed}")

import httpx

from antiphon.composition import BasicFilter
from examples.service.app import app_of
from examples.service.service import opened
from examples.service.tokens import issue

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
        said = {"flights": [{**FLIGHT, **other}] * many}
        headers = self.headers("ingestion", key)
        return await self.client.post("/api/flights", json=said, headers=headers)


@pytest.fixture
def tokens(tmp_path):
    folder = tmp_path / "board"
    folder.mkdir()
    named = {"analyst": "ada", "ingestion": "feed"}
    return {role: issue(folder / "tokens", role, name) for role, name in named.items()}


@pytest.fixture
def talking(tmp_path, tokens):
    """``with``: a service of the same folder, each time."""

    @asynccontextmanager
    async def talk(epsilon=2, pace=3600, **options):
        budget = BasicFilter(epsilon=epsilon)
        service = opened(tmp_path / "board", budget, pace=pace, sync="os", **options)
        transport = httpx.ASGITransport(app_of(service), raise_app_exceptions=False)
        client = httpx.AsyncClient(transport=transport, base_url="http://board.test")
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
