"""What is said, by whom, with which coins: what all parts are made of.

``Mechanism``, ``ContinualMechanism``, ``Adversary``, ``PostProcessor`` and the chain of them;
``Pair``, ``Ask`` and the symbols that they say; ``spaces`` of messages; ``Claim`` and the
``measures`` of privacy; ``coins``; ``View``, ``Recording`` and the ``records`` of them.
"""

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
from antiphon.numbers.public import shows
from antiphon.protocol import spaces
from antiphon.protocol.adapters import (
    InteractiveAsContinual,
    NoninteractiveMechanism,
    mechanism,
)
from antiphon.protocol.adversary import Adversary, History, adversary, scripted
from antiphon.protocol.chain import Chain, PostProcessor
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins import Coins, Draw, SampledCoins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.coins.tapes import RecordedCoins, ReplayedCoins, outcomes
from antiphon.protocol.cursor import Side
from antiphon.protocol.exchanges import ExchangePostProcessor, TossingPostProcessor, exchange
from antiphon.protocol.forwarding import Forwarding
from antiphon.protocol.measures import (
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from antiphon.protocol.mechanism import ContinualMechanism, Mechanism
from antiphon.protocol.messages import (
    BOTTOM,
    EMPTY,
    HALT,
    TOP,
    Ask,
    Pair,
    Symbol,
    identical,
    same,
)
from antiphon.protocol.post_processor import IdentityPostProcessor, post_processor
from antiphon.protocol.records.interaction import interact, record, replay
from antiphon.protocol.records.rounds import Ending, Round
from antiphon.protocol.records.view import Recording, View
from antiphon.protocol.registry import register
from antiphon.protocol.session import Exchange, Session
from antiphon.protocol.spaces import Signature, Space

__all__ = [
    "BOTTOM",
    "EMPTY",
    "HALT",
    "TOP",
    "Adversary",
    "AntiphonError",
    "Approximate",
    "Ask",
    "BoundedRange",
    "BudgetExceeded",
    "Chain",
    "CheckpointError",
    "Claim",
    "Coins",
    "CompositionError",
    "ContinualMechanism",
    "Dominated",
    "DominatingPair",
    "Draw",
    "Ending",
    "Exchange",
    "ExchangePostProcessor",
    "ExecutorError",
    "FileError",
    "ForeignError",
    "Forwarding",
    "GaussianDP",
    "History",
    "IdentityPostProcessor",
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
    "ProtocolError",
    "Pure",
    "RecordedCoins",
    "Recording",
    "Renyi",
    "ReplayMismatch",
    "ReplayedCoins",
    "ResumeError",
    "Round",
    "SampledCoins",
    "Session",
    "Side",
    "Signature",
    "Space",
    "Status",
    "Symbol",
    "TossingPostProcessor",
    "TranscriptError",
    "UnknownOrder",
    "View",
    "ZeroConcentrated",
    "adversary",
    "column_safe",
    "exchange",
    "identical",
    "interact",
    "mechanism",
    "outcomes",
    "post_processor",
    "record",
    "register",
    "replay",
    "same",
    "scripted",
    "spaces",
]
__dir__ = shows(__all__, "coins", "exchanges", "measures", "records", "spaces")
