"""Which properties of P does CM Theorem 6.1 need? Each of the three: without it more is lost.

P keeps one mechanism for all bits; if that answers 1, another one is created and asked about the
bit, too. Both are sought, under different claims.
Run: antiphon conjecture examples/conjectures/post_processors.py:DESTINATION
     or RESPONSE, or VALIDITY; and WITH_ALL_THREE is the theorem
"""

from functools import partial

import attrs

import antiphon as ap
from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.conjectures import AnyMechanism, Conjecture, GamePattern
from antiphon.protocol.spaces import BITS, Anything, Signature
from antiphon.verifiers.models import bounded, event_level

ROUNDS = 3
EVENT = bounded(event_level(), ROUNDS)
"""f, and f' of each mechanism: one bit differs."""


@ap.register("example.AsksAgain/1")
@attrs.frozen
class AsksAgain(ap.ExchangePostProcessor[tuple[int, int]]):
    """State: how many mechanisms there are, and the bit before if P is to mix it in."""

    steady: ap.Create
    extra: ap.Create
    lacks: str = ""

    @property
    def initial_state(self):
        return 0, 0

    def signature(self, right):
        return Signature(BITS, Anything(), BITS)

    def exchange(self, state, bit):
        made, before = state
        if not made:
            yield self.steady
        made = max(made, 1)
        heard = yield ap.Ask(bit, 0)
        kept = bit if self.lacks == "f→f'" else 0
        if self.lacks == "response":
            heard = bit
        if (bit if self.lacks == "destination" else heard) != 1:
            return (made, kept), (heard, None)
        yield self.extra
        again = yield ap.Ask(max(bit, before), made)
        return (made + 1, kept), (heard, again)


def game(lacks, steady, extra):
    """I∘*P∘*ExtConComp."""
    processor = AsksAgain(ap.Create(steady), ap.Create(extra), lacks)
    return ap.PrivacyGame(ComplexMechanism(processor), EVENT)


PAIRS = tuple(ap.Pair(zero, one) for zero in (0, 1) for one in (0, 1))
PARTS = (
    AnyMechanism(epsilon=ap.Log(2), delta=0.1, inner=EVENT, pairs=PAIRS),
    AnyMechanism(epsilon=ap.Log(3), inner=EVENT, pairs=PAIRS),
)
COMPOSED = ap.composition.accounting.optimal([(ap.Log(2), 0.1), (ap.Log(3), 0)])
"""Of one mechanism of each claim: what f' = f_∞ of both promises, and so the theorem. 11/20."""


def claim(lacks):
    pattern = GamePattern(parts=PARTS, compose=partial(game, lacks), rounds=ROUNDS)
    return Conjecture(pattern, COMPOSED, answers=2)


DESTINATION, RESPONSE, VALIDITY = map(claim, ("destination", "response", "f→f'"))
WITH_ALL_THREE = claim("")
