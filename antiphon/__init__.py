"""Antiphon: interactive mechanisms for differential privacy, built, replayed and verified.

* *Build*: ``mechanism``, ``adversary``, ``post_processor`` and ``exchange`` make parts of
  functions; ``@`` is the operator ∘*; ``mechanisms`` has those with a proof; ``ExtConComp`` and
  ``Create`` compose them; ``verifiers`` and ``composition`` have the verification functions f.
* *Play*: ``part.start()`` gives a ``Session``; ``interact``, ``record`` and ``replay`` play
  adversaries and give a ``View`` or a ``Recording``.
* *Verify*: ``guarantee`` by theorem; ``PrivacyGame`` exactly and on samples; ``equivalent``;
  ``check`` tries a part of your own.

A name stands in one place: what is here is in no room, and docs/reference.md lists them all.
The rooms above ``verifiers`` load when one of their names is first used.
"""

from importlib import import_module
from pathlib import Path
from sys import modules
from typing import TYPE_CHECKING, Any, Final

from antiphon import verifiers
from antiphon.numbers.errors import (
    AntiphonError,
    BudgetExceeded,
    CheckpointError,
    CompositionError,
    ExecutorError,
    FileError,
    ForeignError,
    Intractable,
    InvalidArgument,
    MissingExtra,
    PartError,
    ProtocolError,
    ReplayMismatch,
    ResumeError,
    TranscriptError,
    UnknownOrder,
)
from antiphon.numbers.exact import Log
from antiphon.numbers.public import found, shows
from antiphon.numbers.symbolic import Symbol
from antiphon.protocol import spaces
from antiphon.protocol.adapters import InteractiveAsContinual, NoninteractiveMechanism, mechanism
from antiphon.protocol.adversary import Adversary, adversary, scripted
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.tapes import outcomes
from antiphon.protocol.cursor import Side
from antiphon.protocol.exchanges.functions import exchange
from antiphon.protocol.exchanges.processor import ExchangePostProcessor
from antiphon.protocol.mechanism import ContinualMechanism, Mechanism
from antiphon.protocol.messages import BOTTOM, EMPTY, HALT, TOP, Ask, Pair, same
from antiphon.protocol.post_processor import post_processor
from antiphon.protocol.records.interaction import interact, record, replay
from antiphon.protocol.records.view import Recording, View
from antiphon.protocol.registry import also_in, column_safe, register
from antiphon.protocol.session import Accounts, Session, accounts_from
from antiphon.protocol.spaces import Signature
from antiphon.protocol.verification import Verification
from antiphon.verifiers.verifier import Identifier, Verifier

if TYPE_CHECKING:
    from antiphon import (
        audit,
        boards,
        composition,
        conjectures,
        graybox,
        interop,
        learners,
        mechanisms,
        preprocessing,
        sessions,
    )
    from antiphon.audit.check import check
    from antiphon.audit.exact.comparison import equivalent
    from antiphon.audit.game import PrivacyGame
    from antiphon.composition.concurrent import ConComp, ExtConComp
    from antiphon.composition.creation import Create
    from antiphon.composition.guarantees.guarantee import Guarantee, guarantee
    from antiphon.interop.frames import stream
    from antiphon.sessions.durable.resuming import begin, resume

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
    "Symbol",
    "TranscriptError",
    "UnknownOrder",
    "Verification",
    "Verifier",
    "View",
    "adversary",
    "audit",
    "begin",
    "boards",
    "check",
    "column_safe",
    "composition",
    "conjectures",
    "equivalent",
    "exchange",
    "graybox",
    "guarantee",
    "interact",
    "interop",
    "learners",
    "mechanism",
    "mechanisms",
    "outcomes",
    "post_processor",
    "preprocessing",
    "record",
    "register",
    "replay",
    "resume",
    "same",
    "scripted",
    "sessions",
    "spaces",
    "stream",
    "verifiers",
]

_ROOMS: Final = ("composition", "sessions", "mechanisms", "audit")
_WINGS: Final = ("learners", "preprocessing", "conjectures", "graybox", "boards", "interop")
"""Optional subpackages: the library works without them, and none of them imports another."""
_HOMES: Final = {
    "ConComp": "antiphon.composition.concurrent",
    "Create": "antiphon.composition.creation",
    "ExtConComp": "antiphon.composition.concurrent",
    "Guarantee": "antiphon.composition.guarantees.guarantee",
    "PrivacyGame": "antiphon.audit.game",
    "check": "antiphon.audit.check",
    "equivalent": "antiphon.audit.exact.comparison",
    "guarantee": "antiphon.composition.guarantees.guarantee",
    "begin": "antiphon.sessions.durable.resuming",
    "resume": "antiphon.sessions.durable.resuming",
    "stream": "antiphon.interop.frames",
}
"""The module of each name of ``antiphon`` that is imported only when the name is first used."""

if not TYPE_CHECKING:  # a type checker would accept every misspelt name

    def __getattr__(name: str) -> Any:
        if name in _present():
            return import_module(f"antiphon.{name}")
        if name in _WINGS:
            raise AttributeError(f"antiphon.{name} is not here: this copy has no folder {name}")
        if name not in _HOMES:
            told = f"module 'antiphon' has no attribute {name!r}{_elsewhere(name)}"
            raise AttributeError(told, name=name, obj=modules[__name__])
        thing = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return thing


_METHODS: Final = ("tight_delta", "tight_epsilon", "privacy_curve", "best_adversary", "play")


def _elsewhere(name: str) -> str:
    """The subpackage of a name that ``ap`` lacks, for the error message about it."""
    if name in _METHODS:
        return f"; it is a method of a game: ap.PrivacyGame(M, f).{name}(…)"
    if name in ("compose", "optimal"):
        return f"; it is antiphon.composition.accounting.{name}"
    if not name.startswith("_"):
        for room in ("", *_present()):
            home = f"antiphon.{room}".rstrip(".")
            for each in getattr(import_module(home), "__all__", ()):
                if _alike(each) == _alike(name):  # tree_counter and TreeCounter are alike
                    return f"; it is {home}.{each}"
    return ""


def _alike(name: str) -> str:
    return name.replace("_", "").lower()


__dir__ = shows(__all__, "__version__")


def _present() -> list[str]:
    """The subpackages loaded on first use, without optional ones that this copy lacks."""
    return [room for room in (*_ROOMS, *_WINGS) if (Path(__file__).parent / room).is_dir()]


def _load() -> None:
    rooms = _present()
    for room in rooms:
        import_module(f"antiphon.{room}")
    # the service defines a mechanism that files may contain
    if (Path(__file__).parent / "service").is_dir():
        import_module("antiphon.service.event_counters")
    if "conjectures" in rooms:  # modules named ``patterns``, in any folder, use classes of it
        found("patterns")


def _spending() -> Accounts:
    from antiphon.sessions import spending

    return spending


also_in(_load)
accounts_from(_spending)
