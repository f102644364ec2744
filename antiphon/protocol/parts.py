# pyright: reportUnusedImport=false
"""What parts are written with: names that most files of other rooms take from the protocol.

So one line imports them. Each is defined in a file of its own, and public in one place, as ever:
at the top (``ap``) or in ``antiphon.protocol``.
"""

from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.chain import AnyChain, Chain, PostProcessor
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.coins.sampled import SampledCoins, generator
from antiphon.protocol.coins.tapes import outcomes
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.display import Card, ForPrograms, Grid, Part, Shown
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor
from antiphon.protocol.measures.conversions import converted
from antiphon.protocol.measures.kinds import (
    Approximate,
    BoundedRange,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
)
from antiphon.protocol.mechanism import ContinualMechanism, Mechanism
from antiphon.protocol.messages import BOTTOM, EMPTY, HALT, TOP, Ask, Pair, freeze, identical, same
from antiphon.protocol.provenance import assumed, foreign, proved
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.records.view import View
from antiphon.protocol.registry import register
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
