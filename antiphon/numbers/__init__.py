# pyright: reportUnusedImport=false
"""Errors, exact numbers, intervals, a persistent vector. Imports nothing else of Antiphon.

Other packages of the library import their most used names from here, in one line.
"""

from antiphon.numbers.errors import (
    CompositionError,
    Intractable,
    InvalidArgument,
    MissingExtra,
    PartError,
)
from antiphon.numbers.exact import Epsilon, ExactEpsilon, Log
from antiphon.numbers.interval import Floats, down, nearest, up
from antiphon.numbers.rounded_text import (
    fixed_up,
    shown_down,
    shown_short,
    shown_up,
    told_apart,
)
