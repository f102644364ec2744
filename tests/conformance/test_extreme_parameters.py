"""No parameter of a mechanism takes long, or much memory, to be built with or to be refused.

Every parameter of every part in the catalogue that is a number is set to sizes from small to
absurd. What is built is asked for what any use of it asks for: its first state, its spaces, its
claims and its name. What is refused is so by a typed error that is quick, too.
"""

import signal
import time
import tracemalloc
from fractions import Fraction

import attrs
import pytest
from catalogue import MECHANISMS, PROCESSORS
from trying import over, sized

import antiphon as ap
from antiphon import Log
from antiphon.mechanisms import (
    ContinualHistogram,
    ExponentialMechanism,
    HistogramSVT,
    KthLargest,
    PermuteAndFlip,
    SquareRootCounter,
)

SECONDS, MEGABYTES = 3, 300
"""Of processor time and of memory at once: far more than any part takes, far less than harms."""
POWERS = [2**n for n in (10, 12, 13, 16, 17, 20, 21, 22, 23, 40, 62, 64, 100, 200, 201)]
INTS = [*POWERS, 10**8, 10**30, 10**400, 10**5000, -(10**5000)]
RATIONALS = [Fraction(1, 10**n) for n in (30, 300, 5000)] + [5e-324, 1.7e308]
LOGS = [Log(9), Log(10**400), Log(10**5000), *(Log(1 + Fraction(1, 10**n)) for n in (3, 9, 5000))]
OWN = {ap.ConComp, ap.composition.ComplexMechanism}
"""Made of parts that are tried themselves."""


def extremes(value):
    if isinstance(value, bool):
        return []
    if isinstance(value, int) or value is None:
        return INTS
    if isinstance(value, Fraction | float | Log):
        return [*INTS, *RATIONALS, *LOGS]
    return []


def parts():
    """One for each way that a class comes in the catalogue, and its parameters."""
    found = {}
    for entry in (*MECHANISMS, *PROCESSORS):
        part = getattr(entry, "mechanism", None) or entry.processor
        if attrs.has(type(part)) and type(part) not in OWN:
            for field in attrs.fields(type(part)):
                value = getattr(part, field.name)
                if field.init and extremes(value):
                    key = type(part).__name__, field.alias, type(value).__name__
                    found.setdefault(key, part)
    return found


PARTS = parts()


def late(*_):
    raise TimeoutError("too much processor time")


@pytest.fixture
def measured():
    """Runs something under the bounds: what it raised, if it was typed."""

    def run(build, seconds=SECONDS):
        tracemalloc.start()
        before, old = time.process_time(), signal.signal(signal.SIGVTALRM, late)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        error = None
        try:
            build()
        except ap.AntiphonError as caught:
            error = caught
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, old)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert time.process_time() - before <= seconds + 1
        assert peak <= MEGABYTES * 10**6
        assert error is None or 0 < len(str(error)) < 400
        return error

    return run


def used(part):
    """Asks for what any use asks for."""
    part.initial_state  # noqa: B018
    signature = part.signature
    if isinstance(part, ap.Mechanism):
        assert signature.queries.contains(object()) in (True, False)
        assert part.claims is not None
    assert repr(part)


LONG = {
    ("ExposedResponse", "probability", "Fraction"),
    ("ExposedResponse", "epsilon", "Fraction"),
    ("ExposedResponse", "epsilon", "Log"),
    ("ContinualHistogram", "dimension", "int"),
}
"""Three quarters of the time of all."""


QUICK = [key for key in PARTS if key not in LONG]


@over("key", sized(QUICK[::8], QUICK), at_least=25)
def test_it_is_built_quickly_or_refused(key, measured):
    assert_is_built_quickly(key, measured)


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(LONG), ids="-".join)
def test_it_is_built_or_refused(key, measured):
    assert_is_built_quickly(key, measured)


def assert_is_built_quickly(key, measured):
    _, name, _ = key
    part = PARTS[key]
    for value in extremes(getattr(part, name.lstrip("_"), None) or 1):
        measured(lambda value=value: used(attrs.evolve(part, **{name: value})))


@pytest.mark.parametrize(
    ("build", "cure"),
    [
        (lambda: ExponentialMechanism(epsilon=Log(9), candidates=3, sensitivity=10**30),
         "give epsilon as a number"),
        (lambda: PermuteAndFlip(epsilon=Log(9), candidates=3, sensitivity=10**8),
         "give epsilon as a number"),
        (lambda: PermuteAndFlip(epsilon=1, candidates=10**8), "in rounds"),
        (lambda: SquareRootCounter(horizon=10**8, rho=1), "BufferedToeplitzCounter"),
        (lambda: ContinualHistogram.pure(dimension=10**8, epsilon=1), "merge items"),
        (lambda: ContinualHistogram.concentrated(dimension=10**8, rho=1, delta=0.1), "merge items"),
        (lambda: attrs.evolve(PARTS["MultiplicativeWeights", "size", "int"], size=10**8),
         "merge kinds"),
    ],
)  # fmt: skip
def test_what_is_refused_says_how_to_mend_it(build, cure, measured):
    assert cure in str(measured(build))


def test_a_sparse_vector_of_a_million_counts_is_refused(measured):
    assert "merge items" in str(
        measured(lambda: HistogramSVT(epsilon=1, query=KthLargest(1), histogram=(0,) * 10**6))
    )


@pytest.mark.slow
def test_a_histogram_of_many_items_is_built(measured):
    """As many as there may be; 10⁵ took 7 s, and 57 MB of what they have in common."""
    items = 2**12
    made = []
    assert (
        measured(lambda: made.append(ContinualHistogram.pure(dimension=items, epsilon=1))) is None
    )
    assert measured(lambda: used(made[0])) is None


def test_a_typed_error_that_is_late_and_a_large_one_are_noticed(measured):
    """The bounds do bound."""

    def slow():
        while True:
            pass

    with pytest.raises(TimeoutError):
        measured(slow, seconds=0.1)
    with pytest.raises(AssertionError):
        measured(lambda: bytearray(MEGABYTES * 10**6 + 1))
    with pytest.raises(MemoryError):
        measured(lambda: [None] * 2**61)


NAMED = [key for key in PARTS if key[0] != "FunctionMechanism"]
"""A user's initial state may be anything."""


@over("key", NAMED, at_least=202)
def test_what_is_no_number_is_refused_by_the_name_of_the_parameter(key):
    _, name, _ = key
    called = "share" if name == "value_share" else name
    with pytest.raises(ap.InvalidArgument, match=rf"\b{called}\b"):
        attrs.evolve(PARTS[key], **{name: "many"})
