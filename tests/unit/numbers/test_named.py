"""A converter says the name of the field that it converts, whichever that is."""

from fractions import Fraction

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon.mechanisms import fields
from antiphon.numbers import named


@attrs.frozen(kw_only=True)
class Parameters:
    rate: Fraction = attrs.field(default=Fraction(1), converter=named.positive)
    offset: Fraction = attrs.field(default=Fraction(0), converter=named.fraction)
    copies: int = attrs.field(default=1, converter=named.whole)
    width: float = attrs.field(default=1, converter=fields.double)
    rows: int = attrs.field(
        default=1, converter=fields.size, metadata=fields.at_most(9, "merge some")
    )
    columns: int | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.size), metadata=fields.ITEMS
    )


def test_what_is_taken_is_exact():
    made = Parameters(rate=0.1, offset=-0.5, copies=3, width=Fraction(1, 4), rows=9, columns=4096)
    assert made == Parameters(
        rate=Fraction(1, 10), offset=Fraction(-1, 2), copies=3, width=0.25, rows=9, columns=4096
    )
    assert (type(made.rate), type(made.width)) == (Fraction, float)
    assert Parameters().columns is None


@over(
    ("bad", "says"),
    [
        ({"rate": 0}, "rate must be positive, not 0"),
        ({"rate": "1"}, "rate must be a finite int, float or Fraction, not a str"),
        ({"offset": float("nan")}, "offset must be a finite"),
        ({"copies": True}, "copies must be an int >= 1"),
        ({"width": Fraction(1, 10**400)}, "width must be a number that a double can hold"),
        ({"width": Fraction(1, 10**4000)}, "width has more than 8192 bits"),
        ({"rows": 0}, "rows must be an int >= 1"),
        ({"rows": 10}, "rows must be at most 9: merge some"),
        ({"columns": 4097}, "columns must be at most 4096: merge items"),
    ],
)
def test_what_is_refused_is_named(bad, says):
    with pytest.raises(ap.InvalidArgument, match=says):
        Parameters(**bad)
