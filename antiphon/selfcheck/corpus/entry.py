"""Entries of the audit corpus: a target, a claim about it, players that test it, and the audit.

The players (adversaries) of the standard targets send the input pairs of the literature. An audit
shows which claims are refuted, beside which ones should be.
"""

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal, Union

import attrs
import numpy as np

from antiphon.audit import AuditReport, PrivacyGame
from antiphon.audit.statistical import Rates, p_value
from antiphon.numbers.exact import ExactEpsilon
from antiphon.populations.play import Feature
from antiphon.protocol import Claim, ContinualMechanism, Pair, Status
from antiphon.protocol.adversary import Adversary, scripted


@attrs.frozen
class Player:
    """A player: a named adversary that tests the claim of an entry of the audit corpus."""

    name: str
    """A short name of the player, such as "1⁵ | 2⁵" for 1, 1, 1, 1, 1 against 2, 2, 2, 2, 2."""
    adversary: Adversary = attrs.field(repr=False)


@attrs.frozen
class Truth:
    """The known truth about a corpus entry's claim, for its best player; None where unknown."""

    exact: float | None = None
    """The true ε at the claimed δ; ``math.inf`` if the target is (ε, δ)-DP for no ε."""
    at_one_percent: float | None = None
    """The largest ln(P/c) of an event of probability c = 0.01 in one world and P in the other."""
    delta: float | None = None
    """The true δ at the claimed ε."""


@attrs.frozen
class Entry:
    """A target of the corpus: a system, a claim about it, and the players that test the claim.

    The claim is true iff ``private``; a false claim has ``Status.REFUTED``.
    """

    name: str
    system: ContinualMechanism
    claim: Claim
    players: tuple[Player, ...]
    truth: Truth = Truth()
    samples: int = 200_000
    """The number of interactions in each world that an audit needs to refute a false claim."""
    thorough: int = 4_000_000
    """The number of interactions in each world for which the lower bound should reach ``goal``."""
    score: str = "auto"
    """How the audit ranks views, as in ``audit``; "places": by one number of each view, where more
    would take too long."""
    feature: Feature = attrs.field(default=tuple, repr=False)
    """A function from a view's answers to the feature for the audit; by default all answers."""
    goal: float | None = None
    """The lower bound that an audit of ``thorough`` samples should reach with confidence 90 %."""
    goal_of: Literal["epsilon", "delta"] = "epsilon"
    """The parameter that ``goal`` bounds: ε at the claimed δ, or δ at the claimed ε."""

    @property
    def private(self) -> bool:
        """Whether the claim is true."""
        return self.claim.status is not Status.REFUTED

    @property
    def parameters(self) -> tuple[ExactEpsilon, Fraction]:
        """The (ε, δ) of the claim."""
        return self.claim.parameters

    @property
    def game(self) -> PrivacyGame:
        """The privacy game of the claim."""
        return PrivacyGame(self.system, self.claim.verification)


_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
Answers = tuple[int, ...]
"""The answers of n queries on one dataset, which are the input of one world."""


def input_pairs(n: int) -> Iterator[tuple[str, Answers, Answers]]:
    """The pairs of inputs of Ding et al. 2018, Table 2, for n queries: (name, input of world 0, of
    world 1).

    One order of each pair is enough, as an audit tries both worlds.
    """
    ones, half = (1,) * n, n // 2
    power, less = (str(each).translate(_RAISED) for each in (n, n - 1))
    yield f"1{power} | 0·1{less}", ones, (0, *ones[1:])
    yield f"1{power} | 2·1{less}", ones, (2, *ones[1:])
    yield f"1{power} | 2·0{less}", ones, (2, *(0,) * (n - 1))
    yield f"1{power} | 0·2{less}", ones, (0, *(2,) * (n - 1))
    yield f"1{power} | 2…0…", ones, (2,) * half + (0,) * (n - half)
    yield f"1{power} | 2{power}", ones, (2,) * n
    yield f"1{power} | 0{power}", ones, (0,) * n
    yield "1…0… | 0…1…", (1,) * half + (0,) * (n - half), (0,) * half + (1,) * (n - half)


def at_once(n: int, most: int = 8) -> tuple[Player, ...]:
    """A player for each of the first ``most`` pairs of inputs of Ding et al. 2018: its only message
    is that pair of tuples of n answers."""
    pairs = list(input_pairs(n))[:most]
    return tuple(Player(name, scripted([Pair(a, b)])) for name, a, b in pairs)


def one_by_one(n: int) -> tuple[Player, ...]:
    """Players with n messages each, for the pairs of inputs of Ding et al. 2018: message i is the
    pair of the two answers to query i."""
    return tuple(Player(name, scripted(list(map(Pair, a, b)))) for name, a, b in input_pairs(n))


def saying(name: str, pairs: Sequence[object]) -> Player:
    """A player that sends these pairs in order, whatever the answers."""
    return Player(name, scripted(pairs))


LEVEL: Final = 1e-3
"""A bound on the probability that an audit of the whole corpus refutes any true claim."""
CONFIDENCE: Final = 0.9
"""The confidence of each lower bound, taken singly."""

TRAINING: Final = 1_000_000
"""The number of samples from which an audit chooses player and event, or a quarter of all samples,
if that is more."""
MOST_TRAINING: Final = 8_000_000
"""The largest number of training samples, since they are held in memory."""


@attrs.frozen
class AuditedEntry:
    """An audited entry: the audit's report, and whether its verdict is the expected one."""

    entry: Entry
    report: AuditReport = attrs.field(repr=False)
    level: float
    """The significance level of this entry's verdict: LEVEL, divided by the number of entries."""
    seconds: float

    @property
    def p_value(self) -> float:
        """The p-value of the claim, on fresh samples of the event that the audit chose."""
        return p_value(self.report.hits, epsilon=self.report.epsilon, delta=self.report.delta)

    @property
    def epsilon_lower(self) -> float:
        """A lower bound on the true ε at the claimed δ, with confidence CONFIDENCE."""
        return self._rates.epsilon_at(self.report.delta)

    @property
    def delta_lower(self) -> float:
        """A lower bound on the true δ at the claimed ε, with confidence CONFIDENCE."""
        return self._rates.delta_at(self.report.epsilon)

    @property
    def _rates(self) -> Rates:
        return Rates.of(self.report.hits, alpha=1 - CONFIDENCE)

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted, at a significance level that holds for the whole corpus."""
        return self.p_value <= self.level

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is right: a true claim is not refuted, a false one is."""
        return self.refuted != self.entry.private

    @property
    def bound(self) -> float:
        """The lower bound on ε or on δ, whichever of them the entry's ``goal`` is for."""
        return self.epsilon_lower if self.entry.goal_of == "epsilon" else self.delta_lower

    @property
    def reached(self) -> bool | None:
        """Whether the lower bound has reached the entry's goal; None if it has no goal."""
        goal = self.entry.goal
        return None if goal is None else self.bound >= goal


def examine(
    entry: Entry,
    *,
    seed: np.random.SeedSequence,
    entries: int = 1,
    thorough: bool = False,
    samples: int | None = None,
    executor: Union[int, Literal["serial"], None] = None,
    checkpoint: Path | None = None,
) -> AuditedEntry:
    """The audit of one entry's claim; training samples choose the best of its players.

    Args: ``entries``, how many are audited together, over which LEVEL is divided; ``thorough``,
    whether samples and event are chosen to reach the goal, or only to decide; ``samples`` in each
    world, if not the entry's own number; ``executor`` and ``checkpoint``, see ``audit``.
    """
    started = time.perf_counter()
    epsilon, delta = entry.parameters
    level = LEVEL / entries
    views = samples or (entry.thorough if thorough else entry.samples)
    # The event with the best bound on ε may be rare, and so refutes a false claim less often.
    bounding = thorough and not delta and (entry.private or entry.goal is not None)
    report = entry.game.audit(
        [player.adversary for player in entry.players],
        epsilon=epsilon,
        delta=delta,
        samples=views,
        training=min(views // 2, max(TRAINING, views // 4), MOST_TRAINING),
        confidence=CONFIDENCE if bounding else 1 - level,
        feature=entry.feature,
        score=entry.score,
        objective="epsilon" if bounding else "delta",
        seed=seed,
        executor=executor,
        checkpoint=checkpoint,
        progress=False,
    )
    return AuditedEntry(entry, report, level, time.perf_counter() - started)
