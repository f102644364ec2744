"""What checks messages: identifiers, verification functions, verifiers."""

from antiphon.protocol.verification import Refused, Verification
from antiphon.verifiers.identifier import Identifier
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
from antiphon.verifiers.verifier import Verifier

__all__ = [
    "AddOrRemove",
    "AnyTwo",
    "EachWithin",
    "Identifier",
    "Monotone",
    "Near",
    "OfUpdates",
    "OneEntry",
    "OnlyEntry",
    "Refused",
    "Relation",
    "ReplacedRow",
    "Verification",
    "Verifier",
    "Within",
    "bounded",
    "event_level",
    "every_pair",
    "neighbouring_start",
    "updates_and_queries",
    "user_level",
]
