"""A process that is killed a thousand times answers by the law of one that never was.

Every life of it is a process of its own, killed by SIGKILL: at a random time; or in a random one of
its writes, after a random number of bytes. Which write and how many bytes is drawn beforehand, so
that whether an answer is lost does not depend on it: then what is tossed instead has the same law.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction

import attrs
import bounds
import pytest
from trying import sized

import antiphon as ap
from antiphon.composition import BasicFilter, Refusal
from antiphon.composition.concurrent import Ledger
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.protocol import SampledCoins
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Pure
from antiphon.sessions.durable import durable_session, reading, resuming
from antiphon.sessions.durable.inspection import status, verify
from antiphon.verifiers import event_level

ALPHA = bounds.level("unit/sessions/durable/test_killed", 24)
BIT, OCTAL = {1: 0.75, 0: 0.25}, dict.fromkeys(range(8), 1 / 8)
PAIRS = {(a, b): p * q for a, p in BIT.items() for b, q in BIT.items()}
AGAIN = {(a, b): p if a == b else 0.0 for a, p in BIT.items() for b in BIT}
"""The law of two answers of which the second repeats the noise of the first."""
TOKENS = 2**64
_EACH = 32
"""Every 32nd message is a creation."""
_WRITES, _BYTES = 60, 60
"""In which of its first writes a process is killed, and after how many bytes; the line of an answer
that was tossed is longer.
"""


@ap.register("test.durable.Tossing/1")
@attrs.frozen
class Tossing(ap.ContinualMechanism):
    """Answers a coin, and a token that no other answer has."""

    signature = ap.Signature(ap.spaces.Integers(), ap.spaces.Anything())
    initial_state = 0

    @property
    def claims(self):
        return (Claim(Pure(1), event_level(), Status.ASSUMED, "a test"),)

    def step(self, state, message, coins):
        bit = coins.categorical((Fraction(1, 4), Fraction(3, 4)))
        return state + 1, (bit, coins.uniform_integer(TOKENS))


def said(number, limit):
    """The message after so many: a function of it, so that whoever goes on says the same."""
    if number % _EACH == 0:
        return ap.Create(Tossing())
    return ap.Ask(1, number * 7 % min(number // _EACH + 1, limit))


def told(answer):
    return ["refused"] if type(answer) is Refusal else ["⊤"] if answer is ap.TOP else [*answer]


# --- one life ---------------------------------------------------------------------------------


def live(path, sync, limit, tell):
    """Go on with the session until the process is killed."""
    session = ap.resume(path, sync=sync)
    number = 0 if session.last is None else session.last.number
    tell(["live", number, str(session.budget.spent[0])])
    if number:
        tell([number, *told(session.last.answer)])
    while True:
        answer = session.send(said(number, limit))
        number += 1
        tell([number, *told(answer)])
        if number % 50 == 0:
            session.compact()


def killed_in_a_write(write, size):
    """From now on this process is killed in its n-th write, after so many bytes of it."""
    whole, left = {"write": os.write, "pwrite": os.pwrite}, [write]

    def dying(name):
        def writing(file, data, *where):
            left[0] -= 1
            if left[0] < 0:
                whole[name](file, data[:size], *where)
                os.kill(os.getpid(), signal.SIGKILL)
            return whole[name](file, data, *where)

        return writing

    os.write, os.pwrite = dying("write"), dying("pwrite")
    return whole["write"]


@attrs.define
class Lives:
    """What was heard of all lives of a session."""

    limit: int
    heard: dict = attrs.field(factory=dict)
    in_flight: list = attrs.field(factory=list)
    """Numbers whose answer was heard in the next life first."""
    faults: set = attrs.field(factory=set)
    spent: str = "0"
    stillborn: int = 0
    """How many lives ended before they had begun, one after another."""

    def hear(self, lines):
        """Of one life; at most the message in flight has happened without being heard."""
        for first, *rest in map(json.loads, lines):
            if first == "live":
                number, self.spent = rest
                if number not in (len(self.heard), len(self.heard) + 1):
                    self.faults.add("an answer is forgotten")
                if number > len(self.heard):
                    self.in_flight.append(number)
            elif self.heard.setdefault(first, rest) != rest:
                self.faults.add("a message is answered twice")

    @property
    def tossed(self):
        """Bit and token of each answer that has them, by its number."""
        return {number: rest for number, rest in sorted(self.heard.items()) if len(rest) == 2}

    def judge(self):
        """What is wrong: nothing, but with probability 6α, of a session that keeps its word."""
        if set(self.heard) != set(range(1, len(self.heard) + 1)):
            self.faults.add("an answer is forgotten")
        self._judge_charges()
        tossed = self.tossed
        tokens = [token for _, token in tossed.values()]
        assert len(tokens) ** 2 / 2 <= ALPHA * TOKENS
        if len(set(tokens)) < len(tokens):
            self.faults.add("a draw is used twice")
        bits = {number: bit for number, (bit, _) in tossed.items()}
        late = [number for number in self.in_flight if number in bits]
        laws = {
            "bits": ([*bits.values()], BIT),
            "tokens": ([token * 8 // TOKENS for token in tokens], OCTAL),
            "bits that were in flight": ([bits[number] for number in late], BIT),
            "tokens that were in flight": ([tossed[n][1] * 8 // TOKENS for n in late], OCTAL),
            "bits across a kill": (
                [(bits[n - 1], bits[n]) for n in late if n - 1 in bits], PAIRS,
            ),
        }  # fmt: skip
        for what, (sample, law) in laws.items():
            if sample and bounds.cells(Counter(sample), law, ALPHA):
                self.faults.add(f"the law of {what}")
        return self.faults

    def _judge_charges(self):
        """Creations are accepted until the budget is spent, and not once longer."""
        creations = [self.heard.get(n + 1) for n in range(0, len(self.heard), _EACH)]
        expected = [["⊤"] if n < self.limit else ["refused"] for n in range(len(creations))]
        if creations != expected:
            self.faults.add("a charge is lost")


def lives(path, sync, times, *, spoil=lambda: None, before=lambda path: None):
    """As many lives of a session, each killed; ``spoil`` is called in each, before it begins."""
    dice, found = random.Random(times), Lives(limit=max(2, times // 10))
    system = ap.ExtConComp(budget=BasicFilter(epsilon=found.limit, delta=0))
    ap.begin(system, path, sync=sync).close()
    for _ in range(times):
        before(path)
        lines = one_life(path, sync, found, dice, spoil)
        found.stillborn = 0 if lines else found.stillborn + 1
        found.hear(lines)
        if found.faults:
            break
    return found


def one_life(path, sync, found, dice, spoil):
    """What is heard of a process, from its beginning until it is killed."""
    by_time = dice.random() < 1 / 2
    least = 10 if found.stillborn == 2 else 0  # a third would be HALT, as for a step that kills
    write, size = dice.randrange(least, _WRITES), dice.choice([dice.randrange(_BYTES), 1 << 30])
    heard, tells = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(heard)  # so that it ends with who listens
        try:
            spoil()
            out = os.write if by_time else killed_in_a_write(write, size)
            live(
                path, sync, found.limit, lambda line: out(tells, json.dumps(line).encode() + b"\n")
            )
        finally:
            os._exit(1)
    os.close(tells)
    with open(heard, "rb") as file:
        lines = []
        if by_time:
            lines += [file.readline() for _ in range(1 + dice.randrange(20))]
            time.sleep(dice.random() / 1000)
            os.kill(child, signal.SIGKILL)
        lines += file.readlines()
    _, ended = os.waitpid(child, 0)
    if os.WIFEXITED(ended):
        found.faults.add("a life ended by itself")
    return [line for line in lines if line.endswith(b"\n")]


@pytest.mark.slow
@pytest.mark.parametrize("sync", ["each", "os"])
@pytest.mark.parametrize(
    "times", [60, pytest.param(1000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_law_is_that_of_a_process_that_was_never_killed(path, sync, times):
    found = lives(path, sync, times)
    assert found.judge() == set()
    answered = status(path).answered
    assert len(found.heard) <= answered <= len(found.heard) + 1
    with ap.resume(path) as session:
        accepted = min(found.limit, -(-session.last.number // _EACH))
        assert session.budget.spent == (accepted, 0)
    assert verify(path).missing == 0
    tossed, late = len(found.tossed), len(found.in_flight)
    print(f"{times} lives, {answered} answers, {tossed} tossed, {late} of them in flight")
    assert late > times / 20
    if times >= 1000:  # what each of the tests of a law would notice, but with probability β
        enough = 1 - bounds.BETA
        assert bounds.cells_power(late * 9 // 10, PAIRS, AGAIN, ALPHA) >= enough
        assert bounds.cells_power(late * 9 // 10, BIT, {1: 0.45, 0: 0.55}, ALPHA) >= enough
        assert bounds.cells_power(tossed, BIT, {1: 0.69, 0: 0.31}, ALPHA) >= enough


# --- broken twins -----------------------------------------------------------------------------


def toss_as_before():
    """A session that restores its generator, too."""
    durable_session.SampledCoins = lambda: SampledCoins(seed=7)


def forget_what_is_spent():
    """A session whose budget is whole again after each restart."""
    whole = reading.follow

    def forgetting(*given):
        course = whole(*given)
        course.state = Ledger(course.state.children, ap.ExtConComp(
            budget=BasicFilter(epsilon=1)).initial_state.spent)  # fmt: skip
        return course

    reading.follow = forgetting


def believe_any_copy():
    """A session that does not ask its guard."""
    resuming._newest = lambda *_, **__: None


def drop_an_answer(path):
    """A disk that forgets the last line."""
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    if lines[-1].startswith(b'{"answers"'):
        path.write_bytes(b"".join(lines[:-2]))


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("twin", "fault"),
    [
        ({"spoil": toss_as_before}, "a draw is used twice"),
        ({"spoil": forget_what_is_spent}, "a charge is lost"),
        ({"spoil": believe_any_copy, "before": drop_an_answer}, "an answer is forgotten"),
    ],
    ids=["repeats its noise", "forgets a charge", "goes on from a copy"],
)
def test_a_broken_twin_is_found(path, twin, fault):
    found = lives(path, "os", sized(20, 100), **twin)
    assert fault in found.judge()


def test_noise_that_is_repeated_would_show_in_the_bits_alone():
    """Also if tokens were no part of the answers: of a thousand lives, by their law."""
    dice = random.Random(bounds.seeded(5))
    bits = [int(dice.random() < 0.75) for _ in range(400)]
    assert bounds.cells(Counter((bit, bit) for bit in bits), PAIRS, ALPHA)
    assert not bounds.cells(Counter(zip(bits[::2], bits[1::2], strict=True)), PAIRS, ALPHA)


# --- a process that has nothing of ours ---------------------------------------------------------

CHILD = """
import sys
import antiphon as ap
from antiphon.mechanisms import COUNT
with ap.resume(sys.argv[1]) as session:
    print("live", flush=True)
    while True:
        answer = session.send(COUNT if session.last and session.last.number % 3 else 1)
        print(session.last.number, answer, flush=True)
"""


@pytest.mark.slow
def test_what_another_program_heard_is_in_the_log(path):
    ap.begin(TreeCounter(horizon=2**20, epsilon=1), path).close()
    heard = {}
    for wait in (1, 7, 20):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout.readline() == "live\n"
        lines = [child.stdout.readline() for _ in range(wait)]
        os.kill(child.pid, signal.SIGKILL)
        lines += [
            line for line in child.stdout.read().splitlines(keepends=True) if line[-1] == "\n"
        ]
        child.wait(), child.stdout.close()
        for number, answer in map(str.split, lines):
            assert heard.setdefault(number, answer) == answer
    with ap.resume(path) as session:
        assert len(heard) <= session.last.number <= len(heard) + 3
        assert type(session.send(COUNT)) is int
