"""Boards: definitions, feeding, answers."""

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import DAYS, HEAD, SURE, counting, csv, summing
from trying import over

import antiphon as ap
from antiphon import InvalidArgument
from antiphon.boards import BadRow, BoardSeries, SingleRow, SingleUser, SingleUserWindow, VectorSums
from antiphon.boards.board import counter_for
from antiphon.boards.clock import Clock, public_time, span
from antiphon.boards.series import series
from antiphon.mechanisms import BalancedTreeCounter, TreeCounter
from antiphon.numbers.rounded_text import band
from antiphon.protocol import Status


class TestDefinition:
    def test_the_guarantee_is_derived_and_proved(self):
        promise = counting(epsilon=1, per_user=3).guarantee()
        assert promise.status is Status.PROVED
        assert promise.epsilon_at(0) == 1.0
        assert promise.theorem == "CM Thm 6.1"
        assert promise.derivation.parts[0].theorem.startswith("Theorem T1")
        assert type(promise.verification) is SingleUserWindow

    @over(
        "unit, neighbours, per, units, kind",
        [
            ("user-window", "added or removed", "window", 2, SingleUserWindow),
            ("user-window", "added or removed", "total", 4, SingleUserWindow),
            ("user-window", "replaced", "window", 4, SingleUserWindow),
            ("user", "added or removed", "total", 2, SingleUser),
            ("user", "added or removed", "window", 20, SingleUser),
            ("user", "replaced", "total", 4, SingleUser),
            ("row", "added or removed", "window", 2, SingleRow),
            ("row", "changed", "window", 2, SingleRow),
            ("row", "replaced", "window", 4, SingleRow),
        ],
    )
    def test_each_unit_by_its_name_costs_the_same_in_all(self, unit, neighbours, per, units, kind):
        board = counting(unit=unit, neighbours=neighbours, per=per, epsilon=1)
        assert board.sums.units == units
        assert board.counter.epsilon == Fraction(1, units)
        promise = board.guarantee()
        assert (promise.epsilon_at(0), promise.status) == (1.0, Status.PROVED)
        assert type(promise.verification) is kind

    def test_the_figure_is_not_the_boards_word(self):
        """A counter at a larger ε than the board says makes a larger figure."""
        board = counting(epsilon=1)
        twin = board._sums(counter_for(10, Fraction(3), "total"))
        assert ap.guarantee(ap.composition.ComplexMechanism(twin)).epsilon_at(0) == 6.0

    def test_rows_without_users(self):
        board = counting(user=None, per_user=None, unit="row", epsilon=1)
        assert board.sums.units == 1
        with pytest.raises(InvalidArgument, match="no user"):
            counting(user=None, per_user=None)
        with pytest.raises(InvalidArgument, match="per_user"):
            counting(user=None)

    def test_sums_count_in_steps_and_noise_goes_with_the_range(self):
        board = summing(epsilon=1, low=-20, high=10, step=Fraction(1, 2))
        assert (board.columns.low, board.columns.high, board.sums.units) == (-40, 20, 80)
        assert board.guarantee().epsilon_at(0) == 1.0
        assert summing(epsilon=1).error(3) > 100 * counting(epsilon=1).error(3)

    def test_the_counter_has_the_least_error_of_those_there_are(self):
        for horizon in (1, 2, 7, 365, 4000):
            found = counter_for(horizon, Fraction(1), "total")
            for kind in (TreeCounter, BalancedTreeCounter):
                other = kind(horizon=horizon, epsilon=1, sensitivity=1, clip=True)
                assert found.max_squared_error <= other.max_squared_error

    @over(
        "given_, said",
        [
            ({"keys": None}, "list the keys"),
            ({"keys": "FR"}, "list the keys"),
            ({"keys": ["FR", "FR"]}, "different"),
            ({"keys": []}, "at least one"),
            ({"by": None}, "by="),
            ({"unit": "person"}, "no such unit"),
            ({"neighbours": "changed"}, "no such unit"),
            ({"per": "life"}, "window"),
            ({"every": "fortnight"}, "6 hours"),
            ({"every": "0 days"}, "longer than 0"),
            ({"start": "soon"}, "start"),
            ({"start": "2026-01-01T00:00+01:00"}, "offset"),
            ({"zone": "Mars/Base"}, "zone"),
            ({"horizon": 0}, "horizon"),
            ({"horizon": 10**9}, "calendar"),
            ({"epsilon": 0}, "epsilon"),
            ({"per_user": 0}, "per_user"),
            ({"user": ""}, "user is a text"),
            ({"user": 7}, "user is a text, not an int"),
            ({"by": ("country", "device")}, "by='both'"),
            ({"keys": [("FR", "phone"), ("DE", "phone")]}, "make one of both"),
            ({"horizon": np.int64(9)}, r"write int\(x\)"),
            ({"epsilon": np.float32(1)}, r"write float\(x\)"),
            ({"best": np.int64(7)}, r"write int\(x\)"),
            ({"lateness": "-1 days"}, "lateness"),
        ],
    )
    def test_what_is_no_board_is_refused(self, given_, said):
        with pytest.raises(InvalidArgument, match=said):
            counting(**given_)

    def test_a_call_with_other_parameters_is_shown_one_that_fits(self):
        for call, write in (
            (lambda: ap.boards.counts("country"), r"write ap\.boards\.counts\(by="),
            (lambda: counting(column="x"), r"write ap\.boards\.counts\(by="),
            (
                lambda: ap.boards.sums("amount", epsilon=1),
                r"write ap\.boards\.sums\(.amount., low=",
            ),
        ):
            with pytest.raises(InvalidArgument, match=write):
                call()

    @over("low, high, step", [(0, 0, 1), (5, 4, 1), (0, 1, 2), (0, 2**41, 1), (0, math.nan, 1)])
    def test_what_are_no_bounds_is_refused(self, low, high, step):
        with pytest.raises(InvalidArgument):
            summing(low=low, high=high, step=step)


class TestFeeding:
    def test_first_rows_of_a_user_in_a_window_count(self, tmp_path):
        live = counting().start(seed=1)
        fed = live.feed(csv(tmp_path, DAYS), until="2026-01-04")
        assert (fed.new, fed.again, fed.told, fed.waiting) == (5, 0, 3, 1)
        assert live.ask("window").values == ((1, 1), (1, 0), (0, 0))
        live.feed(until="2026-01-05")
        assert live.ask("total").of("FR") == (1, 2, 2, 3)
        assert live.ask("sliding", last=2).of("FR") == (1, 2, 1, 1)

    def test_bounds_by_time_and_not_by_the_order_of_lines(self, tmp_path):
        live = counting(per_user=1).start(seed=1)
        live.feed(csv(tmp_path, DAYS[:3][::-1]), until="2026-01-02")
        assert live.ask("window").values == ((1, 0),)

    def test_in_total_a_user_counts_so_often_and_no_more(self, tmp_path):
        live = counting(per="total", unit="user").start(seed=1)
        live.feed(csv(tmp_path, DAYS), until="2026-01-05")
        assert live.ask("window").values == ((1, 1), (1, 0), (0, 0), (0, 0))

    def test_rows_come_in_any_order_and_once(self, tmp_path):
        live = counting(row="id").start(seed=1)
        rows = [f"{row},{number}" for number, row in enumerate(DAYS)]
        head = "time,user,country,id\n"
        one = csv(tmp_path, rows[3:] + rows[:1], "a.csv", head)
        two = csv(tmp_path, rows, "b.csv", head)
        assert live.feed(one, until="2026-01-01").new == 3
        fed = live.feed(two, one, until="2026-01-03")
        assert (fed.new, fed.again) == (2, 6)
        assert live.ask("window").values == ((1, 1), (1, 0))
        assert live.feed(two, until="2026-01-03").new == 0  # closed windows, but known rows

    def test_a_late_row_waits_for_nobody_but_the_lateness(self, tmp_path):
        live = counting(lateness="2 days").start(seed=1)
        assert live.feed(until="2026-01-03").told == 0
        late = csv(tmp_path, ["2026-01-01,ada,FR"], "late.csv")
        assert live.feed(late, until="2026-01-03").new == 1
        assert live.feed(until="2026-01-04").told == 2 - 1
        later = csv(tmp_path, ["2026-01-02,ada,FR", "2026-01-01,bob,FR"], "later.csv")
        with pytest.raises(BadRow, match=r"line 3.*lateness") as found:
            live.feed(later, until="2026-01-04")
        assert (found.value.file, found.value.line) == ("later.csv", 3)
        assert live.status().rows == 1
        fed = live.feed(later, until="2026-01-04", late="leave out")
        assert (fed.new, fed.late) == (1, 1)
        assert "1 too late and left out" in str(fed)
        with pytest.raises(InvalidArgument, match="late"):
            live.feed(late="drop")

    def test_a_late_row_counts_in_the_window_that_is_open_if_the_board_says_so(self, tmp_path):
        board = counting(late="next window")
        live = board.start(seed=1)
        live.feed(csv(tmp_path, DAYS[:1]), until="2026-01-03")
        rows = ["2026-01-01,bob,FR", "2026-01-03,bob,DE", "2026-01-02,bob,DE", "2026-01-03,bob,FR"]
        late = csv(tmp_path, rows, "late.csv")
        assert live.feed(late, until="2026-01-03").new == 4
        assert live.feed(late, until="2026-01-05").again == 4
        assert live.ask("window").values == ((1, 0), (0, 0), (1, 1), (0, 0))  # the first two of bob
        assert live.feed(late, until="2026-01-05").again == 4
        other = csv(tmp_path, ["2026-01-02,bob,FR", *rows[1:]], "late.csv")
        with pytest.raises(BadRow, match="line 2: another row"):
            live.feed(other, until="2026-01-05")
        more = csv(tmp_path, ["2026-01-01,cyd,FR"], "more.csv")
        assert live.feed(more, until="2026-01-05", late="leave out").late == 1
        live.feed(until="2026-01-11")
        with pytest.raises(BadRow, match="closed"):
            live.feed(csv(tmp_path, ["2026-01-01,eve,FR"], "last.csv"), until="2026-01-11")
        said = "counts in the first window that was not published by then, or, if its feed says so"
        assert said in "".join(board.statement().of("What is told"))
        assert "count in d windows" in str(board.statement())
        assert "count in d windows" not in str(counting().statement())

    def test_what_no_board_says_of_late_rows(self):
        for more in ({"late": "drop"}, {"late": "next window", "engine": "duckdb"}):
            with pytest.raises(InvalidArgument, match="late"):
                counting(**more)
        with pytest.raises(InvalidArgument, match="late"):
            counting().start(seed=1).feed(late="next window")

    def test_a_frame_is_a_source(self):
        frame = pd.DataFrame(
            {"time": ["2026-01-01", "2026-01-02"], "user": [7, 8], "country": ["FR", "DE"],
             "amount": [5, 700.0]}
        )  # fmt: skip
        board = summing(by="country", keys=["FR", "DE"])
        live = board.start(seed=1)
        live.feed(ap.stream(frame, board.columns.names), name="january", until="2026-01-03")
        assert live.ask("window").values == ((5, 0), (0, 500))
        with pytest.raises(InvalidArgument, match="name="):
            live.feed(ap.stream(frame, board.columns.names), until="2026-01-03")

    def test_a_frame_itself_is_told_how_to_come(self):
        frame = pd.DataFrame({"time": ["2026-01-01"], "user": [7], "country": ["FR"]})
        for source in (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy()):
            with pytest.raises(InvalidArgument, match=r"live\.feed\(ap\.stream\(frame"):
                counting().start(seed=1).feed(source, bad="leave out", until="2026-01-02")

    def test_a_list_of_files_is_told_how_to_come(self, tmp_path):
        live, path = counting().start(seed=1), csv(tmp_path, DAYS)
        for paths in ([path], [str(path)], (path, path)):
            with pytest.raises(InvalidArgument, match=r"live\.feed\(\*paths\)"):
                live.feed(paths, name="f", bad="leave out", until="2026-01-03")
        assert live.windows == 0

    def test_after_its_block_a_board_says_that_it_is_closed(self, tmp_path):
        with counting().open(tmp_path / "b") as live:
            live.feed(until="2026-01-02")
        for late in (live.ask, live.status, live.feed, lambda: str(live)):
            with pytest.raises(ap.ProtocolError, match=r"with board\.open\(folder\) as live"):
                late()
        live.close()

    def test_missing_cells_of_a_frame_are_those_of_a_csv_file(self, tmp_path):
        frame = pd.DataFrame(
            {"time": ["2026-01-01", None, "2026-01-02", "2026-01-02", "2026-01-02"],
             "user": ["ada", "bob", None, "eve", "bob"],
             "country": ["FR", "FR", "FR", None, "DE"]}
        )  # fmt: skip
        frame = pd.concat([frame, frame[4:], frame[4:]])
        frame.to_csv(tmp_path / "f.csv", index=False)
        for others, bad in ((None, 3), ("else", 2)):
            told = []
            for framed in (True, False):
                live = counting(others=others).start(seed=1)
                rows = ap.stream(frame, live.board.columns.names, missing="")
                source = rows if framed else tmp_path / "f.csv"
                fed = live.feed(source, name="f", bad="leave out", until="2026-01-03")
                told.append((fed, live.ask().values))
            assert told[0] == told[1]
            assert told[0][0].bad == bad
        live = counting().start(seed=1)
        rows = ap.stream(frame, live.board.columns.names)
        with pytest.raises(InvalidArgument, match="missing=''"):
            live.feed(rows, name="f", bad="leave out", until="2026-01-03")
        assert live.status().rows == 0

    def test_a_key_of_two_cells_is_told_to_be_one_text(self):
        for more in ({}, {"others": "else"}, {"keys": ap.boards.discovered(delta=1e-6)}):
            rows = [("2026-01-01", "ada", ("FR", "phone"))]
            with pytest.raises(BadRow, match="its key is a tuple: a key is one text"):
                counting(epsilon=1, **more).start(seed=1).feed(rows, name="f", until="2026-01-02")

    def test_one_row_a_user_counts_different_users(self, tmp_path):
        """On the first day there is one user, ada, who comes thrice; bob comes on the second."""
        path = csv(tmp_path, DAYS)
        daily = counting(by=None, keys=None, per_user=1).start(seed=1)
        daily.feed(path, until="2026-01-05")
        assert daily.ask("window").of("all") == (1, 1, 0, 1)
        ever = counting(by=None, keys=None, per_user=1, per="total", unit="user").start(seed=1)
        ever.feed(path, until="2026-01-05")
        assert ever.ask("total").of("all") == (1, 2, 2, 2)

    def test_amounts_are_moved_into_bounds_and_to_the_nearest_step(self, tmp_path):
        live = summing(step=Fraction(1, 2), low=-3, high=10, per_user=9).start(seed=1)
        cells = ["1.2", "-99", "1e2", "0.25", "0.75", "1e-400", "-1e999999"]
        rows = [f"2026-01-{day:02d},ada,{cell}" for day, cell in enumerate(cells, 1)]
        live.feed(csv(tmp_path, rows, head="time,user,amount\n"), until="2026-01-08")
        assert [float(x) for (x,) in live.ask("window").values] == [1.0, -3, 10, 0, 1, 0, -3]

    def test_a_step_as_large_as_the_bounds_is_told(self, tmp_path):
        """Each 400 counts as 0: the board says so, and so does whoever makes it."""
        with pytest.warns(UserWarning, match=r"step=1000 is more than a tenth.*write step=10$"):
            board = summing(high=1000, step=1000)
        live = board.start(seed=1)
        live.feed(
            csv(tmp_path, ["2026-01-01,ada,400"], head="time,user,amount\n"), until="2026-01-02"
        )
        assert live.ask().values == ((0,),)
        said = "above 1000 as 1000, and each as the nearest multiple of 1000."
        assert said in str(board.statement())
        assert said in str(live)
        summing(high=5, step=Fraction(1, 2))  # ten steps, and no warning; nor at a step of 1
        summing(high=1)

    def test_others_count_under_a_key_that_is_public(self, tmp_path):
        live = counting(others="elsewhere").start(seed=1)
        live.feed(csv(tmp_path, ["2026-01-01,ada,XX", "2026-01-01,bob,FR"]), until="2026-01-02")
        assert live.ask("window").values == ((1, 0, 1),)

    def test_a_time_that_is_none_is_named_once(self):
        with pytest.raises(InvalidArgument, match=r"^until: a time is an ISO text"):
            counting().start(seed=1).feed(until="31.01.2026")

    def test_a_board_in_the_past_is_not_ended_by_the_clock(self):
        live = counting(start="2013-01-01").start(seed=1)
        with pytest.raises(InvalidArgument, match="until"):
            live.feed()
        assert live.windows == 0
        assert counting(start="2999-01-01").start(seed=1).feed().told == 0
        assert live.feed(until="now").told == 10

    def test_the_clock_alone_publishes_no_backlog(self, monkeypatch):
        """A backfill to March whose machine says November: nothing is lost without a word."""
        monkeypatch.setattr(Clock, "now", lambda _: datetime(2026, 11, 23))
        live = counting(horizon=365).start(seed=1)
        for _ in range(2):  # the first feed, and a later one
            with pytest.raises(InvalidArgument, match=r"to 2026-11-22.*until='now'.*until='2026-"):
                live.feed()
            live.feed(until="2026-04-01")
            assert live.windows == 90
        monkeypatch.setattr(Clock, "now", lambda _: datetime(2026, 4, 9))
        assert live.feed().told == 8
        fresh = counting(horizon=365, start="2026-04-08").start(seed=1)
        with pytest.raises(InvalidArgument, match="1 window would"):
            fresh.feed()
        fresh.feed(until="2026-04-08")  # nothing is over
        assert fresh.feed().told == 1

    def test_all_bad_lines_are_told_at_once_or_left_out(self, tmp_path):
        rows = [DAYS[0], *["2026-01-01,,FR"] * 3, "soon,ada,FR", "2026-01-01,ada", *DAYS[1:],
                *["2026-01-02,ada,IT"] * 33, *["2026-01-09,bob,FR"] * 33]  # fmt: skip
        path, live = csv(tmp_path, rows), counting().start(seed=1)
        with pytest.raises(BadRow) as found:
            live.feed(path, until="2026-01-03")
        said = str(found.value)
        assert "lines 3, 4, 5: it has no user" in said
        assert "line 6: its time is none" in said
        assert "line 7: 2 cells" in said
        assert "and 18 lines more; nothing" in said
        assert "ada" not in said
        fed = live.feed(path, until="2026-01-03", bad="leave out")
        assert (fed.new, fed.bad) == (38, 38)
        assert live.ask("window").values == ((1, 1), (1, 0))
        assert counting(bad="leave out").start(seed=1).feed(path, until="2026-01-03").bad == 38
        for more in ({}, {"bad": "leave out"}, {"late": "leave out"}):  # or by a flag of its feed
            told = "".join(counting(**more).statement().of("What is told"))
            assert "A line that cannot be read, or" in told
            assert "A row that comes after its window was published counts in none." in told
        for board in (counting(), counting(engine="duckdb")):
            with pytest.raises(InvalidArgument, match="bad"):
                board.start().feed(bad="drop" if board.engine == "rows" else "leave out")

    def test_rows_that_are_dicts_are_read_by_column_or_refused(self):
        """Whatever ``bad`` says: otherwise the board would be used up on noise alone."""
        frame = pd.DataFrame([["x", *row.split(",")] for row in DAYS[:3]])
        frame.columns = ["more", "time", "user", "country"]
        for bad in ("refuse", "leave out"):
            live = counting().start(seed=1)
            given = {"name": "f", "until": "2026-01-02", "bad": bad}
            for wrong, said in (
                (frame.drop(columns="user").to_dict("records"), "line 0: a dict without 'user'; .*"
                 "all columns that the board reads: time, user, country"),
                ([*frame.itertuples()], r"tuple of 3 cells, or a dict: time, user, country\. ap"),
            ):  # fmt: skip
                with pytest.raises(BadRow, match=said):
                    live.feed(wrong, **given)
            assert (live.windows, live.status().rows) == (0, 0)
            assert live.feed(frame.to_dict("records"), **given).new == 3
            assert live.ask().values == ((1, 1),)

    @over("half, told", [(2, 1), (3, None)])
    def test_a_file_whose_format_has_changed_is_not_left_out(self, tmp_path, half, told):
        """Of four lines as many as ``half`` say; lines of other times can be read."""
        rows = ["02.01.2026,ada,FR"] * half + ["2026-01-01,ada,FR"] * (4 - half)
        live = counting(bad="leave out", horizon=1).start(seed=1)
        path = csv(tmp_path, rows)
        if told:
            assert live.feed(path, until="2026-01-02").told == told
            return
        with pytest.raises(BadRow, match=r"lines 2, 3, 4: .*more than half .*format has changed"):
            live.feed(path, until="2026-01-02")
        assert (live.windows, live.status().rows) == (0, 0)
        late = csv(tmp_path, [*["2026-02-01,ada,FR"] * 8, "2026-01-01,ada,FR"], "late.csv")
        assert live.feed(late, until="2026-01-02").bad == 8

    def test_a_float_is_no_user_and_no_key(self):
        """17.0 of a frame with a missing cell would be another user than 17, or another key."""
        given = {"user": "u", "by": "k", "keys": ["1", "2"], "others": "other", "row": "r"}
        whole = {
            "time": ["2026-01-01"] * 4,
            "u": [1, 2, 3, 4],
            "k": [1, 2, 1, 1],
            "r": [5, 6, 7, 8],
        }
        for column, of in (("u", "user"), ("k", "key"), ("r", "key")):
            frame = pd.DataFrame(whole)
            frame.loc[3, column] = None
            live = counting(**given).start(seed=1)
            for bad in ("refuse", "leave out"):
                rows = ap.stream(frame, live.board.columns.names, missing="")
                for source in (rows, frame.to_dict("records")):
                    with pytest.raises(BadRow, match=rf"its {of} is a float.*frame\['{column}'\]"):
                        live.feed(source, name="f", until="2026-01-02", bad=bad)
            frame[column] = frame[column].astype("Int64")
            rows = ap.stream(frame, live.board.columns.names, missing="")
            assert live.feed(rows, name="f", until="2026-01-02", bad="leave out").new >= 3
            assert live.ask().values == ((2, 1, int(column == "k")),)

    def test_text_of_a_float_stays_text(self, tmp_path):
        live = counting(by="k", keys=["17", "17.0"]).start(seed=1)
        path = csv(tmp_path, ["2026-01-01,17.0,17.0"], head="time,user,k\n")
        live.feed(path, until="2026-01-02")
        assert live.ask().values == ((0, 1),)

    @over(
        "line, said",
        [
            ("2026-01-01,,FR", "no user"),
            ("2026-01-01,ada", "cells"),
            ("2026-01-01,ada,IT", "key is none"),
            ("yesterday,ada,FR", "time is none"),
            ("2025-12-31,ada,FR", "none of the board's windows"),
            ("2026-01-11,ada,FR", "none of the board's windows"),
            (f"2026-01-01,{'a' * 201},FR", "user"),
        ],
    )
    def test_a_bad_row_is_named_and_nothing_is_half_counted(self, tmp_path, line, said):
        live = counting().start(seed=1)
        good = csv(tmp_path, DAYS, "good.csv")
        with pytest.raises(BadRow, match=said) as found:
            live.feed(good, csv(tmp_path, [DAYS[0], line], "bad.csv"), until="2026-01-03")
        assert (found.value.file, found.value.line) == ("bad.csv", 3)
        assert "ada" not in str(found.value)
        assert (live.status().rows, live.windows) == (0, 0)
        assert live.feed(good, until="2026-01-03").told == 2

    @over(
        "cell, said",
        [
            ("nan", "NaN"),
            ("inf", "infinite"),
            ("twelve", "a text"),
            ("12 €", "a text"),
            ("", "text"),
        ],
    )
    def test_a_bad_amount_is_named(self, tmp_path, cell, said):
        live = summing().start(seed=1)
        path = csv(tmp_path, [f"2026-01-01,ada,{cell}"], head="time,user,amount\n")
        with pytest.raises(BadRow, match=f"line 2: .*{said}"):
            live.feed(path, until="2026-01-03")

    @over("cell", [math.nan, None, True, [1], Decimal("nan"), "x"])
    def test_so_is_one_of_a_frame(self, cell):
        live = summing().start(seed=1)
        with pytest.raises(BadRow):
            live.feed([(date(2026, 1, 1), "ada", cell)], name="f", until="2026-01-03")

    def test_one_key_is_of_one_row(self, tmp_path):
        live = counting().start(seed=1)
        live.feed(csv(tmp_path, DAYS), until="2026-01-01")
        (tmp_path / "other").mkdir()
        other = csv(tmp_path / "other", [DAYS[1], *DAYS[1:]])
        with pytest.raises(BadRow, match="line 2: another row"):
            live.feed(other, until="2026-01-01")
        twice = csv(tmp_path, ["2026-01-01,ada,FR,1", "2026-01-01,bob,FR,1"], "id.csv",
                    "time,user,country,id\n")  # fmt: skip
        with pytest.raises(BadRow, match="line 3: another row"):
            counting(row="id").start(seed=1).feed(twice, until="2026-01-01")

    @over(
        "text, said",
        [
            ("", "empty"),
            ("time,user\n", "no column 'country'"),
            ("time,user,country,user\n", "2 columns 'user'"),
            ("Time,User,Country\n", "'time'.* the file has Time, User, Country"),
            ("time;user;country\n", "separated by ';'"),
            (HEAD + '2026-01-01,"ada,FR\n', "no CSV file"),
        ],
    )
    def test_a_file_that_is_none(self, tmp_path, text, said):
        path = tmp_path / "x.csv"
        path.write_text(text)
        with pytest.raises(InvalidArgument, match=said):
            counting().start(seed=1).feed(path, until="2026-01-01")
        with pytest.raises(ap.FileError, match="cannot be read"):
            counting().start(seed=1).feed(tmp_path / "none.csv", until="2026-01-01")

    def test_where_a_counter_fails_the_rest_can_be_asked(self, tmp_path, monkeypatch):
        live = counting().start(seed=1)
        live.feed(csv(tmp_path, DAYS), until="2026-01-03")

        def fail(*_):
            raise MemoryError

        monkeypatch.setattr(BalancedTreeCounter, "_advanced", fail)
        with pytest.raises(ap.ProtocolError, match="over"):
            live.feed(until="2026-01-06")
        monkeypatch.undo()
        with pytest.raises(ap.ProtocolError, match="over"):
            live.feed(until="2026-01-06")
        assert live.ask("window").values == ((1, 1), (1, 0))

    def test_progress_is_told_to_whom_it_is_given(self, tmp_path):
        heard = []
        counting().start(seed=1).feed(
            csv(tmp_path, DAYS), until="2026-01-01", progress=heard.append
        )
        assert heard == [5]


@over(
    "error, text",
    [(Fraction(63611, 1000), "63.7"), (Fraction(3292345, 1000), "3293"), (9, "9"), (0, "0"),
     (Fraction(1, 3), "0.334"), (Fraction(9999, 10000), "1"), (Fraction(99991, 1000), "100"),
     (Fraction(13, 8), "1.63")],
)  # fmt: skip
def test_a_band_is_rounded_up_and_the_same_in_table_and_csv(error, text):
    assert band(error) == text
    assert error <= Fraction(text) <= error * Fraction(102, 100)
    found = BoardSeries("total", ("FR",), ("2026-01-01",), ((Fraction(1),),), (error,), ("",))
    assert found.csv().splitlines()[1] == f"2026-01-01,1,{text}"
    assert f"± {text}\n" in f"{found}\n"


class TestStatement:
    def test_it_begins_with_what_is_told(self):
        counts = counting(every="6 hours").statement()
        assert counts.sections[0].heading == "What is told"
        assert counts.of("What is told") == (
            "The number of rows for each key of the column 'country', with noise: in each of 10 "
            "windows of 6 hours from 2026-01-01 00:00 to 2026-01-03 12:00 (UTC), and in several "
            "windows together, such as all since the start.",
            "Only the first 2 rows of a user in a window count.",
            "A line that cannot be read, or whose time or key is none of the board's, is in no "
            "count. A row that comes after its window was published counts in none.",
            "Each number by itself lies, with a probability of at least 95 %, no further from the "
            "exact one, of the rows that count, as they count, than: of a window ± 0, of 7 windows "
            "± 0, of a total ± 0.",
        )
        what, bounds, *_ = summing(step=Fraction(1, 2), low=-1).statement().of("What is told")
        assert what.startswith("The sum of the column 'amount', with noise: in each of 10 windows")
        assert bounds.endswith(
            "an amount below -1 counts as -1, one above 500 as 500, and each as the nearest "
            "multiple of 1/2."
        )

    @over("count, shown", [(99, "K97, K98)"), (100, "K98, K99)"), (1000, "K99 and 900 more)")])
    def test_keys_are_whole(self, count, shown):
        board = counting(keys=[f"K{n}" for n in range(count)])
        public = board.statement().of("What is public")[0]
        assert public.startswith(f"The keys ({count}: K0, K1, ")
        assert shown in public

    @over("more", [{}, {"engine": "duckdb"}, {"best": 90, "delta": 1e-6, "epsilon": 1},
                   {"keys": ap.boards.discovered(delta=1e-6)}])  # fmt: skip
    def test_nothing_is_cut(self, more):
        keys = [f"a country with a long name, number {n}" for n in range(40)]
        assert "…" not in str(counting(**{"keys": keys, "horizon": 400, **more}).statement())

    @over("length, said", [("day", "1 day"), ("14 days", "2 weeks"), ("90 minutes", "90 minutes"),
                           (timedelta(seconds=1), "1,000,000 microseconds")])  # fmt: skip
    def test_windows_have_a_length_in_words(self, length, said):
        assert f" of {said} from" in counting(every=length).statement().of("What is told")[0]


class TestClock:
    def test_a_time_with_an_offset_is_that_of_the_zone(self):
        clock = Clock(start=public_time("2026-01-01", "start"), every=span("day", "every"),
                      windows=3, zone="Europe/Paris")  # fmt: skip
        read = public_time("2026-01-01T23:30+00:00", "time")
        assert clock.window(clock.wall(read)) == 1

    def test_where_the_clock_is_put_back_the_hour_counts_once(self):
        """As the wall says: both hours from 02:00 to 03:00 are one window by the hour."""
        clock = Clock(start=public_time("2026-10-25", "start"), every=span("hour", "every"),
                      windows=24, zone="Europe/Paris")  # fmt: skip
        times = ("2026-10-25T00:30+00:00", "2026-10-25T01:30+00:00")
        assert [clock.window(clock.wall(public_time(each, "t"))) for each in times] == [2, 2]

    @given(st.integers(0, 10**6), st.integers(1, 10**5))
    def test_a_window_is_over_when_the_next_begins(self, seconds, length):
        clock = Clock(start=public_time("2026-01-01", "start"), every=timedelta(seconds=length),
                      windows=50)  # fmt: skip
        time = clock.start + timedelta(seconds=seconds)
        over_then = clock.over(time, timedelta(0))
        assert over_then == min(clock.window(time), 50)
        assert clock.begins(over_then) <= time


class TestAnswers:
    def test_every_answer_is_a_difference_of_what_was_told(self, tmp_path):
        live = counting(epsilon=1, horizon=60).start(seed=5)
        live.feed(csv(tmp_path, DAYS), until="2026-01-09")
        total, window, week = live.ask(), live.ask("window"), live.ask("sliding", last=3)
        for key in ("FR", "DE"):
            sums = total.of(key)
            assert list(window.of(key)) == [b - a for a, b in zip((0, *sums), sums, strict=False)]
            assert week.of(key)[5] == sums[5] - sums[2]
        assert window.errors[5] > total.errors[5] > 0
        assert total.csv().splitlines()[0] == "window,FR,DE,error at 95 %"
        assert total.to_dict()["windows"][0] == "2026-01-01"

    def test_a_print_says_what_it_leaves_out(self):
        live = counting(horizon=20, keys=[f"K{n}" for n in range(9)]).start(seed=1)
        live.feed(until="2026-01-13")
        assert "of 12 windows" not in str(live.ask())
        live.feed(until="2026-01-14")
        assert "the last 12 of 13 windows; csv()" in str(live.ask())
        assert "the last 12 of 13 windows; csv()" in live.ask()._repr_mimebundle_()["text/html"]
        assert "and 1 key more" in str(live.ask())

    def test_its_columns_are_a_frame(self):
        with pytest.raises(AttributeError, match=r"pd\.DataFrame\(series\.to_columns\(\)\)"):
            counting().start(seed=1).ask().to_frame()
        told = BoardSeries("each window", ("FR", "DE"), ("2026-01-01", "2026-01-02 06:00"),
                           ((Fraction(3), None), (Fraction(1, 2), Fraction(-4))),
                           (Fraction(1, 3), Fraction(63611, 1000)))  # fmt: skip
        frame = pd.DataFrame(told.to_columns())
        assert list(frame.columns) == told.csv().splitlines()[0].split(",")
        assert list(frame["window"]) == [datetime(2026, 1, 1), datetime(2026, 1, 2, 6)]
        assert told.to_columns()["DE"] == pl.DataFrame(told.to_columns())["DE"].to_list()
        assert (list(frame["FR"]), told.to_columns()["DE"]) == ([3, 0.5], [None, -4])
        assert list(frame["error at 95 %"]) == [0.334, 63.7]  # rounded up, as in CSV
        assert attrs.evolve(told, values=((3, None), (1, 2))).to_columns()["FR"] == [3, 1]
        with pytest.raises(InvalidArgument, match=r"csv\(\)"):
            attrs.evolve(told, keys=("FR", "window")).to_columns()

    def test_a_picture_has_the_dates_of_windows_and_the_band_of_errors(self):
        from matplotlib.dates import date2num
        from matplotlib.figure import Figure

        live = counting(epsilon=1, every="6 hours", horizon=20).start(seed=1)
        assert live.ask().plot(ax=Figure().subplots()).get_lines()
        live.feed(until="2026-01-03")
        told = live.ask("window")
        axes = told.plot(ax=Figure().subplots())
        first, second = (line.get_xdata() for line in axes.get_lines())
        assert list(first) == list(second)
        assert first[1] == np.datetime64("2026-01-01T06:00")
        edge = axes.collections[1].get_paths()[0].vertices
        there = edge[np.isclose(edge[:, 0], date2num(datetime(2026, 1, 1, 6))), 1]
        middle, error = float(told.of("DE")[1]), float(band(told.errors[1]))
        assert {*there} == {middle - error, middle + error}
        texts = [each.get_text() for each in axes.get_legend().get_texts()]
        assert texts == ["FR", "DE", "± the error\nat 95 %"]

    @over("how, last", [("ever", None), ("total", 3), ("sliding", None), ("sliding", 0)])
    def test_other_questions_are_refused(self, how, last):
        with pytest.raises(InvalidArgument):
            counting().start(seed=1).ask(how, last=last)

    def test_a_number_of_windows_is_pythons(self):
        with pytest.raises(InvalidArgument, match=r"not a NumPy int64 \(write int\(x\)\)"):
            counting().start(seed=1).ask("sliding", last=np.int64(7))

    def test_errors_hold_as_often_as_they_say(self):
        """n = 400 boards, β = 0.05: at most 40 outside (α < 1e-4); halved bounds are refuted."""
        board = counting(epsilon=1, horizon=3)
        bound = board.error(2)
        ends = [
            int(board.counter.counts([0, 0, 0], seed=seed)[-1]) for seed in range(400)
        ]  # fmt: skip
        assert sum(abs(end) > bound for end in ends) <= 40
        assert sum(abs(end) > bound / 3 for end in ends) > 40

    def test_rows_show_nowhere(self, tmp_path):
        live = counting(epsilon=1).start(seed=1)
        live.feed(csv(tmp_path, ["2026-01-01,canary,FR"]), until="2026-01-02")
        for thing in (live, live.ask(), live.status(), live.board, live.board.statement()):
            assert "canary" not in f"{thing}{thing!r}"


def finding(**more):
    given_ = {"keys": ap.boards.discovered(delta=1e-3, share=0.999), "epsilon": 2 * SURE, **more}
    return counting(**given_)


class TestFoundKeys:
    """At an ε so large a key is open from its second user on, and closed at its first."""

    def test_a_key_counts_from_the_window_in_which_it_is_opened(self, tmp_path):
        rows = [
            "2026-01-01,ada,FR", "2026-01-01,bob,0075", "2026-01-02,ada,0075",
            "2026-01-02,bob,0075", "2026-01-02,cyd,FR", "2026-01-02,cyd,FR",
            *[f"2026-01-03,u{n},{key}" for n in range(3) for key in ("FR", "DE")],
        ]  # fmt: skip
        live = finding().start(seed=1)
        live.feed(csv(tmp_path, rows), until="2026-01-05")
        found = live.ask("window")
        assert found.keys == ("0075", "DE", "FR")
        no = None  # not opened: nothing is counted, and no 0 is told
        assert [*found.values] == [(no, no, no), (2, no, no), (0, 3, 3), (0, 0, 0)]
        assert found.begun == ("2026-01-02", "2026-01-03", "2026-01-03")
        total = live.ask()
        assert total.values[-1] == (2, 3, 3)
        assert total.csv().splitlines()[2].startswith("2026-01-02,2,,,")
        assert "not opened" in str(total)
        assert "0075 since 2026-01-02, DE since 2026-01-03" in str(total)

    def test_errors_are_those_of_the_age_of_each_key(self):
        """A tree errs more after 20 updates than after 21: so a key opened later does."""
        board = counting(epsilon=1, best="total", horizon=365)
        told = [{"FR": 0}, *[{"DE": 0, "FR": 0}] * 59]
        found = series(attrs.evolve(board, columns=attrs.evolve(board.columns, keys=())), told,
                       "total", None)  # fmt: skip
        alone = [board.error_of(window, window + 1) for window in range(60)]
        assert any(later < before for before, later in pairwise(alone))
        for window in range(1, 60):
            assert found.errors[window] == max(alone[window], alone[window - 1])

    def test_an_opened_key_stays_in_the_folder(self, tmp_path):
        rows = [f"2026-01-0{day},u{n},{key}" for day in (1, 2) for n, key in enumerate("abab")]
        path, board = csv(tmp_path, rows), finding()
        with board.open(tmp_path / "board") as live:
            live.feed(path, until="2026-01-02")
        with board.open(tmp_path / "board") as live:
            live.feed(path, until="2026-01-04")
            assert live.ask("window").values == ((2, 2), (2, 2), (0, 0))
        with pytest.raises(InvalidArgument, match="another board"):
            finding(keys=ap.boards.discovered(delta=1e-4)).open(tmp_path / "board")

    @over(
        "unit, per, cells",
        [("user-window", "window", 2), ("user-window", "total", 4), ("user", "total", 2)],
    )
    def test_the_whole_board_keeps_to_its_epsilon_and_delta(self, unit, per, cells):
        board = finding(epsilon=1, unit=unit, per=per, keys=ap.boards.discovered(delta=1e-5))
        promise = board.guarantee()
        assert board.finding.cells == cells
        assert promise.status is Status.PROVED
        assert 0.9 < promise.epsilon_at(1e-5) <= 1
        assert promise.curve.least_delta <= Fraction(1, 10**5)
        assert promise.derivation.parts[0].theorem.startswith("Theorem T3")

    def test_the_statement_says_when_a_key_becomes_public(self):
        board = finding(epsilon=1, keys=ap.boards.discovered(delta=1e-6))
        public = board.statement().of("What is public")[0]
        surely = len(board.finding.opener.probabilities) - 1
        assert f"surely where {surely} users have rows of it that count" in public
        assert "δ = 1e-06 grows faster" in "".join(
            board.statement().of("What the figure does not cover")
        )
        assert "found in the data" in str(board)

    @over(
        "more, said",
        [
            ({"by": None}, "by="),
            ({"others": "rest"}, "without others"),
            ({"engine": "duckdb"}, "public keys"),
            ({"unit": "row"}, "by two"),
            ({"epsilon": Fraction(1, 10**6), "keys": ap.boards.discovered(delta=1e-9)}, "10,000"),
        ],
    )
    def test_what_is_no_such_board_is_refused(self, more, said):
        with pytest.raises(InvalidArgument, match=said):
            finding(**more)
        for delta in (0, 1, math.nan):
            with pytest.raises(InvalidArgument):
                ap.boards.discovered(delta=delta)

    def test_the_largest_keys_are_those_of_open_ones(self, tmp_path):
        """On the second day A and B are open; 50 users send D, and B, with none, is named."""
        keys = ap.boards.discovered(delta=1e-14)
        board = finding(epsilon=1, per_user=1, best="window", keys=keys)
        many = board.surely
        rows = [f"2026-01-01,{key}{user},{key}" for key in "AB" for user in range(many)]
        rows += [f"2026-01-02,D{user},D" for user in range(50)]
        live = board.start(seed=1)
        live.feed(csv(tmp_path, rows), until="2026-01-03")
        found = live.ask("window").top(2)
        assert {key for key, _ in found.named[1]} == {"A", "B"}
        assert 2 * found.errors[1] < 50
        shown = str(found)
        assert "a key that is counted and not named exceeds none by more than twice that" in shown
        assert f"may be larger, but surely opens where {many} users have rows of it" in shown
        listed = counting().start(seed=1)
        listed.feed(until="2026-01-02")
        assert "; a key that is counted and not named" in str(listed.ask().top(1))
        assert "open" not in str(listed.ask().top(1))

    @over("key", ["", "a" * 65, "a\x07"])
    def test_a_key_that_is_no_text_of_64_characters_is_refused(self, key):
        live = finding().start(seed=1)
        with pytest.raises(BadRow, match="line 0: it has no key"):
            live.feed([("2026-01-01", "ada", key)], name="f", until="2026-01-03")


class TestGaussian:
    def test_it_is_taken_where_it_errs_less_and_keeps_to_epsilon_and_delta(self, tmp_path):
        keys = [f"K{each}" for each in range(4)]
        given_ = {"keys": keys, "epsilon": 1, "horizon": 365, "neighbours": "replaced"}
        pure, board = counting(**given_), counting(**given_, delta=1e-7)
        assert type(board.mechanism.post_processor) is VectorSums
        assert board.gaussian.max_squared_error < 0.6 * pure.counter.max_squared_error
        promise = board.guarantee()
        assert promise.status is Status.PROVED
        assert 0.99 < promise.epsilon_at(1e-7) <= 1
        statement = "".join(board.statement().of("How much"))
        assert "δ = 1e-07, rounded up" in statement
        live = board.start(seed=1)
        live.feed(csv(tmp_path, ["2026-01-01,ada,K1", "2026-01-01,bob,K1"]), until="2026-02-01")
        assert len(live.ask("window").values) == 31

    def test_it_counts_as_the_others_do(self, tmp_path):
        live = counting(neighbours="replaced", delta=0.5, epsilon=10**5).start(seed=1)
        live.board.gaussian  # noqa: B018
        live.feed(csv(tmp_path, DAYS), until="2026-01-05")
        assert live.ask("window").values == ((1, 1), (1, 0), (0, 0), (1, 0))

    @pytest.mark.parametrize(
        ("unit", "said"), [("row", "for r rows"), ("user-window", "for d windows")]
    )
    def test_how_delta_grows_is_said_for_the_unit(self, unit, said):
        own = {"user": None, "per_user": None} if unit == "row" else {"per_user": 1}
        board = ap.boards.counts(
            start="2026-01-01", horizon=365, epsilon=1, delta=1e-6, unit=unit, **own
        )
        (grows,) = [text for text in board._uncovered if "grows faster" in text]
        assert said in grows

    def test_where_pure_counters_err_less_or_must_be_delta_is_not_used(self):
        for more in ({"horizon": 1}, {"unit": "user", "per": "total"}, {"best": "window"}):
            board = counting(epsilon=1, delta=1e-9, **more)
            assert board.gaussian is None
            assert board.guarantee().epsilon_at(0) == 1.0
        for delta in (0, 1, math.nan):
            with pytest.raises(InvalidArgument):
                counting(delta=delta)
        with pytest.raises(InvalidArgument, match="discovered"):
            counting(keys=ap.boards.discovered(delta=1e-6), delta=1e-6)
