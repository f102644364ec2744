"""Sales attributed to advertisements, with a budget for each week (docs/attribution.md).

A device keeps what it has shown, by epoch (a week). A site asks for a report: which advertisement
was the last one before a sale, with noise on each entry. No epoch is to lose more than its budget.
"""

from fractions import Fraction

import attrs

import antiphon as ap
from antiphon.composition import BasicFilter, Refusal
from antiphon.protocol import Pure
from antiphon.protocol.spaces import BITS, Either, Finite, Tuples
from antiphon.verifiers import AddOrRemove, OfUpdates, updates_and_queries, user_level

UNIT = 2
"""e^ε of one entry of a report, which is flipped with probability 1/(1 + UNIT)."""
BUDGET = BasicFilter(epsilon=ap.Log(UNIT**2))  # a report can differ in two entries: pays for one
SALE = "sale"


@ap.register("examples.attribution/1")
@attrs.frozen
class Device(ap.ContinualMechanism):
    """(epoch, 1): shown, each epoch has an advertisement of its own. SALE -> a noisy report.

    ``everywhere``: a report is charged to all epochs that it looks at, not to the one it found.
    """

    epochs: int
    everywhere: bool

    @property
    def signature(self):
        updates = Tuples((Finite(range(self.epochs)), BITS))
        answers = Either((Finite((ap.TOP,)), Tuples((BITS,) * self.epochs)))
        return ap.Signature(Either((updates, Finite((SALE,)))), answers, updates)

    @property
    def initial_state(self):
        return (0,) * self.epochs, (BUDGET.initial_state,) * self.epochs

    def step(self, state, message, coins):
        shown, spent = state
        if message != SALE:
            epoch, bit = message
            return (_replaced(shown, epoch, shown[epoch] | bit), spent), ap.TOP
        paid = [BUDGET.charge(each, Pure(ap.Log(UNIT**2))) for each in spent]
        seen = [bit and type(after) is not Refusal for bit, after in zip(shown, paid, strict=True)]
        last = max((epoch for epoch, bit in enumerate(seen) if bit), default=None)
        for epoch, after in enumerate(paid):
            if type(after) is not Refusal and (self.everywhere or epoch == last):
                spent = _replaced(spent, epoch, after)
        flips = [int(coins.bernoulli(Fraction(1, 1 + UNIT))) for _ in shown]
        return (shown, spent), tuple(flip ^ (epoch == last) for epoch, flip in enumerate(flips))


def _replaced(values, place, value):
    return (*values[:place], value, *values[place + 1 :])


def game(epochs, everywhere):
    """All that was shown in one epoch, against nothing shown in it."""
    f = updates_and_queries(user_level(OfUpdates(AddOrRemove(0))), Finite((SALE,)))
    return ap.PrivacyGame(Device(epochs, everywhere), f)


def tight(epochs, everywhere):
    """The least ε against all adversaries with as many sales as epochs."""
    return game(epochs, everywhere).tight_epsilon(delta=0, rounds=2 * epochs)


if __name__ == "__main__":
    print("epochs   charged: the epoch that was found   all that were looked at")
    for epochs in (1, 2, 3):
        found, all_of_them = (tight(epochs, everywhere) for everywhere in (False, True))
        print(f"{epochs:6}   {found!s:34} {all_of_them} of {BUDGET.epsilon}")
    for rule, epsilon in ((False, ap.Log(4)), (True, ap.Log(2))):
        print(f"\nThe best adversary at {epsilon}:")
        print(game(2, rule).best_adversary(epsilon=epsilon, rounds=4).tree())
