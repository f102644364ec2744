"""The demo's second stage: H and HSS on real flights, and the bands they promise."""

import csv
import json
import xml.etree.ElementTree as ET
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from trying import sized

import antiphon as ap
from antiphon.demo import flights
from antiphon.demo.data import CARRIERS
from antiphon.demo.delays import DELTA, delay_mechanisms, promised_delays, told_delays
from antiphon.demo.panels import Curve, Panel, bands

NUMBER, EVERY = sized((12_000, 2_000), (30_000, 4_000))


@pytest.fixture(scope="module")
def found():
    told = told_delays(NUMBER, every=EVERY, epsilon=Fraction(10), seed=3)
    return promised_delays(Fraction(10), told)


@pytest.mark.slow
def test_the_truth_is_that_of_the_file(found):
    slots = np.frombuffer(flights().slots, dtype=np.uint8)[:NUMBER] % len(CARRIERS)
    late = np.frombuffer(flights().late, dtype=np.uint8)[:NUMBER] == 1
    told = [reading.told for reading in found.readings]
    assert told == [*range(EVERY, NUMBER, EVERY), NUMBER]
    for reading in found.readings:
        counts = np.bincount(slots[: reading.told][late[: reading.told]], minlength=len(CARRIERS))
        assert reading.true == tuple(counts.tolist())


def test_the_truth_lies_in_the_bands_and_the_bands_are_worth_something(found):
    """Seeded, so that it says nothing about how often: that is test_histograms' part."""
    last = found.readings[-1]
    for reading in found.readings:
        gaps = [abs(a - b) for a, b in zip(reading.noisy, reading.true, strict=True)]
        assert 0 < max(gaps) <= reading.band
        assert abs(reading.largest - max(reading.true)) <= reading.largest_band
    assert last.band < max(last.true) / 2
    assert last.interval > 2
    assert len({reading.largest for reading in found.readings}) >= 3
    assert found.most[0] == max(range(len(CARRIERS)), key=last.noisy.__getitem__)


def test_what_both_promise_is_derived():
    told = told_delays(10, every=10, epsilon=Fraction(1), seed=1)
    found = promised_delays(Fraction(1), told)
    histogram, hss = delay_mechanisms(Fraction(1))
    assert found.promise.status.value == "proved"
    own = hss.histogram.claims[0].parameters[0]
    basic = histogram.claims[0].parameters[0] + Fraction(2, 3) + own
    assert Fraction(5, 3) < found.promise.epsilon_at(DELTA) <= float(basic) * (1 + 1e-9)


@pytest.mark.slow
def test_it_is_drawn_written_and_told(cli, tmp_path):
    arguments = ["demo", "--flights", "2000", "--output", str(tmp_path), "--seed", "1"]
    status, out, _ = cli(*arguments, "--json")
    data = json.loads(out)["delays"]
    assert status == 0
    assert data["carriers"] == list(CARRIERS)
    assert data["guarantee"]["status"] == "proved"
    assert data["readings"][-1]["flights_told"] == 2000
    assert ET.parse(tmp_path / "delays.svg").getroot().tag.endswith("svg")
    rows = list(csv.reader((tmp_path / "delays.csv").read_text().splitlines()))
    assert len(rows) == 1 + len(data["readings"]) * (len(CARRIERS) + 1)
    noisy = [row[3] for row in rows[1:] if row[2] == "UA"]
    assert noisy == [str(each["noisy"][CARRIERS.index("UA")]) for each in data["readings"]]
    status, out, _ = cli(*arguments, "--force")
    assert "Flights at least 15 minutes late" in out
    assert "the most (HSS)" in out
    assert str(tmp_path / "delays.png") in out


@pytest.mark.slow
def test_equal_bands_give_equal_pictures(tmp_path):
    dates = np.array(["2013-01-01", "2013-02-01"], dtype="datetime64[D]")
    drawn = [Panel("a", [Curve("x", dates, [1, 2], [2, 2], [1, 3], steps=True)])]
    paths = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for path in paths:
        bands(drawn, title="t", subtitle="s", paths=[path])
    assert paths[0].read_text() == paths[1].read_text()
    with pytest.raises(ap.InvalidArgument, match="png"):
        bands(drawn, title="t", subtitle="s", paths=[tmp_path / "three.txt"])


@pytest.mark.parametrize(
    ("number", "every", "words"),
    [(336_776, 6_476, "once a week"), (500, 9, "after every 9 flights"),
     (20, 1, "after every flight"), (10, 10, "told at the end")],
)  # fmt: skip
def test_once_a_week_is_said_where_it_is(number, every, words):
    from antiphon.cli.commands.flights_output import _how_often

    told = [*range(every, number, every), number]
    days = flights().days[np.array(told) - 1]
    readings = [SimpleNamespace(told=each) for each in told]
    assert _how_often(SimpleNamespace(readings=readings, dates=days)) == words


@pytest.mark.slow
def test_a_short_demo_goes_along_flights(cli, tmp_path):
    pytest.importorskip("matplotlib")
    for number, axis in ((300, True), (20_000, False)):
        output = tmp_path / str(number)
        assert cli("demo", "--flights", number, "--output", output, "--seed", "1")[0] == 0
        for name in ("flights.svg", "delays.svg"):
            assert ("<!-- flights told -->" in (output / name).read_text()) is axis
