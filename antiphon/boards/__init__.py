"""Boards: private counts and sums by key of rows that people send, from a CSV file to a statement.

``counts`` and ``sums`` define what is counted, the unit of privacy and the columns that are read;
``board.open(folder)`` runs it. ``SingleUserWindow``, ``SingleUser`` and ``SingleRow`` are its units
of privacy, ``BoundedSums`` the post-processor that bounds each user's contribution, ``SharedPurse``
the verification function of its counters.
"""

from antiphon.boards.board import Board, counts, sums
from antiphon.boards.bounded_sums import BoundedSums
from antiphon.boards.cells import BadRow
from antiphon.boards.live import Fed, LiveBoard
from antiphon.boards.purse import SharedPurse
from antiphon.boards.series import BoardSeries
from antiphon.boards.units import Batches, SingleRow, SingleUser, SingleUserWindow
from antiphon.numbers.public import shows

__all__ = [
    "BadRow",
    "Batches",
    "Board",
    "BoardSeries",
    "BoundedSums",
    "Fed",
    "LiveBoard",
    "SharedPurse",
    "SingleRow",
    "SingleUser",
    "SingleUserWindow",
    "counts",
    "sums",
]
__dir__ = shows(__all__)
