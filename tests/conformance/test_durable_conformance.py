"""Every mechanism can be kept, and goes on in another process as if nothing had been."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from catalogue import MECHANISMS, first_of_each
from hypothesis import given
from hypothesis import strategies as st
from trying import examples, over

import antiphon as ap
from antiphon.numbers.interning import fingerprint
from antiphon.protocol.records.codec import encode, mentions_unregistered
from antiphon.sessions.durable.states import keep, restored

NAMED = [
    entry for entry in MECHANISMS
    if not mentions_unregistered(encode(entry.mechanism, secrets=True))
]  # fmt: skip
EVERY = over("entry", first_of_each(NAMED, 56))


def test_nearly_all_have_names():
    assert len(NAMED) > 0.9 * len(MECHANISMS)


@pytest.fixture(autouse=True)
def _no_disk(monkeypatch):
    monkeypatch.setattr("antiphon.sessions.durable.journal._on_disk", lambda file: None)
    monkeypatch.setattr(os, "fsync", lambda file: None)


def say(session, script):
    for message in script:
        try:
            session.send(message)
        except ap.AntiphonError:
            continue


@EVERY
@examples(1)
@given(data=st.data())
def test_it_goes_on_where_it_was(entry, data):
    script = data.draw(st.lists(entry.queries, max_size=6))
    after = data.draw(st.integers(0, len(script)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session"
        session = ap.begin(entry.mechanism, path, sync="os")
        say(session, script[:after])
        state, last, over = session._now[0], session.last, session.over
        if data.draw(st.booleans()):
            session.keep_state()
            assert session.unkept is None
        session.close()
        with ap.resume(path) as again:
            assert fingerprint(again._now[0]) == fingerprint(state)
            assert again.last == last
            assert again.over == (over and again.last is not None)
            say(again, script[after:])


@EVERY
@examples(1)
@given(data=st.data())
def test_its_states_are_kept_whole(entry, data):
    session = entry.mechanism.start(seed=1)
    say(session, data.draw(st.lists(entry.queries, max_size=6)))
    state = session._now[0]
    assert fingerprint(restored(json.loads(json.dumps(keep(state))))) == fingerprint(state)
