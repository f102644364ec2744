"""Boards that are killed go on, and count every row once."""

import os
import shutil

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
    counting().open(folder).close()
    for other in ({"epsilon": 2}, {"per_user": 3}, {"zone": "Europe/Paris"}, {"lateness": "1 day"}):
        with pytest.raises(InvalidArgument, match="another board"):
            counting(**other).open(folder)
    counting().open(folder).close()


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


def test_a_log_that_is_gone_is_not_begun_again(tmp_path):
    path, folder = csv(tmp_path, ROWS), tmp_path / "board"
    fed(counting(), folder, path)
    (folder / running.LOG).unlink()
    with pytest.raises(InvalidArgument, match="bring it back"):
        counting().open(folder)


def test_files_with_rows_in_them_are_the_owners(tmp_path):
    fed(counting(), tmp_path / "board", csv(tmp_path, ROWS))
    for name in (running.LOG, running.INBOX):
        assert (tmp_path / "board" / name).stat().st_mode & 0o077 == 0


def test_an_inbox_that_is_none(tmp_path):
    (tmp_path / running.INBOX).write_text("not a base of data at all, but a text")
    with pytest.raises(ap.FileError, match="inbox"):
        counting().open(tmp_path)
