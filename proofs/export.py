"""Write finite components of the library in Coq, and a system of them as one theorem.

A component is a mechanism with an f': a table of exact laws, and an automaton (Tables.v). Coq
checks by computation that it is (E, 0)-DP, E = e^ε; the theorems of Proved.v compose several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice

import attrs

from antiphon.audit.exact.arena import guarded_step, messages_to_try
from antiphon.audit.exact.kernel import DEAD, REFUSAL, branches, ends
from antiphon.composition.creation import Create
from antiphon.numbers import exact
from antiphon.numbers.errors import Intractable, InvalidArgument
from antiphon.numbers.interning import Interner
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import HALT
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Refused, Verification

LIMIT = 5_000
"""Outcomes in a table, or pairs in an automaton, past which Coq would be slow."""


@attrs.frozen
class Component:
    """A mechanism and its f', as numbers. Answer 0 is HALT; state 0 comes first."""

    messages: tuple[object, ...]
    answers: tuple[object, ...]
    rows: tuple[tuple[tuple[tuple[Fraction, int, int], ...], ...], ...] = attrs.field(repr=False)
    """For each state and message, (probability, next state, answer)."""
    allowed: tuple[tuple[tuple[int, int, int], ...], ...] = attrs.field(repr=False)
    """For each state of f', (q₀, q₁, next state) of the pairs that it lets through."""
    growth: Fraction
    """E = e^ε of its claim."""

    @property
    def table(self) -> str:
        """The mechanism in Coq's notation, of the type `Table`."""
        return listing(listing(listing(map(_outcome, law)) for law in row) for row in self.rows)

    @property
    def automaton(self) -> str:
        """The f' in Coq's notation, of the type `Automaton`."""
        return listing(listing(f"({q}, {r}, {to})" for q, r, to in state) for state in self.allowed)

    @property
    def rounds(self) -> int:
        """As many rounds as the check may need: one for each state of either, and one more."""
        return len(self.rows) + len(self.allowed) + 1


def component(
    create: Create, queries: Iterable[object] | None = None, *, growth: Fraction | None = None
) -> Component:
    """Returns a created mechanism with the f' and the ε of its claim, or with a given e^ε,
    ``growth``, as a component.

    Raises: InvalidArgument for a claim that has a δ, or an ε that is no ``Log(q)``, and for a
    mechanism that refuses a message; Intractable past the limit.
    """
    mechanism, claim = create.mechanism, create.claim
    growth = _growth(create) if growth is None else growth
    assert claim is not None
    messages = messages_to_try(mechanism, None if queries is None else tuple(queries))
    rows, answers = _rows(mechanism, messages)
    return Component(messages, answers, rows, _allowed(claim.verification, messages), growth)


def _growth(create: Create) -> Fraction:
    name = message_label(create.mechanism, 60)
    if not create.asserts:
        raise InvalidArgument(f"{name} asserts no (ε, δ): Coq checks claims of ε with δ = 0")
    epsilon, delta = create.parameters
    if delta:
        raise InvalidArgument(f"{name} claims δ = {delta}: Coq checks claims with δ = 0 only")
    if isinstance(epsilon, exact.Log):
        return epsilon.argument
    if epsilon:
        raise InvalidArgument(
            f"{name} claims ε = {epsilon}: e^ε must be rational in Coq; claim Log(q), q >= e^ε"
        )
    return Fraction(1)


def _rows(
    mechanism: ContinualMechanism, messages: Sequence[object]
) -> tuple[tuple[tuple[tuple[tuple[Fraction, int, int], ...], ...], ...], tuple[object, ...]]:
    states, answers = Interner(), Interner()
    answers(HALT)
    said = mechanism.signature.answers
    for each in islice(said.enumerate(), LIMIT) if said.finite else ():
        answers(each)
    states(mechanism.initial_state)
    step, rows, size = guarded_step(mechanism), [], 0
    while len(rows) < len(states.values):
        row = []
        for message in messages:
            law: dict[tuple[int, int], Fraction] = {}
            for p, (after, answer) in branches(step, states.values[len(rows)], message):
                if answer is REFUSAL:
                    raise InvalidArgument(
                        f"{message_label(mechanism, 60)} refuses {message_label(message, 60)}: "
                        "pass queries=[…], the messages that every state takes"
                    )
                over = ends(after, answer, mechanism.is_over)
                key = states(DEAD if over else after), answers(answer)
                law[key] = law.get(key, Fraction(0)) + p
            size += len(law)
            if size > LIMIT:
                raise Intractable("the outcomes of a table for Coq", f"over {LIMIT:,}", LIMIT)
            row.append(tuple((p, *key) for key, p in sorted(law.items())))
        rows.append(tuple(row))
    return tuple(rows), tuple(answers.values)


def _allowed(
    f: Verification, messages: Sequence[object]
) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    states, found, size = Interner(), [], 0
    states(f.initial_state)
    while len(found) < len(states.values):
        pairs = []
        for zero, q in enumerate(messages):
            for one, r in enumerate(messages):
                after = f.step(states.values[len(found)], q, r)
                if type(after) is not Refused:
                    pairs.append((zero, one, states(after)))
        size += len(pairs)
        if size > LIMIT:
            raise Intractable("the pairs of an automaton for Coq", f"over {LIMIT:,}", LIMIT)
        found.append(tuple(pairs))
    return tuple(found)


def rational(value: Fraction | int) -> str:
    """Returns a rational number in Coq's notation."""
    value = Fraction(value)
    return f"({value.numerator} # {value.denominator})"


def listing(items: Iterable[str]) -> str:
    """Returns items as a list in Coq's notation."""
    return f"[{'; '.join(items)}]"


def _outcome(outcome: tuple[Fraction, int, int]) -> str:
    p, to, answer = outcome
    return f"({rational(p)}, ({to}, {answer}))"


HEADER = """From Coq Require Import QArith List Bool Arith Lqa.
From Antiphon Require Import Distributions Statements Figure Tables Proved.
Import ListNotations.
Open Scope nat_scope.
Set Universe Polymorphism.
"""
Said = tuple[int, int, int]
"""(0, i, 0): create the i-th component; (i + 1, q₀, q₁): ask number i."""


def claims(parts: Sequence[Component]) -> str:
    """Returns the Coq definitions c0, c1, … of the components' claims, checked by computation."""
    return "".join(f"{_claim(i, part)}\n" for i, part in enumerate(parts))


def _claim(i: int, part: Component) -> str:
    growth = rational(part.growth)
    check = f"check t{i} ok{i} a{i} {growth} {part.rounds} = true"
    return f"""Definition t{i} : Table := {part.table}.
Definition a{i} : Automaton := {part.automaton}.
Definition ok{i} : table_ok t{i} = true := ltac:(vm_compute; reflexivity).
Definition at_least{i} : (1 <= {growth})%Q := ltac:(apply Qle_bool_iff; reflexivity).
Definition true{i} : {check} := ltac:(vm_compute; reflexivity).
Definition c{i} := checked t{i} a{i} {part.rounds} ok{i} at_least{i} true{i}."""


def _statement(f: str, growth: Fraction, delta: Fraction) -> str:
    promised = f"{rational(growth)} {rational(delta)}"
    return f"DP (@eside nat nat _ siden) {f} (ExtConComp siden) {promised}"


def fixed_mechanisms(
    name: str, parts: Sequence[Component], growth: Fraction, delta: Fraction
) -> str:
    """Returns a Coq theorem: by Theorem 4.10, the components' composition is (growth, delta)-DP."""
    alphas = listing(f"c{i}" for i in range(len(parts)))
    return f"""{HEADER}{claims(parts)}
Theorem {name} : forall f, accepts_fixed_mechanisms {alphas} f ->
  {_statement("f", growth, delta)}.
Proof.
  intros f Hf. apply (fixed_mechanisms _ _ _ Nat.eq_dec siden {alphas});
    [apply Qle_bool_iff; reflexivity|exact Hf|by_figure].
Qed.
Print Assumptions {name}.
"""


def of_parameters(
    name: str, parts: Sequence[Component], growth: Fraction, delta: Fraction, *,
    fixed: Sequence[Fraction], runs: Sequence[Sequence[Said]], sparse: bool = False,
) -> str:  # fmt: skip
    """Returns a Coq theorem: the composition of mechanisms of these parameters is (growth,
    delta)-DP, and V[f] lets the given runs through.

    Theorem 4.12 for f with the parameters (E, 0); with ``sparse`` Theorem 5.2, for f_∞.
    """
    params = listing(f"({rational(e)}, 0%Q)" for e in fixed)
    f = f"(f_inf samen {params})" if sparse else f"(f_fixed {params})"
    theorem = "sparse_parallel_pure" if sparse else "fixed_parameters"
    given = "siden samen samen_decides" if sparse else "siden"
    allowed = "".join(f"\n  /\\ valid {f} {listing(map(_said, run))} = true" for run in runs)
    return f"""{HEADER}{claims(parts)}
Theorem {name} : {_statement(f, growth, delta)}{allowed}.
Proof.
{"  split; [|repeat apply conj; vm_compute; reflexivity]." if runs else ""}
  apply ({theorem} _ _ _ Nat.eq_dec {given}); [apply Qle_bool_iff; reflexivity| |by_figure].
  repeat constructor; try reflexivity; apply Qle_bool_iff; reflexivity.
Qed.
Print Assumptions {name}.
"""


def _said(said: Said) -> str:
    """Returns a message pair of the composition in Coq's notation."""
    who, zero, one = said
    return f"PQuery {who - 1} ({zero}, {one})" if who else f"PCreate c{zero}"
