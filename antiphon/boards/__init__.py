"""Boards: private counts and sums by key of rows that people send, with a privacy statement.

``counts`` and ``sums`` define what is counted, the unit of privacy and the columns that are read;
``board.open(folder)`` runs it. ``SingleUserWindow``, ``SingleUser`` and ``SingleRow`` are its units
of privacy, ``BoundedSums`` the post-processor that bounds each user's contribution, ``SharedPurse``
the verification function of its counters. ``VectorSums`` is the post-processor for one Gaussian
counter, ``GroupedSums`` for rows that an engine has bounded, w.r.t. ``SumsWithin``. ``discovered``
are keys that a ``KeyOpener`` finds, ``DiscoveringSums`` and ``OpeningPurse`` their post-processor
and verification function, ``CellsWithin`` that of the opener. ``read_board`` reads a board from a
TOML file.
"""

from antiphon.boards.board import Board
from antiphon.boards.board_files import BoardFile, read_board
from antiphon.boards.bounded_sums import BoundedSums
from antiphon.boards.cells import BadRow
from antiphon.boards.defining import counts, sums
from antiphon.boards.discovering import Discovered, DiscoveringSums, discovered
from antiphon.boards.grouped_sums import GroupedSums, SumsWithin
from antiphon.boards.largest_keys import LargestKeys
from antiphon.boards.live import Fed, LiveBoard
from antiphon.boards.opener import CellsWithin, KeyOpener, OpeningPurse
from antiphon.boards.purse import SharedPurse
from antiphon.boards.series import BoardSeries
from antiphon.boards.units import Batches, SingleRow, SingleUser, SingleUserWindow
from antiphon.boards.vector_sums import VectorSums
from antiphon.numbers.public import shows

__all__ = [
    "BadRow",
    "Batches",
    "Board",
    "BoardFile",
    "BoardSeries",
    "BoundedSums",
    "CellsWithin",
    "Discovered",
    "DiscoveringSums",
    "Fed",
    "GroupedSums",
    "KeyOpener",
    "LargestKeys",
    "LiveBoard",
    "OpeningPurse",
    "SharedPurse",
    "SingleRow",
    "SingleUser",
    "SingleUserWindow",
    "SumsWithin",
    "VectorSums",
    "counts",
    "discovered",
    "read_board",
    "sums",
]
__dir__ = shows(__all__)
