"""The command ``antiphon counterexample``: sparse parallel composition broken for δ > 0."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np

from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game, learned_bit
from antiphon.audit.statistical.estimators import MOST_TRIALS, clopper_pearson
from antiphon.cli.output import exact_number, print_json
from antiphon.numbers import Intractable, InvalidArgument, exact, up
from antiphon.numbers.exact import rational
from antiphon.numbers.rounded_text import fixed_down, fixed_up, shown_down
from antiphon.populations.play import play_population
from antiphon.protocol import HALT, View
from antiphon.protocol.records.files import refuse_taken

_NEVER = 1 - 1e-9
"""A confidence level: if the exact probability is outside this interval around the observed rate,
the command fails."""


@attrs.frozen
class Demonstration:
    """The result of ``antiphon counterexample``: all figures that it prints."""

    adversary: CounterexampleAdversary
    worlds: "tuple[Trial, Trial]"
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
        """The adversary's advantage P[guess 1 | b = 1] - P[guess 1 | b = 0], observed; it guesses 1
        only when an answer has revealed b = 1."""
        zero, one = self.worlds
        return one.right / one.runs - zero.wrong / zero.runs

    @property
    def holds(self) -> bool:
        """Whether the games went as the theory says: no wrong guess, a rate of right guesses that
        fits the exact probability, and a HALT from the verifier of f_{∞,FPC}."""
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
    """Play the counterexample, print the result, and return the exit status."""
    exact = rational(delta, "delta")
    if exact > 1:
        raise InvalidArgument(f"delta is a probability, so at most 1, not {delta}")
    if not 0 < confidence < 1:
        raise InvalidArgument(f"confidence must lie between 0 and 1, not {confidence}")
    if 2 * runs > MOST_TRIALS:
        raise InvalidArgument(f"at most {MOST_TRIALS // 2:,} runs, not {runs:,}")
    refuse_taken([] if save is None else [save], force)
    adversary = CounterexampleAdversary(delta=exact, copies=copies)
    check_size(adversary)
    zero, one = (trial(adversary, bit, runs, seed) for bit in (0, 1))
    if save is not None:
        telling_view(adversary, seed).save(save, overwrite=force)
    guarded = guarded_view(adversary, seed)
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
        "delta": adversary.delta,
        "copies": adversary.copies,
        "runs_per_bit": outcome.worlds[0].runs,
        "seeded": seed is not None,
        "worlds": outcome.worlds,
        "rate": outcome.right / outcome.runs,
        "confidence": outcome.confidence,
        "interval": outcome.interval,
        "method": "Clopper-Pearson",
        "exact": {"probability": up(adversary.success), "fraction": fraction},
        "advantage": {"observed": outcome.advantage, "exact": up(adversary.success)},
        "promised_by_one_parameter": up(adversary.delta),
        "first_pair_consistent": {"halted": outcome.halted, "reason": outcome.reason},
        "saved": outcome.saved,
        "holds": outcome.holds,
    }


def _lines(outcome: Demonstration, seed: int | None) -> Iterator[str]:
    adversary, (low, high) = outcome.adversary, outcome.interval
    delta, success = exact_number(adversary.delta), exact_number(adversary.success)
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


_MOST_BITS = 1 << 18
_TRIES = 200


@attrs.frozen
class Trial:
    """The result of the games in one world: the numbers of right and wrong guesses of the bit."""

    bit: int
    runs: int
    right: int
    wrong: int


def check_size(adversary: CounterexampleAdversary) -> None:
    """Check that the exact probability 1-(1-δ)^copies is not too long a fraction. Raises:
    Intractable."""
    bits = adversary.copies * adversary.delta.denominator.bit_length()
    if bits > _MOST_BITS:
        raise Intractable("the exact probability 1-(1-δ)^copies", f"{bits} bits", _MOST_BITS)


def stream(seed: int | None, *key: int) -> np.random.SeedSequence | None:
    """A random stream derived from the seed, another one for each ``key``; None without a seed, for
    system entropy."""
    return None if seed is None else np.random.SeedSequence(seed, spawn_key=key)


def trial(adversary: CounterexampleAdversary, bit: int, runs: int, seed: int | None) -> Trial:
    """Play ``runs`` games in world ``bit``, as replicas that share a step while their states are
    equal."""
    mechanism = counterexample_game(adversary.delta).mechanism(bit)
    counts = play_population(
        adversary, mechanism, replicas=runs, feature=_guess, seed=stream(seed, bit)
    )
    return Trial(bit, runs, counts.get(bit, 0), counts.get(1 - bit, 0))


def _guess(answers: Sequence[object]) -> int | None:
    """The bit that the last answer reveals to the adversary; None if it reveals none."""
    return answers[-1] if type(answers[-1]) is int else None


def telling_view(adversary: CounterexampleAdversary, seed: int | None) -> View:
    """A view of a game in which the adversary learned the bit or, if none of many games was such,
    one in which it did not."""
    game = counterexample_game(adversary.delta)
    view = game.play(adversary, bit=1, seed=stream(seed, 2, 0))
    for number in range(1, _TRIES):
        if learned_bit(view) is not None:
            break
        view = game.play(adversary, bit=1, seed=stream(seed, 2, number))
    return view


def guarded_view(adversary: CounterexampleAdversary, seed: int | None) -> View:
    """A view of the adversary against f_{∞,FPC} (with first-pair consistency), whose verifier halts
    it."""
    game = counterexample_game(adversary.delta, first_pair_consistent=True)
    return game.play(adversary, bit=1, seed=stream(seed, 3))
