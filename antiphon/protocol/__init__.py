"""The protocol: messages, the parties that say them, and the coins they toss.

What everybody needs is at the top (``ap.Mechanism``): mechanisms, adversaries, post-processors,
messages, claims and views. Here is the rest:

* *Parts*: ``Chain``, ``IdentityPostProcessor``, ``TossingPostProcessor``, ``Forwarding``;
  ``in_turn`` asks a list of questions in an exchange.
* *What is said*: ``Symbol``, ``Space``, ``identical``, ``History``.
* *Measures of privacy*: ``Pure``, ``Approximate``, ``ZeroConcentrated``, ``Renyi``, ``GaussianDP``,
  ``BoundedRange``, ``Dominated``; ``measures`` has what one implies in another.
* *Coins*: ``SampledCoins``, ``RecordedCoins``, ``ReplayedCoins``, ``Draw``.
* *Records*: ``Round``, ``Ending``, ``Exchange``.
"""

from antiphon.numbers.public import shows
from antiphon.protocol.adversary import History
from antiphon.protocol.chain import Chain
from antiphon.protocol.claims import Status
from antiphon.protocol.coins.coins import Draw
from antiphon.protocol.coins.sampled import SampledCoins
from antiphon.protocol.coins.tapes import RecordedCoins, ReplayedCoins
from antiphon.protocol.exchanges.functions import TossingPostProcessor
from antiphon.protocol.exchanges.processor import in_turn
from antiphon.protocol.forwarding import Forwarding
from antiphon.protocol.measures.kinds import (
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from antiphon.protocol.messages import Symbol, identical
from antiphon.protocol.post_processor import IdentityPostProcessor
from antiphon.protocol.records.rounds import Ending, Round
from antiphon.protocol.session import Exchange
from antiphon.protocol.spaces import Space

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
    "Space",
    "Status",
    "Symbol",
    "TossingPostProcessor",
    "ZeroConcentrated",
    "identical",
    "in_turn",
]
__dir__ = shows(__all__, "measures")
