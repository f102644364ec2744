"""``antiphon counterexample``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import attrs

from antiphon.audit.counterexample import CounterexampleAdversary
from antiphon.audit.statistical.proportions import MOST_TRIALS, clopper_pearson
from antiphon.cli.commands import trial as trials
from antiphon.cli.output import print_json
from antiphon.cli.written import shown
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import rational
from antiphon.numbers.interval import up
from antiphon.numbers.printed import fixed_down, fixed_up, shown_down
from antiphon.protocol.messages import HALT
from antiphon.protocol.records.files import refuse_taken

_NEVER = 1 - 1e-9
"""The confidence at which a rate that misses the exact probability counts as a failure."""


@attrs.frozen
class Demonstration:
    """Everything that is printed."""

    adversary: CounterexampleAdversary
    worlds: tuple[trials.Trial, trials.Trial]
    confidence: float
    halted: bool
    reason: str | None
    saved: Path | None

    @property
    def runs(self) -> int:
        return sum(world.runs for world in self.worlds)

    @property
    def right(self) -> int:
        return sum(world.right for world in self.worlds)

    @property
    def interval(self) -> tuple[float, float]:
        return clopper_pearson(self.right, self.runs, confidence=self.confidence)

    @property
    def advantage(self) -> float:
        """P[says 1 | b = 1] - P[says 1 | b = 0], for "say 1 iff the bit was read to be 1"."""
        zero, one = self.worlds
        return one.right / one.runs - zero.wrong / zero.runs

    @property
    def holds(self) -> bool:
        """The theory: never a wrong bit, the rate as computed, and f_{∞,FPC} halts it."""
        low, high = clopper_pearson(self.right, self.runs, confidence=_NEVER)
        wrong = sum(world.wrong for world in self.worlds)
        return wrong == 0 and low <= self.adversary.success <= high and self.halted


def counterexample(
    *,
    delta: str,
    copies: int,
    runs: int,
    seed: int | None,
    confidence: float,
    save: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Play, print, and return the exit status."""
    exact = rational(delta, "delta")
    if exact > 1:
        raise InvalidArgument(f"delta is a probability, so at most 1, not {delta}")
    if not 0 < confidence < 1:
        raise InvalidArgument(f"confidence must lie between 0 and 1, not {confidence}")
    if 2 * runs > MOST_TRIALS:
        raise InvalidArgument(f"at most {MOST_TRIALS // 2:,} runs, not {runs:,}")
    refuse_taken([] if save is None else [save], force)
    adversary = CounterexampleAdversary(delta=exact, copies=copies)
    trials.check_size(adversary)
    zero, one = (trials.trial(adversary, bit, runs, seed) for bit in (0, 1))
    if save is not None:
        trials.telling_view(adversary, seed).save(save, overwrite=force)
    guarded = trials.guarded_view(adversary, seed)
    halted = bool(guarded.rounds) and guarded.rounds[-1].answer is HALT
    outcome = Demonstration(adversary, (zero, one), confidence, halted, guarded.why_halted, save)
    if as_json:
        print_json(_data(outcome, seed))
    else:
        print("\n".join(_lines(outcome, seed)))
    return 0 if outcome.holds else 1


def _data(outcome: Demonstration, seed: int | None) -> dict[str, object]:
    adversary = outcome.adversary
    success = f"{adversary.success.numerator:x}/{adversary.success.denominator:x}"
    fraction = str(adversary.success) if len(success) < 400 else None
    return {
        "delta": str(adversary.delta),
        "copies": adversary.copies,
        "runs_per_bit": outcome.worlds[0].runs,
        "seeded": seed is not None,
        "worlds": [attrs.asdict(world) for world in outcome.worlds],
        "rate": outcome.right / outcome.runs,
        "confidence": outcome.confidence,
        "interval": list(outcome.interval),
        "method": "Clopper-Pearson",
        "exact": {"probability": up(adversary.success), "fraction": fraction},
        "advantage": {"observed": outcome.advantage, "exact": up(adversary.success)},
        "promised_by_one_parameter": up(adversary.delta),
        "first_pair_consistent": {"halted": outcome.halted, "reason": outcome.reason},
        "saved": None if outcome.saved is None else str(outcome.saved),
        "holds": outcome.holds,
    }


def _lines(outcome: Demonstration, seed: int | None) -> Iterator[str]:
    adversary, (low, high) = outcome.adversary, outcome.interval
    delta, success = shown(adversary.delta), shown(adversary.success)
    rate, wrong = outcome.right / outcome.runs, sum(world.wrong for world in outcome.worlds)
    inside = "inside" if low <= adversary.success <= high else "outside"
    least, most = fixed_down(100 * Fraction(low), 4), fixed_up(100 * Fraction(high), 4)
    share = fixed_up(100 * adversary.success, 4)
    label = f"{shown_down(100 * exact.fraction(outcome.confidence), 10)} % interval"
    yield (
        f"M_δ with δ = {delta}, at most {adversary.copies:,} copies, through V[f_∞] ∘* I(b) ∘* "
        f"ExtConComp with the one parameter (0, {delta})"
    )
    for world in outcome.worlds:
        yield f"  b = {world.bit}: learned in {world.right:,} of {world.runs:,} runs"
    yield f"  learned the bit in        {rate:.4%} of all runs; named a wrong bit {wrong} times"
    yield f"  {label:<24}  [{least}%, {most}%] (Clopper-Pearson)"
    yield f"  1-(1-δ)^ℓ                 {share}% = {success}, {inside} it"
    yield (
        f"  distinguishing advantage  {outcome.advantage:.4%} observed, {success} exactly: "
        f"the tight δ at ε = 0, where one M_δ has {delta}"
    )
    verb = "halts it" if outcome.halted else "does NOT halt it"
    yield f"The same adversary against V[f_∞,FPC]: the verifier {verb}: {outcome.reason}"
    if outcome.saved is not None:
        yield f"One view is in {outcome.saved}; try: antiphon replay {outcome.saved}"
    if seed is not None:
        yield "Seeded: for study, not for release."
    if not outcome.holds:
        yield "This is NOT what theory says: please report it."
