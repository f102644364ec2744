"""Antiphon: interactive mechanisms for differential privacy, built, replayed and verified.

The rooms above ``verifiers`` load when one of their names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from antiphon import verifiers
from antiphon.protocol import (
    BOTTOM,
    EMPTY,
    HALT,
    TOP,
    Adversary,
    AntiphonError,
    Ask,
    BudgetExceeded,
    CheckpointError,
    Claim,
    Coins,
    CompositionError,
    ContinualMechanism,
    ExchangePostProcessor,
    ExecutorError,
    FileError,
    InteractiveAsContinual,
    Intractable,
    InvalidArgument,
    Log,
    Mechanism,
    MissingExtra,
    NoninteractiveMechanism,
    Pair,
    PartError,
    PostProcessor,
    ProtocolError,
    Recording,
    ReplayMismatch,
    Session,
    Side,
    Signature,
    TranscriptError,
    UnknownOrder,
    View,
    adversary,
    column_safe,
    exchange,
    interact,
    mechanism,
    outcomes,
    post_processor,
    record,
    register,
    replay,
    same,
    scripted,
    spaces,
)
from antiphon.protocol.registry import also_in
from antiphon.verifiers import Identifier, Verification, Verifier

if TYPE_CHECKING:
    from antiphon import audit, composition, mechanisms
    from antiphon.audit import PrivacyGame, equivalent
    from antiphon.audit.check import check
    from antiphon.composition import ConComp, Create, ExtConComp, Guarantee, guarantee

__version__ = "0.1.0"

__all__ = [
    "BOTTOM",
    "EMPTY",
    "HALT",
    "TOP",
    "Adversary",
    "AntiphonError",
    "Ask",
    "BudgetExceeded",
    "CheckpointError",
    "Claim",
    "Coins",
    "CompositionError",
    "ConComp",
    "ContinualMechanism",
    "Create",
    "ExchangePostProcessor",
    "ExecutorError",
    "ExtConComp",
    "FileError",
    "Guarantee",
    "Identifier",
    "InteractiveAsContinual",
    "Intractable",
    "InvalidArgument",
    "Log",
    "Mechanism",
    "MissingExtra",
    "NoninteractiveMechanism",
    "Pair",
    "PartError",
    "PostProcessor",
    "PrivacyGame",
    "ProtocolError",
    "Recording",
    "ReplayMismatch",
    "Session",
    "Side",
    "Signature",
    "TranscriptError",
    "UnknownOrder",
    "Verification",
    "Verifier",
    "View",
    "adversary",
    "audit",
    "check",
    "column_safe",
    "composition",
    "equivalent",
    "exchange",
    "guarantee",
    "interact",
    "mechanism",
    "mechanisms",
    "outcomes",
    "post_processor",
    "record",
    "register",
    "replay",
    "same",
    "scripted",
    "spaces",
    "verifiers",
]

_ROOMS: Final = ("audit", "composition", "mechanisms")
_HOMES: Final = {
    "ConComp": "antiphon.composition",
    "Create": "antiphon.composition",
    "ExtConComp": "antiphon.composition",
    "Guarantee": "antiphon.composition",
    "PrivacyGame": "antiphon.audit",
    "check": "antiphon.audit.check",
    "equivalent": "antiphon.audit",
    "guarantee": "antiphon.composition",
}
"""Where the names live that are loaded when they are first used."""

if not TYPE_CHECKING:  # a checker would take every misspelt name for one that is loaded later

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"antiphon.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'antiphon' has no attribute {name!r}")
        thing = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return thing


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _load() -> None:
    for room in _ROOMS:
        import_module(f"antiphon.{room}")


also_in(_load)
