"""Boards that are killed go on, and count every row once."""

import os
import shutil
from functools import partial

import pytest
from making import counting, csv, dies, kill
from trying import over

import antiphon as ap
from antiphon import InvalidArgument
from antiphon.boards import live as running
from antiphon.boards.inbox import Inbox
from antiphon.sessions.durable.durable_session import DurableSession

ROWS = [f"2026-01-{day:02d},u{user},{'FR' if user % 2 else 'DE'}"
        for day in range(1, 6) for user in range(7)]  # fmt: skip
EXACT = ((3, 4),) * 5


def fed(board, folder, path):
    with board.open(folder) as live:
        live.feed(path, until="2026-01-06")
        return live.ask("window").values


def nth(times, method):
    """The method, which kills its process at the n-th call, before it or (-n) after its work."""
    calls = [0]

    def called(*given, **named):
        calls[0] += 1
        if calls[0] == abs(times) and times > 0:
            kill()
        done = method(*given, **named)
        if calls[0] == -times:
            kill()
        return done

    return called


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a fork of the process")
@over(
    "where, name, times",
    [
        (Inbox, "add", -1),  # rows are in, and not committed
        (Inbox, "shut", -1),  # windows are closed, and not committed
        (running.LiveBoard, "_catch_up", 2),  # committed, and nothing told
        (Inbox, "batch", 3),  # in the middle of the windows
        (DurableSession, "_answer", -3),  # counted, and the answer not on the disk
        (DurableSession, "settle", -1),  # all are on the disk, and no answer is kept
        (Inbox, "tell", -4),
    ],
)
def test_after_a_kill_every_row_counts_once(tmp_path_factory, where, name, times):
    tmp_path = tmp_path_factory.mktemp("killed")
    board, path = counting(), csv(tmp_path, ROWS)

    def run():
        setattr(where, name, nth(times, getattr(where, name)))
        fed(board, tmp_path / "board", path)

    assert dies(run)
    assert fed(board, tmp_path / "board", path) == EXACT
    assert fed(board, tmp_path / "board", path) == EXACT


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a fork of the process")
def test_what_was_told_stays_as_it_was_told(tmp_path):
    board, path, folder = counting(epsilon=1), csv(tmp_path, ROWS), tmp_path / "board"
    with board.open(folder) as live:
        live.feed(path, until="2026-01-03")
        first = live.ask().values

    def run():
        DurableSession.settle = nth(-1, DurableSession.settle)
        fed(board, folder, path)

    assert dies(run)
    with board.open(folder) as live:
        assert live.feed(until="2026-01-06").told == 3
        second = live.ask().values
    assert second[:2] == first
    assert len(second) == 5
    with ap.sessions.durable.resuming.resume(folder / running.LOG) as session:
        assert session.last.answer == second[-1]


def test_another_board_does_not_live_there(tmp_path):
    folder = tmp_path / "board"
    with counting().open(folder) as live:
        live.feed(until="2026-01-02")
    for other in ({"epsilon": 2}, {"per_user": 3}, {"zone": "Europe/Paris"}, {"lateness": "1 day"}):
        with pytest.raises(InvalidArgument, match="another board"):
            counting(**other).open(folder)
    counting().open(folder).close()


def test_a_feed_that_failed_founds_no_board(tmp_path):
    """Its rows are not in, and its counters got no message: other parameters may come."""
    folder, bad = tmp_path / "board", csv(tmp_path, ["2026-01-01,,FR"], "bad.csv")
    with counting().open(folder) as live, pytest.raises(InvalidArgument):
        live.feed(bad, until="2026-01-02")
    other = counting(row="user", epsilon=2)
    with counting().open(folder), pytest.raises(ap.FileError, match="in use"):
        other.open(folder)
    with other.open(folder) as live:
        live.feed(csv(tmp_path, ROWS[:3]), until="2026-01-01")
    with pytest.raises(InvalidArgument, match="spent no ε: remove the folder"):
        counting().open(folder)
    with other.open(folder) as live:
        assert live.feed(until="2026-01-03").told == 2
    with pytest.raises(InvalidArgument, match="its ε is then spent besides"):
        counting().open(folder)


def test_two_do_not_run_one_board(tmp_path):
    with counting().open(tmp_path / "b"), pytest.raises(ap.FileError, match="in use"):
        counting().open(tmp_path / "b")


def test_a_moved_board_goes_on_after_one_word(tmp_path):
    path = csv(tmp_path, ROWS)
    with counting().open(tmp_path / "here") as live:
        live.feed(path, until="2026-01-03")
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    shutil.rmtree(tmp_path / "here")
    with pytest.raises(ap.ResumeError, match="moved=True"):
        counting().open(tmp_path / "there")
    with counting().open(tmp_path / "there", moved=True) as live:
        live.feed(path, until="2026-01-06")
        assert live.ask("window").values == EXACT


def test_a_folder_that_is_renamed_is_no_copy(tmp_path):
    """No word is asked for: the very files go on, and nothing is left where they were."""
    path = csv(tmp_path, ROWS)
    with counting().open(tmp_path / "here") as live:
        live.feed(path, until="2026-01-03")
    (tmp_path / "here").rename(tmp_path / "there")
    with counting().open(tmp_path / "there") as live:
        live.feed(path, until="2026-01-06")
        assert live.ask("window").values == EXACT


def test_a_log_that_is_gone_is_not_begun_again(tmp_path):
    path, folder = csv(tmp_path, ROWS), tmp_path / "board"
    fed(counting(), folder, path)
    (folder / running.LOG).unlink()
    with pytest.raises(InvalidArgument, match="bring it back"):
        counting().open(folder)


@over("engine, older", [("rows", False), ("rows", True), ("duckdb", False)])
def test_an_inbox_that_is_gone_is_asked_for_or_fed_again(tmp_path_factory, engine, older):
    """The very same files give the very same numbers; others are refused, and count nothing."""
    place = tmp_path_factory.mktemp("lost")
    folder, page = place / "board", place / "page.html"
    board, path = counting(epsilon=1, engine=engine), csv(place, ROWS)
    other = csv(place, ["2026-01-04,eve,FR"], "other.csv")
    with board.open(folder) as live:
        live.feed(path, until="2026-01-03")
        before = (folder / running.INBOX).read_bytes()
        live.feed(path, until="2026-01-06")
        told = live.ask().values
    (folder / running.INBOX).unlink()
    if older:
        (folder / running.INBOX).write_bytes(before)
    wanted = "inbox.sqlite is gone, or an older copy: the session has told 5 windows. Bring it back"
    with board.open(folder) as live:
        until = partial(live.feed, other, until="2026-01-06")
        for asked in (live.ask, live.status, partial(live.page, page), until):
            with pytest.raises(ap.FileError, match=wanted):
                asked()
    with board.open(folder) as live:  # nothing of the other file was taken
        live.feed(path, until="2026-01-04")
        with pytest.raises(ap.FileError, match=wanted):
            live.ask()
        live.feed(path, until="2026-01-08")
        assert live.ask().values[:5] == told
        assert (live.windows, live.status().rows) == (7, len(ROWS))


def test_only_an_open_that_may_begin_begins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, folder = csv(tmp_path, ROWS), tmp_path / "board"
    wanted = rf"no board in {folder} yet.*ε = 1e\+06, again.*board\.open\(folder, begin=True\)"
    for _ in range(2):
        with pytest.raises(ap.FileError, match=wanted):
            counting().open(folder.name, begin=False)
        assert not folder.exists() or not list(folder.iterdir())
        folder.mkdir(exist_ok=True)
    fed(counting(), folder, path)
    with counting().open(folder, begin=False) as live:
        assert live.ask("window").values == EXACT


def test_files_with_rows_in_them_are_the_owners(tmp_path):
    fed(counting(), tmp_path / "board", csv(tmp_path, ROWS))
    for name in (running.LOG, running.INBOX):
        assert (tmp_path / "board" / name).stat().st_mode & 0o077 == 0


def test_an_inbox_that_is_none(tmp_path):
    (tmp_path / running.INBOX).write_text("not a base of data at all, but a text")
    with pytest.raises(ap.FileError, match="inbox"):
        counting().open(tmp_path)


class TestPurge:
    def test_what_was_told_is_gone_from_the_files_and_counts_once(self, tmp_path):
        board, folder = counting(), tmp_path / "board"
        rows = ["2026-01-01,canary,FR", "2026-01-01,swan,DE", "2026-01-05,heron,FR"]
        path = csv(tmp_path, rows)
        with board.open(folder) as live:
            live.feed(path, until="2026-01-03")
            assert (live.purge(), live.purge()) == (2, 0)
        held = b"".join(each.read_bytes() for each in folder.iterdir())
        assert (b"canary" in held, b"swan" in held, b"heron" in held) == (False, False, True)
        with board.open(folder) as live:
            fed = live.feed(path, until="2026-01-06")
            assert (fed.new, fed.again) == (0, 3)
            assert live.ask("window").values == ((1, 1), (0, 0), (0, 0), (0, 0), (1, 0))
            other = csv(tmp_path, ["2026-01-01,magpie,FR", *rows[1:]])
            with pytest.raises(InvalidArgument, match="line 2: another row"):
                live.feed(other, until="2026-01-06")

    def test_where_rows_count_in_total_who_was_kept_is_remembered(self, tmp_path):
        board = counting(per="total", unit="user", per_user=1)
        with board.open(tmp_path / "board") as live:
            live.feed(csv(tmp_path, ["2026-01-01,ada,FR"]), until="2026-01-02")
            assert live.purge() == 1
        with board.open(tmp_path / "board") as live:
            live.feed(csv(tmp_path, ["2026-01-02,ada,FR"], "more.csv"), until="2026-01-03")
            assert live.ask("window").values == ((1, 0), (0, 0))

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a fork of the process")
    @over("where, name, times", [(DurableSession, "compact", -1), (Inbox, "_hash", 3)])
    def test_a_kill_in_the_middle_of_it_loses_nothing(self, tmp_path_factory, where, name, times):
        tmp_path = tmp_path_factory.mktemp("killed")
        board, path, folder = counting(), csv(tmp_path, ROWS), tmp_path / "board"

        def run():
            with board.open(folder) as live:
                live.feed(path, until="2026-01-04")
                setattr(where, name, nth(times, getattr(where, name)))
                live.purge()

        assert dies(run)
        assert fed(board, folder, path) == EXACT
        with board.open(folder) as live:
            assert live.purge() == len(ROWS)
            assert live.feed(path, until="2026-01-06").again == len(ROWS)


def test_single_windows_err_less_where_the_board_is_for_them(tmp_path):
    """Each has noise of its own: n = 400 windows, and at most 40 beyond its bound at 95 %."""
    boards = [counting(epsilon=1, horizon=400, best=best) for best in ("window", "total")]
    by_window, by_total = (board.start(seed=2) for board in boards)
    for live in (by_window, by_total):
        live.feed(until="2027-02-05")
    found, other = by_window.ask("window"), by_total.ask("window")
    assert found.errors[9] <= other.errors[9] / 2
    assert found.errors == (6,) * 400
    assert sum(abs(each) > found.errors[0] for each in found.of("FR")) <= 40
    assert sum(abs(each) > found.errors[0] / 3 for each in found.of("FR")) > 40
    week = by_window.ask("sliding", last=7)
    assert week.errors[50] == boards[0].error(6)
    assert by_window.ask().errors[399] > by_total.ask().errors[399]
    assert [each.guarantee().epsilon_at(0) for each in boards] == [1.0, 1.0]
    for best in ("day", 0, 2.5, True):
        with pytest.raises(InvalidArgument, match="best"):
            counting(best=best)


def test_a_week_errs_less_where_the_board_is_for_weeks():
    """ε = 1, 400 windows: the tree made for 7 of them, and the buffers at δ = 10⁻⁶."""
    week, total = (counting(epsilon=1, horizon=400, best=best) for best in (7, "total"))
    both = counting(epsilon=1, horizon=400, best=7, delta=1e-6, per_user=4)
    assert (week.counter.levels, week.gaussian) == (1, None)
    assert 19 * week.error_of(399, 7) < 10 * total.error_of(399, 7)
    assert week.error_of(399, 400) > total.error_of(399, 400)
    for board in (week, total, both):
        since = (board.gaussian or board.counter).error_bound(400, since=393, beta=0.05)
        assert -1e-6 < board.error_of(399, 7) - since <= 1
        assert f"error of {'7 windows' if board.best == 7 else 'a total'}" in str(board)
    live = week.start(seed=2)
    live.feed(until="2027-02-05")
    errors = [abs(each) > week.error_of(399, 7) for each in live.ask("sliding", last=7).of("FR")]
    assert sum(errors) <= 40
