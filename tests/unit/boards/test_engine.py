"""Boards whose rows DuckDB bounds: they count as boards that read row by row."""

import os
from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import DAYS, counting, csv, dies, kill, summing
from trying import examples, over, sized

import antiphon as ap
from antiphon import InvalidArgument, MissingExtra
from antiphon.boards import BadRow
from antiphon.boards.engine import Grouping
from antiphon.boards.inbox import Inbox
from antiphon.boards.intake import EngineIntake
from antiphon.protocol import Status

pytest.importorskip("duckdb", reason="the extra duckdb")
START = datetime(2026, 1, 1)
HEAD = "amount,key,user,time\n"
KEYS = ("a", "b c", "é")

moments = st.integers(2 * 60, 5 * 24 * 60 - 1).map(
    lambda minutes: START + timedelta(minutes=minutes)
)
forms = st.sampled_from(
    ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y%m%dT%H%M",
     "%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M:%S+00:00", "%Y-%m-%dT%H:%M+01:30"]
)  # fmt: skip
users = st.sampled_from(["u", "v", '"w, x"', "'", "ü", "1"])
keys = st.sampled_from([*KEYS, "other", "", '"a"', " a"])
amounts = st.sampled_from(["3", "0", "007", "99999999999", "-4", "2.5", "1e2", '"7"', "٣", "3.49"])
lines = st.lists(st.tuples(amounts, keys, users, st.builds(datetime.strftime, moments, forms)))
good = lines.map(lambda rows: [",".join(row) for row in rows])


def both(**more):
    """The same board twice: row by row, and by DuckDB."""
    given_ = {"by": "key", "keys": KEYS, "others": "rest", "low": -2, "high": 40, **more}
    return [summing(**given_, engine=each) for each in ("rows", "duckdb")]


@given(st.lists(good, min_size=1, max_size=3), st.integers(1, 3), st.data())
@examples(3)
def test_random_files_count_as_they_do_row_by_row(tmp_path_factory, files, per_user, data):
    folder = tmp_path_factory.mktemp("files")
    step = data.draw(st.sampled_from([1, Fraction(1, 2)]))
    zone = data.draw(st.sampled_from(["UTC", "Asia/Kolkata"]))
    every = data.draw(st.sampled_from(["day", "7 hours"]))
    paths = [csv(folder, rows, f"{n}.csv", HEAD) for n, rows in enumerate(files)]
    until = data.draw(st.sampled_from(["2026-01-03", "2026-01-07"]))
    told = []
    for board in both(per_user=per_user, step=step, zone=zone, every=every, horizon=24):
        live = board.start(seed=1)
        fed = [live.feed(*paths, until=until), live.feed(*paths, until="2026-01-08")]
        told.append((live.ask("window").values, fed[0].waiting, fed[0].told, fed[1].told))
    assert told[0] == told[1]


@over("name", ["rows", "duckdb"])
def test_the_first_rows_count_by_time_then_file_then_line(tmp_path, name):
    board = summing(per_user=1, engine=name)
    head = "time,user,amount\n"
    one = csv(tmp_path, ["2026-01-01,ada,5", "2026-01-01,ada,6"], "one.csv", head)
    two = csv(tmp_path, ["2026-01-01,ada,7", "2026-01-01T00:00:01,bob,1"], "two.csv", head)
    live = board.start(seed=1)
    live.feed(two, one, until="2026-01-02")
    assert live.ask("window").values == ((8,),)


def test_what_is_promised_is_the_same_but_assumed():
    boards = [counting(epsilon=1, engine=each) for each in ("rows", "duckdb")]
    by_rows, by_duckdb = (board.guarantee() for board in boards)
    assert by_rows.epsilon_at(0) == by_duckdb.epsilon_at(0) == 1.0
    assert (by_rows.status, by_duckdb.status) == (Status.PROVED, Status.ASSUMED)
    statement = boards[1].statement()
    assert not statement.proved
    assert "all rows of one user in one window" in statement.of("Who is protected")[0]
    assert "DuckDB keeps, clips and sums" in statement.of("What is assumed")[0]


def test_a_window_is_of_one_feed_and_known_again(tmp_path):
    live = counting(engine="duckdb").start(seed=1)
    path = csv(tmp_path, DAYS)
    fed = live.feed(path, until="2026-01-03")
    assert (fed.new, fed.again, fed.told, fed.waiting) == (4, 0, 2, 1)
    fed = live.feed(csv(tmp_path, DAYS[::-1], "again.csv"), until="2026-01-05")
    assert (fed.new, fed.again, fed.told) == (1, 4, 2)
    assert live.ask("window").values == ((1, 1), (1, 0), (0, 0), (1, 0))
    more = csv(tmp_path, [*DAYS, "2026-01-02,cyd,FR"], "more.csv")
    with pytest.raises(BadRow, match=r"more.csv, line 5: its window is closed"):
        live.feed(more, until="2026-01-06")
    assert live.windows == 4
    fed = live.feed(more, until="2026-01-06", late="leave out")
    assert (fed.new, fed.again, fed.late, fed.told) == (0, 4, 2, 1)
    assert live.status().rows == 5


BAD_ROWS = [
    ("2026-01-01,,FR", "no user"),
    ("2026-01-01,ada", "cells"),
    ("2026-01-01,ada,FR,1", "cells"),
    ("2026-01-01,ada,IT", "key is none"),
    ("yesterday,ada,FR", "time is none"),
    ("2026-02-30,ada,FR", "time is none"),
    ("2026-01-01T24:01,ada,FR", "time is none"),
    ("2025-12-31,ada,FR", "none of the board's windows"),
    ("2026-01-11,ada,FR", "none of the board's windows"),
    (f"2026-01-01,{'a' * 201},FR", "user"),
    ("2026-01-01,a\u0007,FR", "user"),
    ('2026-01-01,"ada,FR', "no CSV file"),
]


@over("line, said", sized(BAD_ROWS[::3], BAD_ROWS))
def test_a_bad_row_is_named_and_nothing_is_half_counted(tmp_path, line, said):
    live = counting(engine="duckdb").start(seed=1)
    fine = csv(tmp_path, DAYS, "good.csv")
    with pytest.raises(InvalidArgument, match=said) as found:
        live.feed(fine, csv(tmp_path, [DAYS[0], line], "bad.csv"), until="2026-01-03")
    if said != "no CSV file":
        assert (found.value.file, found.value.line) == ("bad.csv", 3)
    assert (live.status().rows, live.windows) == (0, 0)
    assert live.feed(fine, until="2026-01-03").told == 2


@over("cell", sized(["inf", ""], ["nan", "inf", "twelve", ""]))
def test_a_bad_amount_is_named(tmp_path, cell):
    for step in (1, Fraction(1, 4)):
        live = summing(engine="duckdb", step=step).start(seed=1)
        path = csv(tmp_path, [f"2026-01-01,ada,{cell}"], head="time,user,amount\n")
        with pytest.raises(BadRow, match="line 2: its amount"):
            live.feed(path, until="2026-01-03")


def test_it_takes_files_only_and_no_board_that_remembers(tmp_path):
    live = counting(engine="duckdb").start(seed=1)
    path = csv(tmp_path, DAYS)
    for sources in ([[("2026-01-01", "ada", "FR")]], [path, path], [tmp_path / "*.csv"]):
        with pytest.raises(InvalidArgument):
            live.feed(*sources, until="2026-01-03")
    with pytest.raises(ap.FileError):
        live.feed(tmp_path / "none.csv", until="2026-01-03")
    for more in ({"per": "total", "unit": "user"}, {"row": "id"}):
        with pytest.raises(InvalidArgument, match="keeps no rows"):
            counting(engine="duckdb", **more)
    with pytest.raises(InvalidArgument, match="engine"):
        counting(engine="spark")
    assert live.feed(until="2026-01-03").told == 2


def test_without_duckdb_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(MissingExtra, match="duckdb"):
        counting(engine="duckdb").start(seed=1).feed(csv(tmp_path, DAYS), until="2026-01-03")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a fork of the process")
@over("where, name", [(Grouping, "_sums"), (EngineIntake, "message"), (Inbox, "tell")])
def test_after_a_kill_every_row_counts_once_and_none_is_left_on_the_disk(
    tmp_path_factory, where, name
):
    tmp_path = tmp_path_factory.mktemp("killed")
    board, path = counting(engine="duckdb"), csv(tmp_path, DAYS)

    def fed():
        with board.open(tmp_path / "board") as live:
            live.feed(path, until="2026-01-06")
            return live.ask("window").values

    def run():
        setattr(where, name, kill)
        fed()

    assert dies(run)
    board.open(tmp_path / "board").close()
    assert not (tmp_path / "board" / "spill").exists()
    assert fed() == ((1, 1), (1, 0), (0, 0), (1, 0), (0, 0))
    held = b"".join(each.read_bytes() for each in (tmp_path / "board").iterdir())
    assert b"bob" not in held
