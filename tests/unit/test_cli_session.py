"""``antiphon session``: both outputs, each status, bad input in one line."""

import json

import pytest

import antiphon as ap
from antiphon.mechanisms import COUNT, TreeCounter


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "day.jsonl"
    with TreeCounter(horizon=64, epsilon=1).start(sink=path, durable=True) as session:
        list(session.send_many([1, COUNT] * 10))
    return path


def test_status_says_how_far_it_is(cli, path):
    status, out, err = cli("session", "status", path)
    assert (status, err) == (0, "")
    assert "a session of TreeCounter, not live now" in out
    assert "20 answered, generation 0" in out
    assert "steps through 20" in out


def test_as_json(cli, path):
    status, out, _ = cli("session", "status", path, "--json")
    said = json.loads(out)
    assert status == 0
    assert (said["answered"], said["missing"], said["live"]) == (20, 0, False)
    assert said["system"] == "TreeCounter"


def test_a_live_one_is_seen_too(cli, path):
    with ap.resume(path):
        assert "live" in cli("session", "status", path)[1].splitlines()[0]
        status, _, err = cli("session", "compact", path)
        assert status == 2
        assert "in use" in err


def test_verify_steps_through_all(cli, path):
    cli("session", "compact", path)
    with ap.resume(path) as session:
        session.send(1)
        session.keep_state()
    assert "verified: 1 messages" in cli("session", "verify", path)[1]


def test_compact_says_what_it_gained(cli, path):
    status, out, _ = cli("session", "compact", path)
    assert status == 0
    before, after = (int(each.replace(",", "")) for each in out.split()[0:4:3])
    assert after < before
    assert "steps through 0" in out


def test_an_older_copy_is_status_1(cli, path):
    text = path.read_text().splitlines(keepends=True)
    path.write_text("".join(text[:-2]))
    status, out, _ = cli("session", "status", path)
    assert status == 1
    assert "1 answers are missing, not to be resumed" in out


@pytest.mark.parametrize("action", ["status", "verify", "compact"])
def test_no_such_file_is_one_line(cli, tmp_path, action):
    status, out, err = cli("session", action, tmp_path / "none")
    assert (status, out) == (2, "")
    assert err.startswith("antiphon: ")
    assert len(err.splitlines()) == 1


def test_an_unknown_action_is_named(cli, path):
    status, _, err = cli("session", "mend", path)
    assert status == 2
    assert "status, verify, compact" in err


def test_a_chain_is_named_by_its_parts(cli, tmp_path):
    path = tmp_path / "chain"
    (ap.Identifier(0) @ ap.ExtConComp()).start(sink=path, durable=True).close()
    assert "a session of Identifier ∘* ExtConComp," in cli("session", "status", path)[1]
