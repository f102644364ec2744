"""What is sent byte by byte, past any client: heads that never end, bodies without a length."""

import contextlib
import json
import resource
import signal
import socket
import threading
import time
from importlib.util import find_spec

import pytest
from flying import FILE, file

from antiphon.cli import main
from antiphon.composition import BasicFilter
from antiphon.service.service import opened
from antiphon.service.wire import patience
from antiphon.service.wire.door import Seats

WAIT = 0.6
PROTOCOLS = ["h11", *(["httptools"] if find_spec("httptools") else [])]


@pytest.fixture(params=PROTOCOLS)
def wire(request, folder, tokens, monkeypatch):
    """``call``: a connection to a service that waits for a moment only."""
    from antiphon.service.wire.serving import Server, listener_of

    for name in ("HEAD", "BODY", "READ"):
        monkeypatch.setattr(patience, name, WAIT)
    service = opened(file(folder, BasicFilter(epsilon=2)), sync="os", pace=3600)
    server = Server(service, listener_of("127.0.0.1", 0), http=request.param)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    opened_here = []

    def call(text=b"", wait=20, address="127.0.0.1"):
        connection = socket.create_connection(("127.0.0.1", port), wait, (address, 0))
        opened_here.append(connection)
        with contextlib.suppress(ConnectionError):  # it need not hear all of it
            connection.sendall(text)
        return connection

    call.server, call.service = server, service
    yield call
    for each in opened_here:
        each.close()
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


def told(connection):
    """All that comes until the other end closes, or a whole answer has come."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(65536):
            found += part
            head, whole, body = found.partition(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            if whole and length and len(body) >= int(length):
                break
    return found


def post(token, *lines, path="/api/events"):
    given = [
        f"POST {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}",
        "Idempotency-Key: k", "Content-Type: application/json", *lines, "", "",
    ]  # fmt: skip
    return "\r\n".join(given).encode()


GET = b"GET /api/counters HTTP/1.1\r\nHost: localhost\r\n\r\n"
FLIGHTS = json.dumps({"events": [{"airline": "UA", "origin": "JFK", "delay": 20}]}).encode()


def test_a_head_that_never_ends(wire):
    """Slow loris: said in part, or not at all, or after a whole request, a byte at a time."""
    silent, partial = wire(), wire(GET[:30])
    second = wire(GET)
    assert told(second).startswith(b"HTTP/1.1 200")
    begun = time.monotonic()
    with contextlib.suppress(OSError):
        for at in range(30):
            second.sendall(GET[at : at + 1])
            time.sleep(0.1)
    assert [told(each) for each in (silent, partial, second)] == [b"", b"", b""]
    assert time.monotonic() - begun < 10
    assert wire.server.server_state.connections == set()
    assert told(wire(GET)).startswith(b"HTTP/1.1 200")


def test_a_body_that_never_ends(wire, tokens):
    slow = wire(post(tokens["ingestion"], "Content-Length: 200") + b'{"fl')
    said = told(slow)
    assert said.startswith(b"HTTP/1.1 408")
    assert b'"too slow"' in said
    assert slow.recv(10) == b""
    assert wire.service.run.memory.number == 0


@pytest.mark.slow
def test_an_answer_that_nobody_reads(wire, monkeypatch):
    monkeypatch.setattr("antiphon.service.pages.budget_card", lambda *_: "x" * (1 << 26))
    deaf = wire(b"GET /board HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for _ in range(200):
        time.sleep(0.1)
        if wire.server.started and not wire.server.server_state.connections:
            break
    assert wire.server.server_state.connections == set()
    assert deaf.fileno() > 0


def test_a_long_body_is_refused_before_it_is_sent(wire, tokens):
    lines = "Content-Length: 1000000", "Expect: 100-continue"
    said = told(wire(post(tokens["ingestion"], *lines)))
    assert said.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in said.lower()
    wrong = told(wire(post("wrong", *lines)))
    assert wrong.startswith(b"HTTP/1.1 401")


def test_a_body_in_parts(wire, tokens):
    chunked = post(tokens["ingestion"], "Transfer-Encoding: chunked")
    whole = chunked + b"%x\r\n%b\r\n0\r\n\r\n" % (len(FLIGHTS), FLIGHTS)
    assert told(wire(whole)).startswith(b"HTTP/1.1 200")
    endless = wire(chunked)
    with contextlib.suppress(OSError):
        for _ in range(200):
            endless.sendall(b"400\r\n" + b" " * 1024 + b"\r\n")
    assert told(endless).startswith(b"HTTP/1.1 413")
    assert wire.service.run.memory.events == 1


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\x00\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 2_000_000 + b"\r\n\r\n",
        b"POST /leave HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
        b"Content-Length: 4\r\n\r\nabcd",
        b"POST /leave HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /leave HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
        b"Transfer-Encoding: x\r\n\r\nabcd",
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
    ],
    ids=[
        "folded", "two hosts", "space", "no host", "long", "two lengths", "negative", "encoding",
        "TLS",
    ],
)  # fmt: skip
def test_what_is_no_request(wire, head):
    said = told(wire(head))
    assert not said or said.split()[1] in {b"400", b"421", b"413", b"415", b"431", b"501"}
    assert b"Traceback" not in said
    assert told(wire(GET)).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("name", ["a\r\nSet-Cookie: x=1", "%0d%0aSet-Cookie: x=1"])
def test_no_header_is_put_into_an_answer(wire, name):
    for path in (f"/static/{name}", f"/{name}", f"/api/counters/{name}"):
        text = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        assert b"set-cookie" not in told(wire(text)).lower()


def test_a_path_of_its_own_spelling(wire):
    for path in (b"/static/../tokens", b"/../../etc/passwd", b"/static/%2e%2e%2ftokens"):
        said = told(wire(b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % path))
        assert said.startswith(b"HTTP/1.1 404")
        assert b"analyst" not in said


def test_nothing_says_what_serves_it(wire):
    said = told(wire(GET)).lower()
    assert b"server:" not in said
    assert b"uvicorn" not in said


# --- who gets a connection -----------------------------------------------------------------------


def answered(connection):
    """Whether a whole answer comes within a moment."""
    connection.settimeout(0.3)
    try:
        return told(connection).startswith(b"HTTP/1.1 200")
    except TimeoutError:
        return False


def test_so_many_connections_of_one_address_and_at_once(wire, monkeypatch):
    monkeypatch.setattr(patience, "HEAD", 60)
    door = wire.server.servers[0]
    door._places = Seats(at_once=3, of_one=2)
    first, second = wire(), wire()
    assert told(wire(GET)) == b""  # a third of one address is closed, and nothing is heard of it
    other = wire(GET, address="127.0.0.2")
    assert answered(other)
    waits = wire(GET, address="127.0.0.3")
    assert not answered(waits)
    assert len(wire.server.server_state.connections) == 3
    first.close()
    assert answered(waits)
    for each in (second, other, waits):
        each.close()
    assert told(wire(GET)).startswith(b"HTTP/1.1 200")
    for _ in range(100):
        time.sleep(0.02)
        if not wire.server.server_state.connections:
            break
    assert door._taken.total() <= 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="there is no prlimit")
def test_a_flood_leaves_no_tracebacks(started):
    """200 connections to a process that may have 64 files open, twice; and it ends when told."""
    with started("--of-one", "800") as (port, process, _said):
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (64, 64))
        for last in (False, True):
            held = [socket.socket() for _ in range(200)]
            for each in held:
                each.setblocking(False)
                each.connect_ex(("127.0.0.1", port))
            time.sleep(1.5)
            if not last:
                for each in held:
                    each.close()
                client = socket.create_connection(("127.0.0.1", port), 20)
                client.sendall(GET)
                assert told(client).startswith(b"HTTP/1.1 200")
                client.close()
        process.send_signal(signal.SIGTERM)
        rest = process.communicate(timeout=30)[0]
        for each in held:
            each.close()
    assert process.returncode in (0, -signal.SIGTERM)
    assert "Traceback" not in rest
    assert len(rest) < 500


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sync", "never"), "--sync"),
        (("--connections", "0"), "--connections must be an int >= 1"),
        (("--port", "99999"), "--port must be an int from 0"),
    ],
)
def test_what_it_cannot_be_started_with(folder, options, said, capsys):
    assert main(["service", str(FILE), "--folder", str(folder), "--begin", *options]) == 2
    assert said in capsys.readouterr().err
