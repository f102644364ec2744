"""The audits of one claim: with a fixed number of samples, or valid at any time.

The anytime-valid audit bets on fresh samples until the claim is refuted or the samples end. Each
round uses as many samples for training as for betting, if memory allows, and lasts twice as long as
the round before: its adversary, event and stakes depend on earlier rounds and training only.

Sources: Ville 1939; Waudby-Smith and Ramdas 2024 (betting); González, Dulce Rubio, Ramdas and
Ribero 2025 (e-processes that audit privacy).
"""

import math
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import attrs
import numpy as np

from antiphon.audit.running import Outcome
from antiphon.audit.statistical import estimators
from antiphon.audit.statistical.audit_report import AuditReport, Tested
from antiphon.audit.statistical.estimators import Hits, down, exp_up, up
from antiphon.audit.statistical.event import Choice, Event
from antiphon.audit.statistical.experiment import (
    BETTING,
    LEAST_ROUND,
    TESTING,
    VACUOUS,
    CountHits,
    Playing,
    Setting,
    Trace,
    child_seed,
    merge_trace,
)
from antiphon.audit.statistical.search import Candidate, budgets
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.rounded_text import shown_up
from antiphon.protocol import LEFT, Adversary, Pair, Refused, identical
from antiphon.protocol.coins.sampled import generator
from antiphon.protocol.records.interaction import interact
from antiphon.verifiers.verifier import Verifier

_PLAYS: Final = 64


def why_vacuous(playing: Playing, adversary: Adversary, seed: np.random.SeedSequence) -> str:
    """Why an audit tests nothing: V[f] lets no differing pair pass in a few plays; else "".

    Views without a differing pair have the same law in both worlds, for any mechanism. The plays
    end at the first such pair, so a normal audit needs only one.
    """
    said = pairs = differing = 0
    reason = ""
    for number in range(_PLAYS):
        world = playing.game.mechanism(number % 2)
        guard = world.links[0]
        if not isinstance(guard, Verifier):
            return ""
        view = interact(
            adversary, world, rounds=playing.rounds, seed=child_seed(seed, VACUOUS, number)
        )
        state = guard.initial_state
        for message in view.messages:
            said += 1
            pairs += type(message) is Pair
            differs = type(message) is Pair and not identical(message.zero, message.one)
            differing += differs
            state, _, _ = guard.step(state, LEFT, message, None)
            if type(state) is Refused:
                reason = state.reason
            elif differs:
                return ""
    if not said:
        return "nothing was said"
    if not pairs:
        return "every view was halted by V[f]: its messages are no pairs; say Pair(m0, m1), same(m)"
    if not differing:
        return f"no differing pair was sent in {_PLAYS} plays, so both worlds are the same"
    return f"every view was halted by V[f] before a differing pair could pass: {reason}"


def make_report(
    setting: Setting, candidate: Candidate, event: Event, refuted: bool, **found: Any
) -> AuditReport:
    """The report of an audit of one adversary and event, given its bounds and counts."""
    player, playing, goal = candidate.adversary, setting.playing, setting.goal
    return AuditReport(
        verdict="refuted" if refuted else "not refuted", epsilon=goal.epsilon, delta=goal.delta,
        confidence=setting.confidence, adversary=candidate.name, event=event, player=player,
        vacuous="" if refuted else why_vacuous(playing, player, setting.root), **found,
    )  # fmt: skip


Method: TypeAlias = Literal["clopper-pearson", "label", "anytime"]
Chosen: TypeAlias = tuple[Candidate, Choice]

_WORDS: Final = {
    "clopper-pearson": "two Clopper-Pearson bounds at α/2, on an event chosen on other samples",
    "label": "one Clopper-Pearson bound on guesses of a random label, by an event chosen on "
    "other samples",
}


def fixed_audit(
    setting: Setting, candidates: list[Candidate], method: Method, correction: estimators.Correction
) -> AuditReport:
    """An audit of fixed size: choose adversary and event, and test them on fresh views."""
    if correction == "select":
        chosen: list[Chosen] = [setting.best(candidates, setting.trained)]
    else:
        chosen = [
            (each, setting.choose(each, setting.trained, 0, place))
            for place, each in enumerate(candidates)
        ]
    views, label = setting.goal.trials, None
    if method == "label":
        views, label = 2 * views, 1 / (1 + exp_up(setting.goal.epsilon))
    outcomes = [
        _count(setting, pair, views, (TESTING, place), place, label)
        for place, pair in enumerate(chosen)
    ]
    return _report(setting, len(candidates), chosen, outcomes, method, correction)


def _count(
    setting: Setting, chosen: Chosen, views: int, key: tuple[int, ...], place: int = 0,
    label: float | None = None,
) -> Outcome[Trace]:  # fmt: skip
    """The counts of ``views`` fresh views in a chosen event; their seed is derived from the audit's
    by ``key``."""
    candidate, choice = chosen
    task = CountHits(setting.playing, candidate.adversary, choice.event, label)
    seed, wide = child_seed(setting.root, *key), bool(choice.event.wide)
    return setting.workforce.run(task, merge_trace, views, seed, wide=wide, place=place)


def _report(
    setting: Setting,
    candidates: int,
    chosen: list[Chosen],
    outcomes: list[Outcome[Trace]],
    method: Method,
    correction: estimators.Correction,
) -> AuditReport:
    goal = setting.goal
    looks = max(outcome.looks for outcome in outcomes)
    setting = setting.after(looks)
    alpha = goal.alpha / len(chosen)
    hits = [Hits(*outcome.result[-1]) for outcome in outcomes]
    rates = [estimators.Rates.of(each, alpha=alpha) for each in hits]
    lows = [_delta_lower(each, goal.epsilon, alpha, method) for each in hits]
    tests = _tests(setting, chosen, hits, correction) if len(chosen) > 1 else ()
    best = max(range(len(chosen)), key=lambda i: (lows[i], -tests[i].p_value if tests else 0.0))
    (candidate, choice), low = chosen[best], lows[best]
    refuted = low > goal.delta
    tested = outcomes[best].done // (2 if method == "label" else 1)
    counts = (hits[best], alpha) if method == "clopper-pearson" else None
    found = candidate.adversary, choice.event, rates[best].low, low, counts
    return make_report(
        setting, candidate, choice.event, refuted,
        delta_lower=low,
        epsilon_lower=max(each.epsilon_at(goal.delta) for each in rates),
        samples=setting.trained + tested,
        tested=tested,
        method=_WORDS[method],
        correction=_correction(correction, candidates) + repetition_note(looks, goal.alpha),
        hits=hits[best],
        tests=tests,
        trace=tuple(Hits(*point) for point in outcomes[best].result),
        alpha_each=alpha if method == "clopper-pearson" else None,
        looks=looks,
        interrupted=any(outcome.interrupted for outcome in outcomes),
        counterexample=setting.show(*found) if refuted else None,
    )  # fmt: skip


def _delta_lower(hits: Hits, epsilon: float, alpha: float, method: Method) -> float:
    if method == "clopper-pearson":
        return estimators.Rates.of(hits, alpha=alpha).delta_at(epsilon)
    correct, labels = hits.own + hits.others - hits.against, hits.trials + hits.others
    return estimators.label_delta_lower_bound(correct, labels, epsilon=epsilon, alpha=alpha)


def _tests(
    setting: Setting,
    chosen: list[Chosen],
    hits: list[Hits],
    correction: estimators.Correction,
) -> tuple[Tested, ...]:
    goal = setting.goal
    p_values = [estimators.p_value(each, epsilon=goal.epsilon, delta=goal.delta) for each in hits]
    adjusted = (estimators.holm if correction == "holm" else estimators.bonferroni)(p_values)
    return tuple(
        Tested(candidate.name, choice.event, each, p, together)
        for (candidate, choice), each, p, together in zip(
            chosen, hits, p_values, adjusted, strict=True
        )
    )


def _correction(correction: estimators.Correction, candidates: int) -> str:
    if candidates == 1:
        return "one hypothesis was tested, so none was needed"
    if correction == "select":
        return (
            f"one hypothesis was tested: one of {candidates} adversaries, chosen on training "
            "samples, so none was needed"
        )
    each = f"{candidates} hypotheses were tested, each bounded at α/{candidates} (Bonferroni)"
    if correction == "bonferroni":
        return each
    return f"{each}, and so is the verdict; which of them are refuted, by Holm's method"


def repetition_note(looks: int, alpha: float) -> str:
    """A sentence about earlier reports on the same growing samples, each of which was one more
    chance of an error."""
    if looks == 1:
        return ""
    return (
        f"; this is report {looks} of samples that grew, each wrong with probability at most "
        f"α = {shown_up(alpha, 3)}, so the confidence is that of all {looks} together"
    )


class Batch(NamedTuple):
    """Counts of pairs of views, one of each world: both are in the event S, one of them, or none.

    X is 1 iff the view of the favoured world b is in S, and Y iff that of 1 − b is.
    """

    both: int
    ahead: int
    """The number of pairs of which only the view of the favoured world is in the event."""
    behind: int
    """The number of pairs of which only the view of the other world is in the event."""
    neither: int


@attrs.define
class EProcess:
    """An anytime-valid test of "(ε, δ)-DP", by bets: reject once the wealth K is >= 1/α.

    K_t = Π(1 + λ_i (X_i − e^ε Y_i − δ)) with X_i the indicator of an event under b and
    Y_i of the same event under 1−b. Under the claim each factor has conditional mean at most 1
    given the past, for any event, inputs, adversary and stake chosen from the past; so by Ville's
    inequality K ever reaches 1/α with probability at most α.
    """

    epsilon: float
    delta: float
    log_wealth: float = 0.0
    pairs: int = 0

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise InvalidArgument(f"delta must lie in [0, 1), not {self.delta!r}")
        exp_up(self.epsilon)

    @property
    def most(self) -> float:
        """The upper limit of the stake λ, at most 1/(e^ε + δ): all factors stay positive."""
        return 1 / up(up(exp_up(self.epsilon) + self.delta))

    @property
    def gains(self) -> tuple[float, float, float, float]:
        """The gain X − e^ε Y − δ of each kind of pair, in the order of ``Batch``, rounded down. X
        is 1 iff the view of the favoured world is in the event, and Y iff that of the other is."""
        rate = exp_up(self.epsilon)
        both, ahead, behind, neither = (1 - rate, 1.0, -rate, 0.0)
        return (both - self.delta, ahead - self.delta, behind - self.delta, neither - self.delta)

    def update(self, batch: Batch, *, stake: float) -> float:
        """Bet the stake λ, chosen before the batch was drawn; the log of the wealth K after it.

        Raises: InvalidArgument unless 0 <= stake < 1/(e^ε + δ).
        """
        if not 0 <= stake < self.most:
            raise InvalidArgument(f"stake must lie in [0, {self.most}), not {stake!r}")
        for count, gain in zip(batch, self.gains, strict=True):
            if count:
                self.log_wealth = down(self.log_wealth + count * down(math.log1p(stake * gain)))
        self.pairs += sum(batch)
        return self.log_wealth

    def rejects(self, *, alpha: float) -> bool:
        """Whether the claim is refuted at level α."""
        return self.log_wealth >= -down(math.log(alpha))

    def best_stake(self, batch: Batch) -> float:
        """The stake λ that grows the wealth most on a batch: a choice for the *next* batch."""
        low, high = 0.0, self.most * 0.999
        for _ in range(30):
            third = (high - low) / 3
            if self._growth_at(batch, low + third) < self._growth_at(batch, high - third):
                low += third
            else:
                high -= third
        return (low + high) / 2

    def _growth_at(self, batch: Batch, stake: float) -> float:
        return sum(n * math.log1p(stake * gain) for n, gain in zip(batch, self.gains, strict=True))


_FIRST: Final = 500
_LONGEST: Final = 1 << 27
DELTAS: Final = tuple(i / 64 for i in range(64))
EPSILONS: Final = (0.0, *(0.01 * 1.12**i for i in range(64)))
"""The ε of further claims, which are tested for a lower bound on ε: up to 12.6."""


@attrs.define
class Ladder:
    """E-processes of weaker and weaker claims, for a bound on ε or δ.

    The bound is the last claim before the first that is not refuted. The first claim at or above
    the true ε is true, and the bound exceeds the true ε only if that claim is refuted: with
    probability at most α.
    """

    steps: tuple[float, ...]
    processes: tuple[EProcess, ...]
    fallen: set[int] = attrs.field(factory=set[int])

    def bet(self, batch: Batch, expected: Batch, *, alpha: float) -> None:
        """Bet on a batch in each e-process, with the best stakes for the ``expected`` batch."""
        for place, process in enumerate(self.processes):
            process.update(batch, stake=process.best_stake(expected))
            if process.rejects(alpha=alpha):
                self.fallen.add(place)

    @property
    def bound(self) -> float:
        """The last of the claims that are refuted without a gap; −1 if the first is not refuted."""
        place = next((i for i in range(len(self.steps)) if i not in self.fallen), len(self.steps))
        return self.steps[place - 1] if place else -1.0


def sequential_audit(setting: Setting, candidates: list[Candidate]) -> AuditReport:
    """Audit by bets in rounds, until the claim is refuted or the samples are used up."""
    if setting.workforce.checkpoint is not None:
        raise InvalidArgument("an anytime audit keeps no checkpoint: pass method='clopper-pearson'")
    goal, total = setting.goal, setting.trained + setting.goal.trials
    deltas = sorted({*DELTAS, goal.delta})
    epsilons = sorted({*EPSILONS, goal.epsilon})
    ladders = (
        Ladder(tuple(deltas), tuple(EProcess(goal.epsilon, each) for each in deltas)),
        Ladder(tuple(epsilons), tuple(EProcess(each, goal.delta) for each in epsilons)),
    )
    used, bets, number = 0, Hits(0, 0, 0, 0), 0
    rounds = len(budgets(len(candidates), 1))
    size = max(_FIRST, 2 * LEAST_ROUND * (rounds - 1) * (len(candidates) + 1))
    while True:
        size = min(size, _LONGEST, (total - used) // 2)
        trained = min(size, setting.trained)
        candidate, choice = setting.best(candidates, trained, number)
        outcome = _count(setting, (candidate, choice), size, (BETTING, number, 0))
        hits = Hits(*outcome.result[-1])
        batch = _paired(hits, child_seed(setting.root, BETTING, number, 1))
        for ladder in ladders:
            ladder.bet(batch, _expected(choice), alpha=goal.alpha)
        used, bets, number = used + trained + size, bets + hits, number + 1
        refuted = ladders[0].bound >= goal.delta
        size *= 2
        if refuted or outcome.interrupted or total - used < size:
            break
    low, fallen = max(0.0, ladders[0].bound), [deltas[place] for place in ladders[0].fallen]
    event, share = choice.event, choice.hits.own / choice.hits.trials
    return make_report(
        setting, candidate, event, refuted,
        delta_lower=low,
        epsilon_lower=max(0.0, ladders[1].bound),
        samples=used,
        tested=bets.trials,
        method=estimators.betting_words(number, hits, goal.alpha, goal.delta in fallen),
        correction="one e-process tests the claim for any re-chosen event, so none was needed",
        hits=bets,
        interrupted=outcome.interrupted,
        counterexample=setting.show(candidate.adversary, event, share, low) if refuted else None,
    )  # fmt: skip


def _paired(hits: Hits, seed: np.random.SeedSequence) -> Batch:
    """The counts of pairs of views, one from each world, matched at random: both are in the event,
    one of them, or none."""
    coins = generator(seed)
    both = int(coins.hypergeometric(hits.own, hits.trials - hits.own, hits.against))
    ahead, behind = hits.own - both, hits.against - both
    return Batch(both, ahead, behind, hits.trials - both - ahead - behind)


def _expected(choice: Choice) -> Batch:
    """The batch that is expected from the tuning views, with four invented views against the event:
    two of its own world outside it, two of the other inside."""
    own = choice.hits.own / (choice.hits.trials + 2)
    against = (choice.hits.against + 2) / (choice.hits.others + 2)
    scale = 10**6
    kinds = (own * against, own * (1 - against), (1 - own) * against, (1 - own) * (1 - against))
    return Batch(*(round(scale * kind) for kind in kinds))
