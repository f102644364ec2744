# pyright: reportUnusedImport=false
"""The protocol: messages, the parties that exchange them, and the coins (randomness) they draw.

The classes for everyday use are exported at the top (``ap.Mechanism``): mechanisms, adversaries,
post-processors, messages, claims and views. This package also exports:

* *Parts*: ``Chain``, ``IdentityPostProcessor``, ``TossingPostProcessor``, ``Forwarding``;
  ``in_turn`` asks a list of questions in an exchange.
* *Messages*: ``Signal``, ``Space``, ``identical``, ``History``.
* *Measures of privacy*: ``Pure``, ``Approximate``, ``ZeroConcentrated``, ``Renyi``, ``GaussianDP``,
  ``BoundedRange``, ``Dominated``; ``measures`` converts one measure to another.
* *Coins*: ``SampledCoins``, ``RecordedCoins``, ``ReplayedCoins``, ``Draw``.
* *Records*: ``Round``, ``Ending``, ``Exchange``.

Other packages of the library import their most used names from here, in one line.
"""

from antiphon.numbers.public import shows
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.adversary import Adversary, History
from antiphon.protocol.chain import AnyChain, Chain, PostProcessor
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins.coins import Coins, Draw
from antiphon.protocol.coins.sampled import SampledCoins, generator
from antiphon.protocol.coins.tapes import RecordedCoins, ReplayedCoins, outcomes
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.display import Card, ForPrograms, Grid, Part, Shown
from antiphon.protocol.exchanges.functions import TossingPostProcessor
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor, in_turn
from antiphon.protocol.forwarding import Forwarding
from antiphon.protocol.measures.conversions import converted
from antiphon.protocol.measures.kinds import (
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Measure,
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
    Signal,
    freeze,
    identical,
    same,
)
from antiphon.protocol.post_processor import IdentityPostProcessor
from antiphon.protocol.provenance import assumed, proved, why_untrusted
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.records.rounds import Ending, Round
from antiphon.protocol.records.view import View
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.session import Exchange
from antiphon.protocol.spaces import (
    BITS,
    Anything,
    Arrays,
    Either,
    Finite,
    Integers,
    Reals,
    Signature,
    Space,
    Tuples,
)
from antiphon.protocol.verification import Refused, Verification, read

__all__ = [
    "Approximate",
    "BoundedRange",
    "Chain",
    "Dominated",
    "DominatingPair",
    "Draw",
    "Ending",
    "Exchange",
    "Forwarding",
    "GaussianDP",
    "History",
    "IdentityPostProcessor",
    "Pure",
    "RecordedCoins",
    "Renyi",
    "ReplayedCoins",
    "Round",
    "SampledCoins",
    "Signal",
    "Space",
    "Status",
    "TossingPostProcessor",
    "ZeroConcentrated",
    "identical",
    "in_turn",
]
__dir__ = shows(__all__, "measures")
