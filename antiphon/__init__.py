"""Antiphon: interactive mechanisms for differential privacy, built, replayed and verified.

* *Build*: ``mechanism``, ``adversary``, ``post_processor`` and ``exchange`` make parts of
  functions; ``@`` is the operator ∘*; ``mechanisms`` has those with a proof; ``ExtConComp`` and
  ``Create`` compose them; ``verifiers`` and ``composition`` have the verification functions f.
* *Play*: ``part.start()`` gives a ``Session``; ``interact``, ``record`` and ``replay`` play
  adversaries and give a ``View`` or a ``Recording``.
* *Verify*: ``guarantee`` by theorem; ``PrivacyGame`` exactly and on samples; ``equivalent``;
  ``check`` tries a part of your own.

The rooms above ``verifiers`` load when one of their names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from antiphon import verifiers
from antiphon.numbers.public import shows
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
    ForeignError,
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
    ResumeError,
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
    from antiphon import audit, composition, interop, mechanisms
    from antiphon.audit import PrivacyGame, equivalent
    from antiphon.audit.check import check
    from antiphon.composition import ConComp, Create, ExtConComp, Guarantee, guarantee
    from antiphon.interop import stream
    from antiphon.sessions.durable import resume

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
    "ForeignError",
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
    "ResumeError",
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
    "interop",
    "mechanism",
    "mechanisms",
    "outcomes",
    "post_processor",
    "record",
    "register",
    "replay",
    "resume",
    "same",
    "scripted",
    "spaces",
    "stream",
    "verifiers",
]

_ROOMS: Final = ("audit", "composition", "interop", "mechanisms")
_HOMES: Final = {
    "ConComp": "antiphon.composition",
    "Create": "antiphon.composition",
    "ExtConComp": "antiphon.composition",
    "Guarantee": "antiphon.composition",
    "PrivacyGame": "antiphon.audit",
    "check": "antiphon.audit.check",
    "equivalent": "antiphon.audit",
    "guarantee": "antiphon.composition",
    "resume": "antiphon.sessions.durable",
    "stream": "antiphon.interop",
}
"""Where the names live that are loaded when they are first used."""

if not TYPE_CHECKING:  # a checker would take every misspelt name for one that is loaded later

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"antiphon.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'antiphon' has no attribute {name!r}{_elsewhere(name)}")
        thing = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return thing


def _elsewhere(name: str) -> str:
    """The room of a class that is not here, for whoever looks for a counter in ``ap``."""
    if name[:1].isupper():
        for room in _ROOMS:
            if name in getattr(import_module(f"antiphon.{room}"), "__all__", ()):
                return f"; it is antiphon.{room}.{name}"
    return ""


__dir__ = shows(__all__, "__version__")


def _load() -> None:
    for room in _ROOMS:
        import_module(f"antiphon.{room}")


also_in(_load)
