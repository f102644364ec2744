"""Transcripts: the format, damage, hand edits, hostile files, and crashes."""

import base64
import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import messages, tosser
from trying import sized

import antiphon as ap
from antiphon import Recording
from antiphon.audit import CounterexampleAdversary, counterexample_game
from antiphon.mechanisms import RandomizedResponse, TreeCounter
from antiphon.protocol import identical
from antiphon.protocol.records.rounds import Ending
from antiphon.protocol.records.view import loaded as load

PLAYER = CounterexampleAdversary(delta=Fraction(1, 3), copies=3)
SYSTEM = counterexample_game(Fraction(1, 3)).mechanism(1)


@ap.register("tests.dicer/1")
@ap.adversary
def dicer(answers, coins):
    """Draws a coin a message, and another to stop."""
    die = coins.uniform_integer(2)
    return ap.HALT if len(answers) == 3 else die


@ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Anything())
def echo(state, message, coins):
    return state, message


def lines_of(path):
    return path.read_text().splitlines()


def written(path, lines):
    path.write_text("\n".join([line if type(line) is str else json.dumps(line) for line in lines]))
    path.write_text(path.read_text() + "\n")
    return path


@pytest.fixture
def view_file(tmp_path):
    path = tmp_path / "view.jsonl"
    ap.interact(dicer, TreeCounter(horizon=9, epsilon=1), seed=5, sink=path)
    return path


@pytest.fixture
def recording_file(tmp_path):
    path = tmp_path / "recording.jsonl"
    ap.record(PLAYER, SYSTEM, seed=4, sink=path)
    return path


def test_the_format_is_the_documented_one(tmp_path):
    path = tmp_path / "view"
    view = ap.interact(dicer, TreeCounter(horizon=9, epsilon=1), seed=5, sink=path)
    header, *lines, end = map(json.loads, lines_of(path))
    assert header == {
        "antiphon": 1,
        "kind": "view",
        "adversary": {"object": "tests.dicer/1"},
        "system": {
            "type": "antiphon.TreeCounter/1",
            "parameters": {"horizon": 9, "epsilon": {"fraction": "1/1"}},
        },
        "seeded": True,
    }
    assert lines[0] == {"says": view.messages[0], "draws": [["uniform_integer", 2,
                                                             view.messages[0]]]}  # fmt: skip
    assert lines[1] == {"answers": {"symbol": "TOP"}}
    assert end["end"] == "adversary"
    assert end["draws"][0][:2] == ["uniform_integer", 2]
    assert all(line.isascii() for line in lines_of(path))


def test_saving_and_streaming_write_the_same_bytes(tmp_path):
    for name, run in [("view", ap.interact), ("recording", ap.record)]:
        one, other = tmp_path / f"{name}1", tmp_path / f"{name}2"
        run(PLAYER, SYSTEM, seed=4).save(one)
        run(PLAYER, SYSTEM, seed=4, sink=other)
        assert one.read_bytes() == other.read_bytes()
        assert not list(tmp_path.glob(".*.part"))


@given(st.lists(messages().filter(lambda m: m is not ap.HALT), max_size=5))
def test_any_message_survives_saving_and_loading(tmp_path_factory, script):
    path = tmp_path_factory.mktemp("any") / "view"
    view = ap.interact(ap.scripted(script), echo, sink=path)
    loaded = ap.View.load(path)
    assert all(map(identical, loaded.messages, view.messages))
    assert all(map(identical, loaded.answers, view.answers))
    assert len(loaded.rounds) == len(view.rounds)
    assert ap.replay(loaded, ap.scripted(script)) == loaded
    saved = path.with_name("again")
    loaded.save(saved)
    assert saved.read_bytes() == path.read_bytes()


# --- damage ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stride", [23, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["view_file", "recording_file"])
def test_a_file_cut_at_any_byte_loads_up_to_its_last_whole_round(kind, stride, request, tmp_path):
    path = request.getfixturevalue(kind)
    raw, whole = path.read_bytes(), ap.View.load(path)
    cut = tmp_path / "cut"
    header = raw.index(b"\n") + 1
    for length in range(0, len(raw), stride):
        cut.write_bytes(raw[:length])
        if length < header:
            with pytest.raises(ap.TranscriptError, match="header"):
                ap.View.load(cut)
            continue
        view = ap.View.load(cut)
        answered = raw[:length].count(b"\n") - 1
        assert not view.complete
        assert view.ending is Ending.OPEN
        assert view.rounds == whole.rounds[: answered // 2]
        if kind == "recording_file":
            recording = Recording.load(cut)
            assert len(recording.tape) == len(view.rounds)
            assert ap.replay(recording) == view
    assert ap.View.load(path).complete


@pytest.mark.parametrize("kind", ["view_file", "recording_file"])
def test_a_changed_byte_never_escapes_as_another_error(kind, request, tmp_path):
    """Every byte flipped: the file is refused, or replays, or differs at a named round."""
    path = request.getfixturevalue(kind)
    raw, changed = path.read_bytes(), tmp_path / "changed"
    for place in range(0, len(raw), sized(17, 1) if len(raw) < 1500 else sized(23, 3)):
        for flip in (1, 0x10):
            changed.write_bytes(raw[:place] + bytes([raw[place] ^ flip]) + raw[place + 1 :])
            reason = "none"
            try:
                loaded = load(changed)
                ap.replay(loaded[1] or loaded[0])
            except (ap.TranscriptError, ap.ReplayMismatch, ap.InvalidArgument) as error:
                reason = str(error)
            assert reason


@pytest.mark.parametrize(
    ("number", "line", "words"),
    [
        (2, {"says": 1, "extra": 2}, "line 2"),
        (2, {"shouts": 1}, "line 2"),
        (2, {"answers": 1}, "line 2"),
        (3, {"says": 1}, "line 3"),
        (3, {"end": "adversary"}, "line 3"),
        (2, [1], "line 2"),
        (2, "{", "line 2"),
        (2, "", "line 2"),
        (2, '{"says": NaN}', "line 2"),
        (2, '{"says": Infinity}', "line 2"),
        (2, '{"says": -Infinity}', "line 2"),
        (2, '{"says": 1e999}', "line 2"),
        (2, '{"says": ' + "9" * 5000 + "}", "line 2"),
        (2, '{"says": ' + "[" * 100_000 + "]" * 100_000 + "}", "line 2"),
        (2, {"says": {"symbol": "TOP", "evil": 1}}, "line 2"),
        (2, {"says": {"symbol": "HALT"}}, "line 2"),
        (2, {"says": {"fraction": "1/0"}}, "line 2"),
        (2, {"says": {"fraction": "1/" + "7" * 5000}}, "line 2"),
        (2, {"says": {"int": "0x" + "f" * 300_000}}, "line 2"),
        (2, {"says": {"array": "", "dtype": "<f8", "shape": [10**9, 10**9]}}, "line 2"),
        (2, {"says": {"type": "os.system/1"}}, "line 2"),
        (2, {"says": {"type": "antiphon.LeakyBit/1", "parameters": {"delta": 7}}}, "line 2"),
        (2, {"says": 1, "draws": 5}, "line 2"),
        (2, {"says": 1, "draws": [["bernoulli", 0.5]]}, "line 2"),
        (2, {"says": 1, "draws": [[1, 2, 3]]}, "line 2"),
        (2, {"says": 1, "draws": [["uniform_integer", 2, {"what": 1}]]}, "line 2"),
        (8, {"end": "boredom"}, "line 8"),
        (8, {"end": "open"}, "line 8"),
        (8, {"end": ["adversary"]}, "line 8"),
        (8, {"end": "mechanism"}, "line 8"),
        (8, {"end": None}, "line 8"),
    ],
    ids=lambda part: str(part)[:30],
)
def test_hand_edits_and_hostile_lines_name_the_line(view_file, number, line, words):
    lines = lines_of(view_file)
    lines[number - 1] = line
    with pytest.raises(ap.TranscriptError, match=words):
        ap.View.load(written(view_file, lines))


def test_lines_after_the_end_are_refused(view_file):
    with pytest.raises(ap.TranscriptError, match="line 9"):
        ap.View.load(written(view_file, [*lines_of(view_file), {"says": 1}]))


@pytest.mark.parametrize(
    "change",
    [
        {"antiphon": 2}, {"antiphon": 0}, {"antiphon": 1.0}, {"antiphon": True}, {"antiphon": "1"},
        {"antiphon": None}, {"kind": "story"}, {"kind": None}, {"seeded": 1}, {"seeded": "no"},
        {"extra": 1}, {"secret": {"system": 1, "initial": None}}, {"secret": 5},
        {"kind": "recording"}, {"kind": "recording", "secret": {"system": 1}},
        {"antiphon": 10**4000},
    ],
    ids=lambda change: str(list(change)),
)  # fmt: skip
def test_headers_are_strict(view_file, change):
    header, *lines = lines_of(view_file)
    with pytest.raises(ap.TranscriptError):
        ap.View.load(written(view_file, [{**json.loads(header), **change}, *lines]))


@pytest.mark.parametrize("missing", ["antiphon", "kind", "adversary", "system", "seeded"])
def test_headers_are_complete(view_file, missing):
    header, *lines = lines_of(view_file)
    header = json.loads(header)
    del header[missing]
    with pytest.raises(ap.TranscriptError):
        ap.View.load(written(view_file, [header, *lines]))


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n", b"\x00" * 100, b"\xff\xfe\n", b"{}\n", b"null\n", b"[]\n", b"PK\x03\x04 no\n",
     b"{" * 10**6 + b"\n"],
    ids=lambda raw: repr(raw[:9]),
)  # fmt: skip
def test_what_is_not_ours_is_a_transcript_error(tmp_path, raw):
    path = tmp_path / "other"
    path.write_bytes(raw)
    with pytest.raises(ap.TranscriptError):
        ap.View.load(path)


def test_no_file_and_a_directory_are_invalid_arguments(tmp_path):
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(ap.InvalidArgument):
            ap.View.load(path)


def test_a_line_without_end_is_refused_unread(tmp_path, view_file, monkeypatch):
    monkeypatch.setattr("antiphon.protocol.records.transcript.MAX_LINE", 5000)
    lines = [lines_of(view_file)[0], json.dumps({"says": "x" * 6000})]
    with pytest.raises(ap.TranscriptError, match="line 2 is longer"):
        ap.View.load(written(view_file, lines))


def test_a_header_naming_an_unknown_or_wrong_party_loads_and_does_not_replay(view_file):
    header, *lines = lines_of(view_file)
    for party, error in [
        ({"type": "nobody.Knows/1"}, ap.TranscriptError),
        ({"type": "antiphon.LeakyBit/1", "parameters": {"delta": 0}}, ap.InvalidArgument),
        ({"type": "antiphon.LeakyBit/1", "parameters": {"delta": 3}}, ap.TranscriptError),
        ({"unregistered": "Mine"}, ap.InvalidArgument),
        ({"chain": [5]}, ap.TranscriptError),
        (5, ap.InvalidArgument),
    ]:
        changed = {**json.loads(header), "adversary": party}
        view = ap.View.load(written(view_file, [changed, *lines]))
        with pytest.raises(error):
            ap.replay(view)
        assert ap.replay(view, dicer) == view


def test_a_hand_edited_message_or_answer_is_found_by_replay(recording_file):
    lines = [json.loads(line) for line in lines_of(recording_file)]
    recording = Recording.load(recording_file)
    for place in range(1, len(lines) - 1):
        tag = "says" if "says" in lines[place] else "answers"
        for value in (12345, {"symbol": "EMPTY"}, {"same": {"ask": [1, 0]}}):
            changed = [*lines[:place], {**lines[place], tag: value}, *lines[place + 1 :]]
            with pytest.raises(ap.ReplayMismatch) as caught:
                ap.replay(Recording.load(written(recording_file, changed)))
            assert caught.value.round in ((place + 1) // 2, (place + 1) // 2 + 1)
            assert caught.value.expected != caught.value.actual
    assert recording.view.complete


def test_rounds_taken_out_or_put_in_are_found_by_replay(recording_file):
    lines = lines_of(recording_file)
    for changed in (lines[:1] + lines[3:], lines[:3] + lines[1:], lines[:-3] + lines[-1:]):
        path = written(recording_file.with_name("changed"), changed)
        with pytest.raises((ap.ReplayMismatch, ap.TranscriptError)):
            ap.replay(Recording.load(path))


def test_no_code_of_the_file_is_run(tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(os, "system", ran.append)
    path = tmp_path / "view"
    ap.interact(ap.scripted([1]), echo, sink=path)
    header, *lines = lines_of(path)
    for evil in (
        "os.system",
        "os.system/1",
        "builtins.eval/1",
        "__import__/1",
        "subprocess.Popen/1",
    ):
        for form in ({"type": evil, "parameters": {"command": "x"}}, {"object": evil}):
            changed = [{**json.loads(header), "adversary": form}, {"says": form}, *lines[1:]]
            with pytest.raises(ap.TranscriptError):
                ap.View.load(written(path, changed))
    assert ran == []


# --- secrets --------------------------------------------------------------------------------


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_recordings_are_for_their_owner_only(tmp_path):
    saved, streamed, existing = (tmp_path / name for name in ("saved", "streamed", "existing"))
    existing.write_text("was here")
    existing.chmod(0o644)
    before = os.umask(0)
    try:
        ap.record(PLAYER, SYSTEM, seed=1).save(saved)
        ap.record(PLAYER, SYSTEM, seed=1, sink=streamed)
        ap.record(PLAYER, SYSTEM, seed=1, sink=existing, overwrite=True)
        ap.interact(PLAYER, SYSTEM, seed=1, sink=tmp_path / "view")
    finally:
        os.umask(before)
    assert [mode(path) for path in (saved, streamed, existing)] == [0o600] * 3
    assert mode(tmp_path / "view") == 0o666
    existing.chmod(0o644)
    ap.record(PLAYER, SYSTEM, seed=1).save(existing, overwrite=True)
    assert mode(existing) == 0o600


def test_a_new_recording_is_never_readable_by_others(tmp_path, monkeypatch):
    """Not even between its creation and the change of its mode."""
    monkeypatch.setattr(os, "fchmod", lambda *_: None)
    before = os.umask(0)
    try:
        ap.record(PLAYER, SYSTEM, seed=1, sink=tmp_path / "recording")
    finally:
        os.umask(before)
    assert mode(tmp_path / "recording") == 0o600


def test_recordings_hold_the_tape_and_the_bit_and_views_do_not(tmp_path):
    for bit in (0, 1):
        recording = ap.record(PLAYER, counterexample_game(0.3).mechanism(bit), seed=1)
        recording.save(tmp_path / "recording", overwrite=True)
        recording.view.save(tmp_path / "view", overwrite=True)
        secret = json.loads(lines_of(tmp_path / "recording")[0])["secret"]
        assert {"bit": bit} in [part.get("parameters") for part in secret["system"]["chain"]]
        assert "bernoulli" in (tmp_path / "recording").read_text()
        text = (tmp_path / "view").read_text()
        assert "bit" not in text.replace("LeakyBit", "")
        assert "bernoulli" not in text
        assert "secret" not in text
        loaded = Recording.load(tmp_path / "recording")
        assert loaded.rebuild_system() == recording.rebuild_system()
        assert ap.replay(loaded) == recording.view
        with pytest.raises(ap.TranscriptError):
            Recording.load(tmp_path / "view")


def test_a_seed_is_in_no_file(tmp_path):
    seed = 987_654_321
    ap.record(dicer, tosser, seed=seed, sink=tmp_path / "recording")
    assert str(seed) not in (tmp_path / "recording").read_text()


# --- sinks ----------------------------------------------------------------------------------


def test_a_save_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "view"
    path.write_text("old")

    @ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Anything())
    def odd(state, message, coins):
        return state, object()

    view = ap.interact(ap.scripted([1]), odd)
    with pytest.raises(ap.InvalidArgument):
        view.save(path, overwrite=True)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_readable_while_it_is_written(tmp_path):
    path, seen = tmp_path / "view", []

    def watch(_):
        view = ap.View.load(path)
        seen.append(len(view.rounds))
        assert not view.complete

    ap.interact(ap.scripted([1, 2, 3]), echo, sink=path, watch=watch)
    assert seen == [1, 2, 3]
    assert ap.View.load(path).complete


def test_a_streamed_view_can_be_saved_over_itself(tmp_path):
    path = tmp_path / "view"
    view = ap.interact(ap.scripted([1, 2, 3]), echo, sink=path)
    before = path.read_bytes()
    view.save(path, overwrite=True)
    assert path.read_bytes() == before


def test_streamed_loading_reads_the_rounds_again(view_file):
    stored, _ = load(view_file, stream=True)
    plain, _ = load(view_file)
    assert stored == plain
    assert len(stored.rounds) == 3
    assert stored.rounds[1] == plain.rounds[1]
    assert stored.rounds[-1] == plain.rounds[-1]
    assert stored.rounds[:2] == plain.rounds[:2]
    assert ap.replay(stored) == plain


CHILD = """
    import sys
    import antiphon as ap

    @ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Integers())
    def echo(state, message, coins):
        return state, message

    @ap.adversary
    def counting(answers, coins):
        return len(answers)

    ap.interact(counting, echo, sink=sys.argv[1], watch=lambda r: print(r.answer, flush=True))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_kill_minus_nine_loses_at_most_the_line_being_written(tmp_path):
    path = tmp_path / "view"
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    try:
        for _ in range(50):  # fifty rounds were reported as finished …
            line = child.stdout.readline()
        time.sleep(0.05)
    finally:
        child.kill()
        child.wait()
    rest = child.stdout.read().splitlines()
    child.stdout.close()
    reported = int(rest[-1] if rest else line) + 1
    view = ap.View.load(path)
    assert not view.complete
    assert len(view.rounds) >= reported >= 50  # … and are all there
    assert view.answers == tuple(range(len(view.rounds)))
    tail = path.read_bytes().splitlines()[1 + 2 * len(view.rounds) :]
    assert len(tail) <= 2


def test_arrays_and_huge_numbers_stream(tmp_path):
    path = tmp_path / "view"
    script = [np.arange(5.0), 10**500, ap.Pair((1, b"x"), Fraction(1, 3)), "\ud800"]
    ap.interact(ap.scripted(script), echo, sink=path)
    loaded = ap.View.load(path)
    assert all(map(identical, loaded.messages, ap.scripted(script).messages))
    raw = json.loads(lines_of(path)[1])["says"]
    assert base64.b64decode(raw["array"]) == np.arange(5.0).tobytes()


def test_a_verifiers_halt_of_an_unwritable_message_is_on_file(tmp_path):
    path = tmp_path / "view"
    game = ap.PrivacyGame(RandomizedResponse(epsilon=1), ap.verifiers.neighbouring_start())
    player = ap.adversary(lambda answers, coins: {1, 2})
    ap.interact(player, game.mechanism(0), sink=path)
    assert json.loads(lines_of(path)[1]) == {"says": {"unregistered": "set"}}
    loaded = ap.View.load(path)
    assert loaded.answers == (ap.HALT,)
    assert ap.replay(loaded, player) == loaded
