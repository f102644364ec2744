"""Private online learners of experts, as continual mechanisms: in each round they say which of d
experts to follow.

*The protocol.* A learner is a continual mechanism. An update is the loss ℓ_t of round t, an int64
array of d entries in {0, …, ``grid``}: entry i is the loss ℓ_t(i)/grid in [0, 1] of expert i. The
answer to an update is ⊤. The query ``ADVICE`` is answered by the index x_t of the expert to follow
in the round whose loss has not come yet. A round is ``ADVICE`` and then its loss; asking twice, or
never, is allowed and changes nothing: the next expert is decided when a loss comes, never on a
query (else one decision could read two losses). A learner takes ``horizon`` losses.

*Neighbours* are streams of losses that differ in one loss, replaced by any other; queries are the
same: ``updates_and_queries(event_level(), …)``, against adversaries that choose each loss after the
advice. *Regret* is Σ ℓ_t(x_t) - min_x Σ ℓ_t(x), in units of the largest loss (``regret``).

*The game* is an adversary that in turn asks for advice and sends a loss (``games``). It draws one
random integer, its *key*; the losses are a function of key, round and, if it is adaptive, of the
advice. So a view replays, and whole blocks of rounds are computed at once.

Contents: ``Hedge`` (multiplicative weights) and ``ShrinkingDartboard``, which are not private and
claim nothing; ``LazyExperts``, private because it rarely switches, and ``LazyPolicy``, the same
learner built of parts, from which its privacy is derived; ``LazyToPrivate``, which makes the
measures of any base algorithm private in this way (``l2p``); ``Softmax``, to stand on the left of a
private counter of the losses, and ``NoisyLeader``, which is such a chain. ``convex`` has learners
that choose a point of a convex body, by the same protocol, and ``oco`` lazy ones.
``antiphon.learners.contest`` plays any of them many times. ``distribution`` predicts labels of
users under local privacy.

Learners of functions, whose mistakes are counted, are in ``littlestone``.
"""

from antiphon.learners import convex, distribution, games, l2p, littlestone, oco
from antiphon.learners.contests import Standings, contest
from antiphon.learners.experts.lazy import LazyExperts, PrivateDartboard
from antiphon.learners.experts.lazy_policy import LazyPolicy, StayBit
from antiphon.learners.experts.noisy_leader import NoisyLeader, tree_ftrl
from antiphon.learners.experts.weighted import Hedge, ShrinkingDartboard, Softmax
from antiphon.learners.l2p.lazy_to_private import LazyToPrivate
from antiphon.learners.learner import ADVICE, Learner
from antiphon.learners.learner_choice import LearnerChoice, RankedLearner, choose
from antiphon.learners.regret import Regret, regret_of
from antiphon.numbers.public import shows

__all__ = [
    "ADVICE", "Hedge", "LazyExperts", "LazyPolicy", "LazyToPrivate", "Learner", "LearnerChoice",
    "NoisyLeader", "PrivateDartboard", "RankedLearner", "Regret", "ShrinkingDartboard", "Softmax",
    "Standings", "StayBit", "choose", "contest", "convex", "distribution", "games", "l2p",
    "littlestone", "oco", "regret_of",
    "tree_ftrl",
]  # fmt: skip
__dir__ = shows(__all__, "convex", "distribution", "games", "l2p", "littlestone", "oco")
