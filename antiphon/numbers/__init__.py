# pyright: reportUnusedImport=false
"""Errors, exact numbers, intervals, a persistent vector. Imports nothing else of Antiphon.

It is a door, too: what files of other rooms take most often is imported from here, in one line.
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
from antiphon.numbers.rounded_text import fixed_up, shown_down, shown_up, told_apart
