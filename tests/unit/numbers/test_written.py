"""Exact parameters are printed as they were given, and what is printed makes the value again."""

import re
from fractions import Fraction

import attrs
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import composition, mechanisms
from antiphon.numbers import exact
from antiphon.numbers.exact import Log, written
from antiphon.selfcheck.corpus.specimen import specimens

NAMES = {
    **vars(composition),
    **vars(mechanisms),
    **vars(ap.protocol),
    "Log": Log,
    "Fraction": Fraction,
}
MADE = (
    composition.BasicFilter(epsilon=1), composition.BasicFilter(epsilon=Log(3), delta=1e-6),
    composition.ConcentratedFilter(rho=Fraction(1, 3)),
    composition.WhitehouseFilter(epsilon=0.1, delta=1e-9),
    composition.RenyiFilter(order=8, budget=1e-12), composition.GaussianFilter(mu=Fraction(10**30)),
    composition.Odometer(delta=1e-6), ap.protocol.Approximate(Log(Fraction(4, 3)), Fraction(1, 7)),
    ap.protocol.Pure(2), ap.protocol.GaussianDP(0.25),
    mechanisms.TreeCounter(horizon=8, epsilon=0.5),
    mechanisms.RandomizedResponse(epsilon=Log(Fraction(5, 2)), delta=0.01),
)  # fmt: skip


@over("value", MADE, at_least=12)
def test_what_is_printed_makes_it_again(value):
    assert eval(repr(value), dict(NAMES)) == value


def test_it_reads_well():
    assert repr(MADE[0]) == "BasicFilter(epsilon=1, delta=0)"
    assert repr(MADE[1]) == "BasicFilter(epsilon=Log(3), delta=1e-06)"
    assert repr(MADE[2]) == "ConcentratedFilter(rho=Fraction(1, 3), delta=0)"
    assert repr(MADE[7]) == "Approximate(epsilon=Log(Fraction(4, 3)), delta=Fraction(1, 7))"
    session = ap.ExtConComp(budget=MADE[0]).start()
    price = session.price(ap.Create(mechanisms.RandomizedResponse(epsilon=0.25)))
    assert repr(price) == "Price(charge=(0.25, 0), accepted=True)"


def test_nothing_of_the_corpus_prints_a_whole_number_as_a_fraction():
    for specimen in specimens():
        for example in specimen.examples:
            assert not re.search(r"Fraction\(-?\d+, 1\)", repr(example.part))


@given(st.fractions())
def test_a_rational_is_read_as_it_is_written(value):
    assert exact.fraction(eval(written(value), {"Fraction": Fraction})) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_so_is_what_a_float_stands_for(value):
    given = exact.fraction(value)
    assert exact.fraction(eval(written(given), {"Fraction": Fraction})) == given


def test_a_class_that_prints_itself_still_does():
    @ap.register("tests.Own/1")
    @attrs.frozen
    class Own:
        value: Fraction = Fraction(1, 2)
        hidden: int = attrs.field(default=3, repr=False)
        short: int = attrs.field(default=4, repr=lambda value: "four")

        def __repr__(self):
            return "mine"

    @ap.register("tests.Generated/1")
    @attrs.frozen
    class Generated:
        value: Fraction = Fraction(1, 2)
        hidden: int = attrs.field(default=3, repr=False)
        short: int = attrs.field(default=4, repr=lambda value: "four")

    assert repr(Own()) == "mine"
    assert repr(Generated()) == "Generated(value=0.5, short=four)"
