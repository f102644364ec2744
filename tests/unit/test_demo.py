"""The main job on real data, on the first few thousand flights."""

import contextlib
import csv
import io
import json
import sys
import tracemalloc
import xml.etree.ElementTree as ET
from collections import Counter as Tally
from fractions import Fraction

import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.cli import main
from antiphon.cli.output import terminal
from antiphon.demo import FlightAnalyst, data, flights, survey
from antiphon.demo.data import CARRIERS, ORIGINS, TOTAL
from antiphon.demo.panels import Curve, Panel, bands, running_counts
from antiphon.demo.survey import Notes, counter_name
from antiphon.mechanisms import COUNT

SMALL = FlightAnalyst(flights=3000, every=300, busy=400, challenge=2500)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "small.jsonl"
    return *survey.play(SMALL, bit=0, path=path, seed=5), path


class TestData:
    @pytest.mark.slow
    def test_every_flight_is_there_in_the_order_of_its_schedule(self):
        assert len(flights()) == TOTAL
        days = flights().days
        assert (days[0], days[-1]) == (np.datetime64("2013-01-01"), np.datetime64("2013-12-31"))
        assert (np.diff(days).astype(int) >= 0).all()

    def test_origins_and_carriers_are_those_of_the_file(self):
        tally = Tally(flights().slots)
        assert tally[0 * 16 + CARRIERS.index("UA")] == 46_087  # EWR UA
        assert tally[2 * 16 + CARRIERS.index("DL")] == 23_067  # LGA DL
        origins = Tally(slot // 16 for slot in flights().slots)
        assert [origins[i] for i in range(3)] == [120_835, 111_279, 104_662]

    def test_late_flights_are_those_of_the_file(self):
        late = flights().late
        assert set(late) == {0, 1}
        assert sum(late) == 80_100

    def test_missing_it_names_the_extra(self, monkeypatch, capsys, tmp_path):
        unread = flights.__wrapped__
        monkeypatch.setattr(data, "find_spec", lambda name: None)
        monkeypatch.setattr("antiphon.cli.commands.flights.flights", unread)
        with pytest.raises(ap.MissingExtra, match=r"antiphon\[demo\]"):
            unread()
        assert main(["demo", "--output", str(tmp_path / "new")]) == 2
        assert "antiphon[demo]" in capsys.readouterr().err
        assert not (tmp_path / "new").exists()

    def test_a_damaged_file_is_an_error_of_ours(self, monkeypatch, tmp_path):
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "flights.csv.zip").write_bytes(b"not a zip")
        monkeypatch.setattr(data, "_package", lambda: tmp_path)
        with pytest.raises(ap.InvalidArgument, match="install it again"):
            flights.__wrapped__()


class TestAnalyst:
    @over(
        "wrong",
        [{"flights": 0}, {"flights": TOTAL + 1}, {"flights": 10}, {"busy": True}, {"every": 0},
         {"epsilon": 0}, {"challenge": 1.5}, {"challenge": -1}],
    )  # fmt: skip
    def test_parameters_are_checked(self, wrong):
        with pytest.raises(ap.InvalidArgument):
            FlightAnalyst(**wrong)

    @pytest.mark.slow
    def test_creates_counters_for_the_carriers_of_a_busy_origin_only(self):
        state, created, asked = Notes(), 0, []
        counts = {0: 10_000, 1: 0, 2: 0}  # what it hears: EWR is busy, the others are not
        heard = ap.EMPTY
        for _ in range(1000):
            state, message = SMALL.step(state, heard, None)
            if type(message.zero) is ap.Create:
                created, heard = created + 1, ap.TOP
            elif message.zero.query == COUNT:
                asked.append(message.zero.index)
                heard = counts.get(message.zero.index, 0)
            else:
                heard = ap.TOP
        assert created == 3 + len(CARRIERS)
        assert state.busy == (0,)
        assert asked[:3] == [0, 1, 2]
        assert asked[3 : 3 + created] == list(range(created))

    def test_a_step_is_pure_and_its_state_stays_small(self):
        state, _ = SMALL.step(SMALL.initial_state, ap.EMPTY, None)
        assert SMALL.step(state, ap.TOP, None) == SMALL.step(state, ap.TOP, None)
        assert state == Notes(created=1)

    @pytest.mark.parametrize("heard", ["many", None, ap.HALT, 10.0, True])
    def test_an_answer_that_is_no_count_makes_nothing_busy(self, heard):
        assert SMALL.now_busy((), 0, heard) == ()
        assert SMALL.now_busy((), 0, 400) == (0,)
        assert SMALL.now_busy((), 3, 400) == ()

    def test_counters_have_names(self):
        assert counter_name((), 2) == "LGA"
        assert counter_name((1, 0), 3) == "JFK 9E"
        assert counter_name((1, 0), 3 + 16 + 11) == "EWR UA"


class TestPlay:
    def test_every_flight_goes_to_its_own_counters_only(self, small):
        view, counters, _ = small
        updates = Tally(
            each.message.zero.index for each in view.rounds if each.answer is ap.TOP
            and type(each.message.zero) is ap.Ask
        )  # fmt: skip
        expected = Tally(slot // 16 for slot in flights().slots[:3000])
        assert [updates[i] for i in range(3)] == [expected[i] for i in range(3)]
        for index, counter in enumerate(counters):
            assert counter.true_count == updates[index]

    def test_one_flight_differs_at_two_counters(self, small):
        view, counters, _ = small
        differing = [r.message for r in view.rounds if r.message.zero is not r.message.one]
        assert [(pair.zero.query, pair.one.query) for pair in differing] == [(1, 0), (1, 0)]
        names = [counter.name for counter in counters if counter.differed]
        origin, carrier = divmod(flights().slots[2500], 16)
        assert names == [ORIGINS[origin], f"{ORIGINS[origin]} {CARRIERS[carrier]}"]

    def test_absent_under_b_1(self, small, tmp_path):
        _, present, _ = small
        _, absent, = survey.play(SMALL, bit=1, path=tmp_path / "v", seed=5)  # fmt: skip
        missing = [
            (one.name, one.true_count - zero.true_count)
            for one, zero in zip(present, absent, strict=True) if one.true_count != zero.true_count
        ]  # fmt: skip
        assert missing == [(counter.name, 1) for counter in present if counter.differed]

    def test_the_true_counts_are_those_that_the_counters_hold(self, tmp_path):
        """With next to no noise, true and noisy counts are one."""
        exact = FlightAnalyst(
            flights=3000, every=300, busy=400, challenge=2500, epsilon=Fraction(10**6)
        )
        for bit in (0, 1):
            _, counters = survey.play(exact, bit=bit, path=tmp_path / f"v{bit}", seed=5)
            assert len(counters) == 3 + 3 * len(CARRIERS)
            for counter in counters:
                assert [reading.noisy for reading in counter.readings] == list(counter.true)

    def test_the_noise_is_there(self, small):
        errors = [counter.error for counter in small[1] if counter.true_count > 100]
        assert len(set(errors)) > 3
        assert max(map(abs, errors)) < 1000

    def test_the_saved_view_replays_from_its_header_alone(self, small):
        view, _, path = small
        loaded = ap.View.load(path)
        assert ap.replay(loaded).complete
        assert len(loaded.rounds) == len(view.rounds)
        assert "bit" not in path.read_text().splitlines()[0]

    def test_another_analyst_does_not_replay_it(self, small):
        other = FlightAnalyst(flights=3000, every=300, busy=400, challenge=2501)
        with pytest.raises(ap.ReplayMismatch):
            ap.replay(ap.View.load(small[2]), other)

    @pytest.mark.slow
    def test_memory_stays_flat(self, tmp_path):
        flights()
        analyst = FlightAnalyst(flights=9000, every=1000, busy=1000, challenge=8000)
        tracemalloc.start()
        used = []
        try:
            survey.play(
                analyst, bit=0, path=tmp_path / "v", seed=1,
                progress=lambda told: used.append(tracemalloc.get_traced_memory()[0]),
            )  # fmt: skip
        finally:
            tracemalloc.stop()
        assert used[-1] - used[len(used) // 2] < 100_000  # a list of rounds would take megabytes


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    return tmp_path_factory.mktemp("out") / "demo-output"


@pytest.fixture(scope="module")
def printed(output):
    """What the command prints; it writes to ``output``."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert main(["demo", "--flights", "3000", "--seed", "2", "--output", str(output)]) == 0
    return text.getvalue()


class TestCommand:
    def test_prints_claims_counts_guarantee_and_replay(self, printed):
        assert "SEEDED" in printed
        for words in ("EWR", "UpdatesAndQueries", "proved", "[1] Chan, Shi, Song 2011"):
            assert words in printed
        assert "Guarantee: 2ε = 2 (pure DP)" in printed
        assert "Thm 5.2" in printed
        assert "Replay of the saved view: identical" in printed

    def test_writes_what_it_names(self, printed, output):
        for name in (
            "flights.view.jsonl",
            "counters.csv",
            "flights.png",
            "flights.svg",
            "diagram.svg",
        ):
            assert str(output / name) in printed
            assert (output / name).stat().st_size > 100
        assert (output / "flights.png").read_bytes().startswith(b"\x89PNG")
        ET.parse(output / "flights.svg")
        ET.parse(output / "diagram.svg")

    def test_the_readings_are_a_table(self, printed, output):
        with (output / "counters.csv").open() as file:
            rows = list(csv.DictReader(file))
        last = [row for row in rows if row["counter"] == "EWR"][-1]
        true = sum(slot // 16 == 0 for slot in flights().slots[:3000])
        assert (int(last["flights_told"]), int(last["true_flights"])) == (3000, true)

    def test_the_view_replays_on_the_command_line(self, printed, output, capsys):
        assert main(["replay", str(output / "flights.view.jsonl")]) == 0
        assert "identical" in capsys.readouterr().out

    @pytest.mark.slow
    def test_as_data_without_a_seed(self, tmp_path, capsys):
        arguments = ["demo", "--flights", "900", "--bit", "1", "--epsilon", "1/2", "--json"]
        assert main([*arguments, "--output", str(tmp_path)]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        found = json.loads(out)
        assert (found["seeded"], found["releasable"], found["bit"]) == (False, True, 1)
        assert found["guarantee"]["epsilon"] == "1"
        assert found["replay"]["identical"] is True
        assert found["counters"][0]["claim"]["epsilon"] == "1/2"
        for counter in found["counters"]:
            assert counter["error"] == counter["noisy"] - counter["true"]
            assert counter["readings"][-1]["flights_told"] == 900

    @pytest.mark.slow
    @pytest.mark.parametrize("number", [1, 2, 60])
    def test_however_few_flights(self, number, tmp_path, capsys):
        assert main(["demo", "--flights", str(number), "--output", str(tmp_path)]) == 0

    @pytest.mark.slow
    def test_a_replay_that_differs_is_status_1(self, tmp_path, capsys, monkeypatch):
        def differs(view):
            raise ap.ReplayMismatch(7, "a", "b")

        monkeypatch.setattr("antiphon.cli.commands.flights.replay", differs)
        assert main(["demo", "--flights", "60", "--output", str(tmp_path)]) == 1
        assert "DIFFERENT: replay differs at round 7" in capsys.readouterr().out

    def test_ctrl_c_keeps_what_was_streamed(self, tmp_path, capsys, monkeypatch):
        listen = survey._Log.__call__

        def interrupted(log, each):
            listen(log, each)
            if log._told == 500:
                raise KeyboardInterrupt

        monkeypatch.setattr(survey._Log, "__call__", interrupted)
        assert main(["demo", "--flights", "3000", "--output", str(tmp_path)]) == 130
        out, err = capsys.readouterr()
        assert out == ""
        assert "stopped" in err
        assert main(["replay", str(tmp_path / "flights.view.jsonl")]) == 0
        assert "cut short after round" in capsys.readouterr().out

    def test_an_output_that_is_a_file(self, tmp_path, capsys):
        (tmp_path / "taken").write_text("")
        assert main(["demo", "--flights", "60", "--output", str(tmp_path / "taken")]) == 2
        assert "taken" in capsys.readouterr().err


class TestReport:
    def test_without_matplotlib_one_line_names_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(ap.MissingExtra, match=r"antiphon\[plot\]"):
            running_counts([], title="", subtitle="", unit="", paths=())

    def test_without_rich_too(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "rich.console", None)
        with pytest.raises(ap.MissingExtra, match=r"antiphon\[cli\]"):
            terminal()

    def test_a_picture_is_the_same_each_time(self, tmp_path):
        days = np.array(["2013-01-01", "2013-02-01"], dtype="datetime64[D]")
        panel = Panel("p", [Curve("a & <b>", days, (1, 2), (0, 3))], 2, "busy")
        pictures = []
        for name in ("one.svg", "two.svg"):
            path = tmp_path / name
            running_counts([panel], title="t", subtitle="s", unit="flights", paths=[path])
            pictures.append(path.read_bytes())
        assert pictures[0] == pictures[1]


@pytest.mark.every(4)
@pytest.mark.parametrize("size", [2**62, 2**63, 10**31, 10**300])
def test_noise_past_64_bits_is_drawn(tmp_path, size):
    """As of ε = 1/(3·10^30): the picture failed once all was played."""
    days = np.array(["2013-01-01", "2013-02-01", "2013-03-01"], "datetime64[D]")
    drawn = [Curve("AA", days, [1, 2, 3], [size, -size, 2 * size], [3 * size] * 3, steps=steps)
             for steps in (False, True)]  # fmt: skip
    bands([Panel("huge", drawn)], title="", subtitle="", paths=[tmp_path / "huge.svg"])
    text = (tmp_path / "huge.svg").read_text()
    assert f"{2 * size:.3g}" in text


@pytest.mark.every(3)
@pytest.mark.parametrize("epsilon", ["1e9", "1e30", f"{10**30}/3"])
def test_an_epsilon_of_which_nothing_follows_is_refused_before_it_is_played(
    tmp_path, capsys, epsilon
):
    output = tmp_path / "demo"
    assert main(["demo", "--flights", "10", "--output", str(output), "--epsilon", epsilon]) == 2
    told = capsys.readouterr()
    assert "give a smaller one" in told.err
    assert "playing" not in told.err
    assert not output.exists()
