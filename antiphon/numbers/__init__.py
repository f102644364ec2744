# pyright: reportUnusedImport=false
"""Errors, exact values, intervals and the persistent vector. Imports nothing else of Antiphon.

What nearly every file of other rooms takes from here has a door: it is imported from the room, in
one line. The rest is imported from the file that defines it.
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
from antiphon.numbers.named import set_derived
from antiphon.numbers.printed import fixed_up, shown_down, shown_up, told_apart
