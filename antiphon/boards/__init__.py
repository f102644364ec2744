"""Boards."""

from antiphon.boards.bounded_sums import BoundedSums
from antiphon.boards.purse import SharedPurse
from antiphon.boards.units import Batches, OneRow, OneUser, OneUserWindow
