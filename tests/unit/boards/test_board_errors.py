"""What the error of a board's number is, before and after it is told; and the largest keys."""

import json
import math
from fractions import Fraction

import attrs
import pytest
from making import counting, csv, summing
from trying import over

import antiphon as ap
from antiphon import InvalidArgument

TOML = 'by = "country"\nkeys = ["FR", "DE", "IT"]\nstart = 2026-01-01\nhorizon = 60\n' \
       'epsilon = 1\nper_user = 2\nbest = "window"\nfiles = ["events*.csv"]\n'  # fmt: skip


@pytest.fixture
def path(tmp_path):
    csv(tmp_path, ["2026-01-01T08:00,canary,FR", "2026-01-01T09:00,bob,DE"])
    (tmp_path / "visits.toml").write_text(TOML)
    return tmp_path / "visits.toml"


def feed(path, until):
    known = ap.boards.read_board(path)
    with known.board.open(known.folder) as live:
        live.feed(*known.sources, until=until)


@over(
    "asked, said",
    [
        ((60, 1), "from 0 to 59, and 60"), ((-1, 1), "from 0 to 59, and -1"),
        ((2.0, 1), "from 0 to 59"), ((0, 5), r"from 1 to 1, not 5; error_of\(0, 1\)"),
        ((9, 0), "from 1 to 10, not 0"), ((9, True), "from 1 to 10"),
        ((9,), r"not None; error_of\(9, 1\) is of it alone"),
    ],
)  # fmt: skip
def test_windows_that_are_none_have_no_error(asked, said):
    board = counting(epsilon=1, horizon=60)
    with pytest.raises(InvalidArgument, match=said):
        board.error_of(*asked)
    if asked[0] != 0 and asked[0] != 9:
        with pytest.raises(InvalidArgument, match=said):
            board.error(asked[0])


@over("best, delta", [("total", None), ("window", None), (3, None), ("total", 1e-6)])
def test_the_forecast_is_the_largest_error_of_any_window(best, delta):
    last = 365 if delta else 40
    board = counting(epsilon=1, horizon=last, best=best, delta=delta, per_user=3)
    assert (board.gaussian is None) is (delta is None)
    reaches = {1: "a window", 7: "7 windows", last: "a total"}
    reaches |= {best: f"{best} windows"} if best == 3 else {}
    assert {*board.forecast} == {*reaches.values()}
    for reach, name in reaches.items():
        errors = [board.error_of(end, min(reach, end + 1)) for end in range(last)]
        assert board.forecast[name] == max(errors)
        assert f"error of {name}, 95 %" in str(board)
    told = board.statement().of("What is told")[-1]
    assert told.startswith("Each number by itself lies, with a probability of at least 95 %")
    assert f"of a window ± {board.forecast['a window']}" in told


def test_the_errors_of_too_many_windows_are_not_foretold():
    board = counting(epsilon=1, horizon=20_000)
    assert board.forecast == {}
    assert len(board.statement().of("What is told")) == 3
    assert {*counting(horizon=1).forecast} == {"a total"}
    assert counting(epsilon=1, horizon=20_000, best="window").forecast["a window"] == 6


def test_errors_are_whole_steps():
    """Noise is of ints: what is above its bound is above the bound's floor."""
    for best in ("total", "window", 7):
        board = counting(epsilon=1, horizon=60, best=best)
        for reach in (1, 7, 20):
            assert board.error_of(19, reach).denominator == 1
            bound = board.counter.error_bound(20, beta=0.05, since=20 - reach)
            assert board.error_of(19, reach) <= math.floor(bound)
    assert summing(epsilon=1, step=Fraction(1, 4)).error_of(8, 9) % Fraction(1, 4) == 0


def test_the_largest_keys_show_themselves_window_by_window():
    values = ((Fraction(1), Fraction(3), Fraction(3)), (Fraction(5), Fraction(4), Fraction(-1, 2)))
    series = ap.boards.BoardSeries(
        "total", ("FR", "DE", "IT"), ("Monday", "Tuesday"), values, (Fraction(1),) * 2,
        together=lambda: (Fraction(7, 2),) * 2,
    )  # fmt: skip
    assert series.top(1).named == ((("DE", 3),), (("FR", 5),))
    assert series.top(3).named[1] == (("FR", 5), ("DE", 4), ("IT", Fraction(-1, 2)))
    assert str(series.top(3)).startswith("total: the 3 largest of 3 keys, 2 windows\n")
    assert "Tuesday  FR 5  DE 4  IT -0.5  ± 3.5" in str(series.top(3))
    assert "<td" in series.top(2)._repr_mimebundle_()["text/html"]
    assert series.top(2).to_dict()["named"][0] == [["DE", "3"], ["IT", "3"]]
    assert series.top(1).csv().splitlines() == [
        "window,place,key,value,error of all keys at 95 %", "Monday,1,DE,3,3.5",
        "Tuesday,1,FR,5,3.5",
    ]  # fmt: skip
    closed = attrs.evolve(series, values=((None, Fraction(-3), None), values[1]))
    assert closed.top(2).named[0] == (("DE", -3),)  # a key that is not open is not named
    assert "Monday   DE -3" in str(closed.top(2))
    assert "±" not in str(attrs.evolve(series, together=tuple).top(1))
    for wrong in (0, 4, 1.0):
        with pytest.raises(ap.InvalidArgument, match="from 1 to 3"):
            series.top(wrong)


def test_the_errors_of_the_largest_keys_hold_for_all_keys_at_once():
    """The keys named are those with the most noise: each by itself errs more often than in 5 %."""
    board = counting(epsilon=1, horizon=400, best="window", keys=[f"K{n}" for n in range(50)])
    live = board.start(seed=3)
    live.feed(until="2027-02-05")
    series = live.ask("window")
    found = series.top(1)
    assert found.errors == (board.error_of(0, 1, beta=0.05 / 50),) * 400
    off = [abs(row[0][1]) for row in found.named]  # nobody has come: all is noise
    assert sum(each > error for each, error in zip(off, found.errors, strict=True)) <= 40
    assert sum(each > error for each, error in zip(off, series.errors, strict=True)) > 200
    assert "the last 12 windows" in str(found)


def test_months_are_not_offered():
    for wrong in ("month", "2 years"):
        with pytest.raises(InvalidArgument, match="a month and a year have no fixed length"):
            counting(every=wrong)
    with pytest.raises(InvalidArgument, match="hours, days or weeks, such as") as told:
        counting(every="3 moons")
    assert "fixed" not in str(told.value)


def test_one_window_and_one_key_are_not_many():
    board = counting(keys=["FR"], horizon=1)
    assert "The board has 1 window from" in board.statement().of("What is public")[1]
    told = str(counting(by=None, keys=None, per_user=1).statement())
    assert "All rows go into one number, without keys." in told
    assert "spread over the one counter" in told
    assert "Only the first row of a user in a window counts." in told
    live = board.start(seed=1)
    live.feed(until="2026-01-02")
    assert "total since the start: 1 window of 1 key\n" in str(live.ask())


def test_the_command_line_asks_for_the_largest_keys(cli, path):
    feed(path, "2026-01-15")
    _, out, _ = cli("board", "ask", path, "--how", "window", "--top", "2")
    assert out.startswith("each window: the 2 largest of 3 keys, 14 windows\n")
    _, out, _ = cli("board", "ask", path, "--top", "2", "--csv")
    assert len(out.splitlines()) == 1 + 28
    _, out, _ = cli("board", "ask", path, "--top", "2", "--json")
    assert len(json.loads(out)["named"]) == 14
    status, _, err = cli("board", "ask", path, "--top", "4")
    assert (status, "from 1 to 3" in err) == (2, True)


def test_the_error_is_known_before_anything_is_fed(cli, path):
    said = "of a window ± 6, of 7 windows ± "
    assert said in cli("board", "statement", path)[1]
    assert not path.with_suffix("").exists()


def test_a_page_is_for_its_readers(cli, path):
    feed(path, "2026-03-01")
    assert cli("board", "page", path)[0] == 0
    page = path.with_suffix(".html").read_text()
    assert "csv()" not in page
    assert "--csv" not in page
    assert "the last 12 of 59 windows" in page
    assert page.count("By itself it lies within ± of the exact one") == 2
    assert "first holds it for 50 % likely" in page
    assert "of 100 who are there at most 3 are accused" in page
    assert "at most 74 in 100 are there" in page
    assert "share of right accusations" not in page


def test_sentences_on_risk_are_rounded_up_and_say_what_is_assumed():
    risk = counting(epsilon=1).guarantee().risk(prior=0.1, false_positive=0.01)
    first, second = risk.sentences
    assert "10 % likely" in first
    assert second == (
        "If they accuse only when at most 1 in 100 of those who are not there would be accused, "
        "then of 100 who are there at most 3 are accused; and of those accused at most 24 in 100 "
        "are there."
    )
    assumed = attrs.evolve(risk, proved=False).sentences[1]
    assert assumed.startswith("If what is assumed holds, and they accuse")


def test_what_runs_a_board_and_what_reads_a_series_is_named():
    board = counting()
    for name in ("ask", "feed", "page"):
        with pytest.raises(AttributeError, match=rf"no {name}: write with board\.open\("):
            getattr(board, name)
    with pytest.raises(InvalidArgument, match=r"by key, such as series\.of\('FR'\)"):
        board.start(seed=1).ask("window")["FR"]


@pytest.mark.filterwarnings("error")
@over("every, until", [("hour", "2026-01-01T01:00"), ("day", "2026-01-02"), ("week", "2026-01-08")])
def test_the_page_of_a_first_window_has_no_warning(tmp_path, every, until):
    live = counting(every=every).start(seed=1)
    live.feed(until=until)
    page = live.page(tmp_path / "visits.html", overwrite=True).read_text()
    assert page.count("<img") == 3
