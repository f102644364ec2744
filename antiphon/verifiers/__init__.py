# pyright: reportUnusedImport=false
"""Checks of messages: neighbouring relations, verification functions, verifiers and identifiers.

``ap.Identifier`` is I(b), ``ap.Verifier`` V[f]. An f is made by ``event_level``, ``user_level``,
``neighbouring_start`` and ``updates_and_queries`` from a relation that says which messages are
neighbours (``OneEntry``, ``Within``, ``AddOrRemove``, …), or is a subclass of ``ap.Verification``.
"""

from antiphon.numbers.public import shows
from antiphon.protocol.verification import Refused
from antiphon.verifiers.alternating import AlternatingDifferences, OneItem
from antiphon.verifiers.models import (
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    updates_and_queries,
    user_level,
)
from antiphon.verifiers.relations import (
    AddOrRemove,
    AnyTwo,
    EachWithin,
    Monotone,
    Near,
    OfUpdates,
    OneEntry,
    OnlyEntry,
    Relation,
    ReplacedRow,
    Within,
)
from antiphon.verifiers.verifier import Identifier, Verifier

__all__ = [
    "AddOrRemove", "AlternatingDifferences", "AnyTwo", "EachWithin", "Monotone", "Near",
    "OfUpdates", "OneEntry", "OneItem", "OnlyEntry", "Refused", "Relation", "ReplacedRow",
    "Within", "bounded", "event_level", "every_pair", "neighbouring_start",
    "updates_and_queries", "user_level",
]  # fmt: skip
__dir__ = shows(__all__)
