"""States with arrays in them: what comes back lies in memory as it did, or is refused."""

import json

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.numbers.interning import fingerprint
from antiphon.sessions.durable.inspection import verify
from antiphon.sessions.durable.states import kept, restored


def read_only(array):
    array.flags.writeable = False
    return array


SQUARE = np.arange(12.0).reshape(3, 4)
ARRAYS = {
    "in rows": SQUARE,
    "in columns": np.asfortranarray(SQUARE),
    "turned": np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    "read only": read_only(np.arange(3)),
    "in columns, read only": read_only(np.asfortranarray(SQUARE)),
    "of big-endian numbers": np.arange(5, dtype=">i4"),
    "of big-endian doubles in columns": np.asfortranarray(SQUARE.astype(">f8")),
    "without axes": np.array(3.5),
    "empty": np.zeros((0, 3)),
    "empty, in columns": np.zeros((3, 0), order="F"),
    "of one row": np.asfortranarray(np.zeros((1, 5))),
    "of odd doubles": np.array([np.nan, -np.nan, -0.0, np.inf]),
    "of booleans": np.array([True, False]),
    "of complex numbers": np.array([1j, 2]),
    "of half precision": np.array([1.5], np.float16),
    "of ints of any size": np.array([[1, 2**70], [3, 4]], dtype=object),
    "of ints of any size, in columns": np.asfortranarray(np.array([[1, 2**70]] * 2, dtype=object)),
}
REFUSED = {
    "every other": (np.arange(10)[::2], "part of another"),
    "backwards": (np.arange(4)[::-1], "part of another"),
    "a column": (SQUARE[:, 1], "part of another"),
    "repeated": (np.broadcast_to(np.arange(3), (2, 3)), "repeated"),
    "of records": (np.zeros(2, dtype=[("a", "i4"), ("b", "f8")]), "let it be of numbers"),
    "of dates": (np.array(["2020-01-01"], dtype="M8[D]"), "let it be of numbers"),
    "of text": (np.array(["a"]), "let it be of numbers"),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), "MaskedArray"),
    "a number of NumPy's": (np.float64(2), "float64"),
}


@ap.register("test.durable.Held/1")
@attrs.frozen(eq=False)
class Held:
    array: np.ndarray

    def __fingerprint__(self):
        return fingerprint(self.array)


WRAPPED = {
    "alone": lambda array: array,
    "in a tuple": lambda array: (1, array),
    "in a dict": lambda array: {"a": [array]},
    "in a class of another's": Held,
}


def arrays_of(state):
    if type(state) is np.ndarray:
        return [state]
    parts = state.values() if type(state) is dict else state
    parts = [parts.array] if type(parts) is Held else parts
    return [a for part in parts for a in arrays_of(part)] if np.iterable(parts) else []


@over("wrap", WRAPPED)
@over("name", ARRAYS)
def test_an_array_comes_back_as_it_lay(name, wrap):
    state = WRAPPED[wrap](ARRAYS[name])
    again = restored(json.loads(json.dumps(kept(state))))
    assert type(again) is type(state)
    if wrap != "in a dict":
        assert fingerprint(again) == fingerprint(state)
    (array,), (back,) = arrays_of(state), arrays_of(again)
    assert (back.dtype.str, back.shape) == (array.dtype.str, array.shape)
    if array.dtype != object:
        assert back.tobytes("A") == array.tobytes("A")
    if array.size:
        assert back.strides == array.strides
    for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE"):
        assert back.flags[flag] == array.flags[flag]


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_come_back_as_it_lay_is_refused_at_the_start(name, wrap, path):
    state, why = REFUSED[name]

    @ap.register("test.durable.Starting/1")
    @ap.mechanism(
        queries=ap.spaces.Integers(),
        answers=ap.spaces.Integers(),
        initial_state=WRAPPED[wrap](state),
    )
    def starting(state, message, coins):
        return state, 0

    with pytest.raises(ap.InvalidArgument, match=why):
        ap.begin(starting, path)
    assert not list(path.parent.iterdir())


HALVES = np.asfortranarray([[0.1, 1e16, -1e16, 0.3], [1e-3, 0.7, 1e8, 0.1]] * 5)


@ap.register("test.durable.Summed/1")
@ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Anything(), initial_state=HALVES)
def summed(state, number, coins):
    return np.multiply(state, 1 + number / 7, order="K"), float(state.sum())


def test_a_step_that_depends_on_how_it_lies_goes_on_alike(path):
    assert HALVES.sum() != np.ascontiguousarray(HALVES).sum()
    plain = summed.start()
    said = [plain.send(number) for number in range(9)]
    with ap.begin(summed, path) as session:
        heard = [session.send(number) for number in range(3)]
        session.keep_state()
        heard += [session.send(number) for number in range(3, 6)]
    with ap.resume(path) as session:
        session.compact()
        heard += [session.send(number) for number in range(6, 9)]
    assert heard == said
    assert verify(path).answered == 9


@over("order", [[0], [0, 0], [0, 2], [1, 0, 2], "ab", None, {"a": 1}])
def test_axes_that_are_none_are_damage(order):
    said = {**kept(np.asfortranarray(SQUARE)), "axes": order}
    with pytest.raises(ap.TranscriptError):
        restored(said)


def test_arrays_of_objects_are_told_by_what_is_in_them():
    one, two = (np.array([2**70, 10**30], dtype=object) for _ in range(2))
    assert fingerprint(one) == fingerprint(two)
    assert fingerprint(one) != fingerprint(np.array([2**70, 10**30 + 1], dtype=object))
    assert fingerprint(one) != fingerprint(np.array([2**70, 1e30], dtype=object))
