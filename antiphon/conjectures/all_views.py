"""The best adversary of a composition, and the gradient of its gain in each mechanism's law. The
gain is the sum of loss(p, q) over its views, of probability p in world ``bit`` and q in the other.

All views at once: the histories of n mechanisms form an array with n axes, for each choice of their
lengths. A backward pass computes U: the loss of (Π x_j⁰, Π x_j¹) where the adversary stops, and
elsewhere the best Σ U over the answers, for the best pair m sent to a mechanism j. Here x_j^b is
the probability of a history of mechanism j in world b of the privacy game (b = 0 or 1: the side of
each pair that mechanisms get). A forward pass along the best choices finds the views at which the
adversary stops; given these, the gain is linear in each law, or has a linear tangent from below.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple, TypeAlias

import attrs
import numpy as np

from antiphon.audit.exact.strategy import StrategyAdversary, StrategyNode
from antiphon.composition.creation import Create
from antiphon.conjectures import law_trees
from antiphon.conjectures.exact_figures import Loss
from antiphon.protocol import TOP, Ask, ContinualMechanism, Pair, same

Lengths: TypeAlias = tuple[int, ...]
"""The number of questions that each mechanism has been asked, as a tuple."""
_MORE: float = 1e-12
"""The largest increase of a gain that counts as rounding error."""


class Party(NamedTuple):
    """One mechanism of a composition: the tree of its possible histories, and the probabilities of
    these in world ``bit`` (``own``) and in the other world of the privacy game."""

    levels: law_trees.Tree
    own: list[law_trees.Doubles]
    other: list[law_trees.Doubles]


class Best(NamedTuple):
    """The best adversary of a composition: its gain, its choices, and the partial derivatives of
    the loss in p and q at the views where it stops."""

    gain: float
    parties: list[Party]
    slopes: dict[Lengths, tuple[law_trees.Doubles, law_trees.Doubles]]
    choices: dict[Lengths, law_trees.Ints]
    """For the views with given numbers of questions, the adversary's choice at each: 0 to stop,
    else a code of the mechanism asked and the pair."""


class AllViews:
    """A search for the best adversary of a composition of mechanisms with given laws."""

    def __init__(self, tree: law_trees.Tree, sparse: int, loss: Loss) -> None:
        self._trees = tree, law_trees.turned(tree)
        self._sparse, self._loss = sparse, loss

    def best(self, laws: list[law_trees.Doubles], bit: int) -> Best:
        """The best adversary against mechanisms with these laws; in its gain, p is a view's
        probability in world ``bit``."""
        return best(self._trees[bit], laws, self._sparse, self._loss)

    def slope(self, seen: Best, place: int, size: int) -> law_trees.Doubles:
        """The gradient of the gain of the adversary ``seen`` in the law number ``place``, which has
        ``size`` entries."""
        return gains(seen, place, size)


def best(tree: law_trees.Tree, laws: list[law_trees.Doubles], sparse: int, loss: Loss) -> Best:
    """The best adversary of a composition of mechanisms with these laws, by dynamic programming
    over all views: at most ``sparse`` mechanisms get a pair with different sides."""
    parties = [_party(tree, law) for law in laws]
    rounds, count = len(tree) - 1, len(laws)
    order = sorted(product(range(rounds + 1), repeat=count), key=sum, reverse=True)
    values: dict[Lengths, law_trees.Doubles] = {}
    choices: dict[Lengths, law_trees.Ints] = {}
    for lengths in order:
        own, other = (_joint(parties, side, lengths) for side in (1, 2))
        value, choice = loss.of(own, other), np.zeros(own.shape, np.int64)
        value[_differing(parties, lengths) > sparse] = -np.inf
        for place, length in enumerate(lengths):
            if length < rounds:
                after = values[one_more(lengths, place)]
                _ask(value, choice, after, parties[place].levels[length + 1], place)
        values[lengths], choices[lengths] = value, choice
    stops = _followed(parties, choices, list(reversed(order)))
    slopes: dict[Lengths, tuple[law_trees.Doubles, law_trees.Doubles]] = {}
    for lengths, here in stops.items():
        if here.any():
            both = loss.slopes(*(_joint(parties, side, lengths) for side in (1, 2)))
            slopes[lengths] = here * both[0], here * both[1]
    return Best(values[(0,) * count].item(), parties, slopes, choices)


def gains(found: Best, mechanism: int, size: int) -> law_trees.Doubles:
    """The gradient of an adversary's gain in the law of the mechanism with this number: an array
    with ``size`` entries."""
    total = np.zeros(size)
    for lengths, slopes in found.slopes.items():
        level = found.parties[mechanism].levels[lengths[mechanism]]
        for side, slope in enumerate(slopes):
            mass = np.moveaxis(slope, mechanism, 0)
            for place in reversed(range(len(lengths))):
                if place != mechanism:
                    chances = found.parties[place][1 + side][lengths[place]]
                    # Unlike @, ``einsum`` adds in the same order on every machine.
                    mass = np.einsum("...i,i->...", mass, chances)
            np.add.at(total, level.heard[side], mass)
    return total


def _party(tree: law_trees.Tree, law: law_trees.Doubles) -> Party:
    levels = law_trees.pruned(tree, law)
    own, other = ([law[level.heard[side]] for level in levels] for side in (0, 1))
    return Party(levels, own, other)


def _joint(parties: list[Party], side: int, lengths: Lengths) -> law_trees.Doubles:
    """The joint probabilities of the histories of all mechanisms, of these lengths: an array with
    an axis for each mechanism. ``side`` is 1 for world ``bit``, 2 for the other world."""
    joint: law_trees.Doubles = np.ones(())
    for party, length in zip(parties, lengths, strict=True):
        joint = joint[..., None] * party[side][length]
    return joint


def _differing(parties: list[Party], lengths: Lengths) -> law_trees.Ints:
    """The number of mechanisms that got a pair with different sides, for each combination of
    histories of these lengths: an array with an axis for each mechanism."""
    found: law_trees.Ints = np.zeros((), np.int64)
    for party, length in zip(parties, lengths, strict=True):
        found = found[..., None] + party.levels[length].differs
    return found


def _ask(
    value: law_trees.Doubles,
    choice: law_trees.Ints,
    after: law_trees.Doubles,
    level: law_trees.OneLength,
    place: int,
) -> None:
    """Updates ``value`` and ``choice``, the adversary's gain and choice at each view, in place:
    where it gains more by asking mechanism number ``place`` a pair, it chooses to do so.

    A choice is 0 to stop, else a code that ``asked`` decodes.
    """
    if not len(level.pairs):
        return
    groups = np.moveaxis(np.add.reduceat(after, level.starts, axis=place), place, 0)
    value, choice = np.moveaxis(value, place, 0), np.moveaxis(choice, place, 0)
    for pair in np.unique(level.pairs).tolist():
        said = level.pairs == pair
        parents = level.parents[said]
        better = groups[said] > value[parents] + _MORE
        value[parents] = np.where(better, groups[said], value[parents])
        choice[parents] = np.where(better, _said(place, pair), choice[parents])


def _said(place: int, pair: int) -> int:
    return 1 + place * law_trees.MOST_PAIRS + pair


def asked(choice: int) -> tuple[int, int]:
    """The question that a choice other than 0 encodes: (number of the mechanism, index of the
    pair)."""
    return divmod(choice - 1, law_trees.MOST_PAIRS)


def one_more(lengths: Lengths, mechanism: int) -> Lengths:
    """The numbers of questions asked, after one more question to this mechanism."""
    return (*lengths[:mechanism], lengths[mechanism] + 1, *lengths[mechanism + 1 :])


def _followed(
    parties: list[Party], choices: dict[Lengths, law_trees.Ints], order: list[Lengths]
) -> dict[Lengths, law_trees.Mask]:
    """For each view, whether the adversary comes to it by following its choices, and stops
    there."""
    met = {lengths: np.zeros(choice.shape, np.bool_) for lengths, choice in choices.items()}
    met[order[0]][...] = True
    rounds = max(order[-1])
    for lengths in order:
        here, choice = met[lengths], choices[lengths]
        for place, length in enumerate(lengths):
            if length == rounds:
                continue
            level = parties[place].levels[length + 1]
            doing = np.where(here, choice, 0)
            after = np.moveaxis(met[one_more(lengths, place)], place, 0)
            before = np.moveaxis(doing, place, 0)[level.parents[level.group]]
            said = _said(place, 0) + level.pairs[level.group]
            after |= before == said.reshape(-1, *(1,) * (before.ndim - 1))
    return {lengths: met[lengths] & (choices[lengths] == 0) for lengths in order}


def strategy(
    found: Best,
    pairs: tuple[Pair[object], ...],
    mechanisms: Sequence[ContinualMechanism],
    answers: int,
    growth: Fraction,
    bit: int,
) -> StrategyAdversary:
    """The adversary ``found`` as a decision tree: it creates all mechanisms in order, and then
    follows its choices."""
    creations = [
        StrategyNode(same(Create(each)), ((TOP, place + 1),))
        for place, each in enumerate(mechanisms)
    ]
    builder = _Builder(found, pairs, answers, float(growth), creations)
    builder.add((0,) * len(mechanisms), (0,) * len(mechanisms))
    return StrategyAdversary(tuple(builder.nodes), bit, growth, Fraction(0))


@attrs.frozen
class _Builder:
    """A builder of the nodes of a decision tree; children come after their parent."""

    _found: Best
    _pairs: tuple[Pair[object], ...]
    _answers: int
    _growth: float
    nodes: list[StrategyNode]

    def add(self, lengths: Lengths, place: tuple[int, ...]) -> int:
        """Adds the node of a view to the tree, with all nodes below it; returns its number."""
        number = len(self.nodes)
        choice = int(self._found.choices[lengths][place])
        if not choice:
            own, other = self._likely(lengths, place)
            self.nodes.append(StrategyNode(accuses=own > self._growth * other))
            return number
        mechanism, pair = asked(choice)
        said = self._pairs[pair]
        # The node is numbered before its children, but holds their numbers: it is filled in below.
        self.nodes.append(StrategyNode())
        message = Pair(Ask(said.zero, mechanism), Ask(said.one, mechanism))
        branches = tuple(self._answered(lengths, place, mechanism, pair))
        self.nodes[number] = StrategyNode(message, branches)
        return number

    def _answered(
        self, lengths: Lengths, place: tuple[int, ...], mechanism: int, pair: int
    ) -> list[tuple[object, int]]:
        """A branch (answer, number of the next node) for each possible answer to this pair."""
        after = one_more(lengths, mechanism)
        level = self._found.parties[mechanism].levels[after[mechanism]]
        follows = (level.parents == place[mechanism]) & (level.pairs == pair)
        branches: list[tuple[object, int]] = []
        for child in np.flatnonzero(follows[level.group]).tolist():
            below = (*place[:mechanism], child, *place[mechanism + 1 :])
            if any(self._likely(after, below)):
                answer = (int(level.heard[0][child]) - 1) % self._answers
                branches.append((answer, self.add(after, below)))
        return branches

    def _likely(self, lengths: Lengths, place: tuple[int, ...]) -> tuple[float, float]:
        """The probabilities p and q of a view: in world ``bit`` of the gain, and in the other
        world."""
        own = other = 1.0
        for party, length, node in zip(self._found.parties, lengths, place, strict=True):
            own, other = own * party.own[length][node], other * party.other[length][node]
        return float(own), float(other)
