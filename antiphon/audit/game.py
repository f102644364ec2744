"""The privacy game V[f] ∘* I(·) ∘* M (CM Def. 3.7), against adaptive and oblivious adversaries.

Options that several methods pass on to one constructor are declared once, and shown by ``help`` in
each.
"""

import inspect
from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, overload

import attrs
from typing_extensions import Unpack

from antiphon.audit.certificates.machine_checked import MachineChecked
from antiphon.audit.exact.claimed import Comparison, compare_claims
from antiphon.audit.exact.divergence import Divergence
from antiphon.audit.exact.question import CURVE, Question, Search, Solution, game_in_words, horizon
from antiphon.audit.exact.strategy import StrategyAdversary
from antiphon.audit.exact.tight_curve import TightCurve
from antiphon.audit.formulas.tight_formula import TightFormula, tight_formula
from antiphon.audit.statistical.audit import audit
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument, of_kind, written_as
from antiphon.numbers.symbolic import SymbolError, Symbolic
from antiphon.protocol import Adversary, Card, Coins, Shown, Verification, View, register
from antiphon.protocol.chain import AnyChain, Chain
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import HALT, TOP, distinct
from antiphon.protocol.provenance import claims_of
from antiphon.protocol.records.interaction import Seed, Watch, interact
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.spaces import Anything, Either, Finite, Signature
from antiphon.verifiers import Identifier, Verifier, updates_and_queries

Method = TypeVar("Method", bound=Callable[..., object])


def handed_on(to: Callable[..., object]) -> Callable[[Method], Method]:
    """A decorator that lists the keyword parameters of ``to`` in ``help`` of a method.

    They stand in place of the method's ``**options``: the parameters of ``to`` that have a default.
    Calls are unchanged.

    >>> def solve(question, *, limit=10): ...
    >>> @handed_on(solve)
    ... def tight(rounds, **search): ...
    >>> inspect.signature(tight)
    <Signature (rounds, *, limit=10)>
    """
    empty, by_name = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
    shown = inspect.signature(to).parameters.values()
    options = [each.replace(kind=by_name) for each in shown if each.default is not empty]

    def decorate(method: Method) -> Method:
        own = inspect.signature(method)
        *kept, _ = own.parameters.values()
        setattr(method, "__signature__", own.replace(parameters=[*kept, *options]))  # noqa: B010
        return method

    return decorate


def _claimed(system: object) -> Verification:
    """The f that all claims of a mechanism share. Raises: InvalidArgument for none or several."""
    _is_continual(None, None, system)
    mechanism: Any = system
    claims = claims_of(mechanism)
    found = list(distinct(each.verification for each in claims))
    if len(found) != 1:
        raise InvalidArgument(
            f"a game is about a mechanism and an f, PrivacyGame(M, f): {message_label(system, 80)} "
            f"has claims about {len(found) or 'none'}"
        )
    return found[0]


def _is_continual(_: object, __: object, value: object) -> None:
    if not isinstance(value, ContinualMechanism):
        raise InvalidArgument(
            f"a game is about a continual mechanism, PrivacyGame(M, f), not {of_kind(value)}"
        )


def _is_verification(_: object, __: object, value: object) -> None:
    if not isinstance(value, Verification):
        raise InvalidArgument(
            "f is a Verification, such as ap.verifiers.event_level(), not "
            f"{message_label(value, 80)}"
        )


@register("antiphon.PrivacyGame/1")
@attrs.frozen(repr=False)
class PrivacyGame(Shown):
    """The privacy game of a system M and an f: an adversary has to tell b = 0 and b = 1 apart.

    M is (ε, δ)-DP w.r.t. f iff for every adversary the views of ``mechanism(0)`` and
    ``mechanism(1)`` are (ε, δ)-indistinguishable (CM Def. 3.7). Without an f, that of M's only
    claim is used. Raises: InvalidArgument if M has no claim, or several.
    """

    system: ContinualMechanism = attrs.field(validator=_is_continual)
    verification: Verification = attrs.field(
        default=attrs.Factory(lambda game: _claimed(game.system), takes_self=True),
        validator=_is_verification,
    )

    def _card(self) -> Card:
        return Card(game_in_words(self.system, self.verification))

    def mechanism(self, bit: int) -> Chain:
        """The world ``bit`` of the game: V[f] ∘* I(bit) ∘* M."""
        game: Chain = Verifier(self.verification) @ Identifier(bit) @ self.system
        return game

    @property
    def interactive(self) -> AnyChain:
        """The game as one IM: V[f] ∘* I ∘* M with initial states 0 and 1 (CM Cor. 3.8)."""
        game: AnyChain = Verifier(self.verification) @ Identifier() @ self.system
        return game

    @handed_on(Question)
    def question(self, **search: Unpack[Search]) -> Question:
        """The game as a question to the exact solver, which keeps the values that it computes."""
        return Question(self.system, self.verification, **search)

    @written_as("game.solve(epsilon=1, rounds=3)")
    @handed_on(Question)
    def solve(
        self, *, epsilon: exact.Epsilon, rounds: int | None = None, **search: Unpack[Search]
    ) -> Solution:
        """The tight δ with its error bound, the worse world, and the number of beliefs valued."""
        return self.question(**search).solve(epsilon, rounds)

    @overload
    def tight_delta(
        self, *, epsilon: Symbolic, rounds: int | None = None, **search: Unpack[Search]
    ) -> TightFormula: ...
    @overload
    def tight_delta(
        self, *, epsilon: exact.Epsilon, rounds: int | None = None, **search: Unpack[Search]
    ) -> Fraction: ...
    @written_as("game.tight_delta(epsilon=1, rounds=3)")
    @handed_on(Question)
    def tight_delta(
        self,
        *,
        epsilon: exact.Epsilon | Symbolic,
        rounds: int | None = None,
        **search: Unpack[Search],
    ) -> Fraction | TightFormula:
        """The least δ with which M is (ε, δ)-DP w.r.t. f, against ``rounds`` messages.

        Without ``rounds`` against any number of them, where the game ends by itself.
        Exact for ``epsilon`` 0 or ``Log(q)``. For another ε, e^ε is rounded down by at most 2^-63,
        so the figure is at least the true δ and exceeds it by at most that. Creations count as
        messages. Cost: grows with the number of distinct beliefs.

        With a ``Symbol`` for e^ε, or for a parameter of the mechanism: a ``TightFormula``, exact
        for all its numbers. It needs the extra ``formulas``.

        Raises: Intractable for an infinite alphabet, a continuous draw, or past ``limit``
        beliefs; InvalidArgument for a missing catalogue, ε < 0 or an unbounded horizon.

        >>> from antiphon.mechanisms import RandomizedResponse
        >>> from antiphon import Log
        >>> rr = RandomizedResponse(epsilon=Log(3), delta=0)
        >>> game = PrivacyGame(rr, rr.claims[0].verification)
        >>> game.tight_delta(epsilon=Log(3), rounds=1), game.tight_delta(epsilon=0, rounds=1)
        (Fraction(0, 1), Fraction(1, 2))
        >>> game.tight_delta(epsilon=0)                                      # rr answers once
        Fraction(1, 2)
        """
        question = self.question(**search)
        normal = exact.epsilon(epsilon)
        with suppress(SymbolError):  # At a symbol the engine raises SymbolError; a formula is due.
            return question.solve(normal, rounds).delta
        return tight_formula(question, normal, rounds)

    @written_as("game.tight_epsilon(delta=0, rounds=3)")
    @handed_on(Question)
    def tight_epsilon(
        self, *, delta: object, rounds: int | None = None, **search: Unpack[Search]
    ) -> exact.ExactEpsilon | float:
        """The least ε for which M is (ε, δ)-DP, exactly: 0 or ``Log(q)``; ``math.inf`` if none."""
        return self.question(**search).tight_epsilon(delta, rounds)

    @written_as("game.tight_renyi(2, rounds=3)")
    @handed_on(Question)
    def tight_renyi(
        self, alpha: float | Fraction, *, rounds: int, **search: Unpack[Search]
    ) -> Divergence:
        """The least D with D_α(view under b ‖ view under 1−b) <= D for both b, in nats.

        The figure is an interval: ``upper`` (and ``float``) is safe to report, and only ``lower``
        can refute a claim. For a whole α, ``moment`` is e^((α−1)D), exactly. Cost: grows with the
        positions, and so less than that of ``tight_delta``.

        Raises: InvalidArgument for an order outside (1, 4096]; others as ``tight_delta``.

        >>> from antiphon.mechanisms import RandomizedResponse
        >>> from antiphon import Log
        >>> rr = RandomizedResponse(epsilon=Log(3), delta=0)
        >>> found = PrivacyGame(rr, rr.claims[0].verification).tight_renyi(2, rounds=1)
        >>> found.moment, f"{found.lower:.12f}", f"{found.upper:.12f}"        # ln(7/3)
        (Fraction(7, 3), '0.847297860387', '0.847297860387')
        """
        return self.question(**search).tight_renyi(alpha, rounds)

    @written_as("game.tight_range(rounds=3)")
    @handed_on(Question)
    def tight_range(self, *, rounds: int, **search: Unpack[Search]) -> exact.ExactEpsilon | float:
        """The least η for which M is η-BR w.r.t. f: 0 or ``Log(q)``; ``math.inf`` if there is none.

        The largest difference of the privacy losses of two views of one deterministic adversary.
        Cost and errors: as ``tight_renyi``.

        >>> from antiphon.mechanisms import PermuteAndFlip
        >>> from antiphon import Log
        >>> pf = PermuteAndFlip(epsilon=Log(4), candidates=2)                # not (ln 4)-BR
        >>> game = PrivacyGame(pf, pf.claims[0].verification)
        >>> game.tight_range(rounds=1, queries=[(0, 1), (1, 0)])
        Log(9)
        """
        return self.question(**search).tight_range(rounds)

    @written_as("game.privacy_curve(rounds=3)")
    @handed_on(Question)
    def privacy_curve(
        self, *, epsilons: Iterable[exact.Epsilon] = CURVE, rounds: int, **search: Unpack[Search]
    ) -> TightCurve:
        """Tight δ at many ε: ((ε, δ(ε)), …), and a curve. Beliefs are shared between the points.

        By default at e^ε = 1, 5/4, 3/2, 2, 3, 4, 6, 8, 16. As a function of e^ε the curve
        is convex, falling and piecewise linear, so a chord between two points is never below.

        >>> from antiphon.mechanisms import RandomizedResponse
        >>> from antiphon import Log
        >>> rr = RandomizedResponse(epsilon=Log(3), delta=0)
        >>> curve = PrivacyGame(rr, rr.claims[0].verification).privacy_curve(rounds=1)
        >>> curve[0], curve.delta_at(Log(2)), curve.epsilon_at(0) < 1.0987
        ((Fraction(0, 1), Fraction(1, 2)), 0.25, True)
        """
        asked, rounds = self.question(**search), horizon(rounds)
        return TightCurve(asked.solve_each(epsilons, rounds), rounds)

    def machine_checked(
        self, path: str | Path, *, epsilon: exact.Epsilon, overwrite: bool = False
    ) -> MachineChecked:
        """M with the claim (ε, tight δ(ε)) w.r.t. f, *machine-checked* by the certificate ``path``.

        For a finite M that ends by itself. ``ap.guarantee`` then composes a mechanism of your own
        without an assumption. Raises: InvalidArgument, Intractable, FileError.
        """
        question = self.question(report=None)
        solution = question.solve(epsilon)
        question.certify(path, epsilon=epsilon, rounds=solution.rounds, overwrite=overwrite)
        file = str(path)
        return MachineChecked(self.system, self.verification, epsilon, solution.delta, file)

    @written_as("game.check_claims(rounds=3)")
    @handed_on(Question)
    def check_claims(self, *, rounds: int, **search: Unpack[Search]) -> Comparison:
        """Each claim of M, and of the mechanisms that M may create, beside the exact value.

        One row a claim: (ε, δ) beside the tight δ(ε), η-BR beside the tight range; μ-GDP and
        dominating pairs beside the tight δ at the ε of ``privacy_curve``, and, as zCDP and Rényi,
        beside the tight divergences of some orders: other ε and orders are not tested. A claim that
        cannot be compared has a row with the reason. The solver never relies on a claim:
        ``tight_delta`` is right even if the catalogue's claims are false.

        >>> from antiphon.mechanisms import LeakyBit
        >>> m = LeakyBit(delta=0.1)
        >>> found = PrivacyGame(m, m.claims[0].verification).check_claims(rounds=2)
        >>> print(found)
        LeakyBit(delta=1/10): δ(0) claimed 1/10, tight 1/10 over 2 rounds: holds
        >>> [(each.claimed, each.tight.delta, each.status) for each in found]
        [(Fraction(1, 10), Fraction(1, 10), <Status.PROVED: 'proved'>)]
        """
        return compare_claims(self.question(**search), rounds)

    @written_as("game.best_adversary(epsilon=1, rounds=3)")
    @handed_on(Question)
    def best_adversary(
        self, *, epsilon: exact.Epsilon, rounds: int, **search: Unpack[Search]
    ) -> StrategyAdversary:
        """An adversary, with its distinguishing event, that attains ``tight_delta`` exactly."""
        return self.question(**search).best_adversary(epsilon, rounds)

    audit = audit

    @written_as("game.play(adversary, bit=0)")
    def play(
        self,
        adversary: Adversary,
        *,
        bit: int,
        rounds: int | None = None,
        seed: Seed = None,
        sink: str | Path | None = None,
        overwrite: bool = False,
        watch: Watch | None = None,
    ) -> View:
        """The view of an adversary in the world ``bit`` (``interact``); it never shows the bit."""
        return interact(
            adversary, self.mechanism(bit), rounds=rounds, seed=seed, sink=sink,
            overwrite=overwrite, watch=watch,
        )  # fmt: skip


OPEN: Final = "open"
"""The message that makes a sealed mechanism release all answers so far."""
_OPENING: Final = Finite((OPEN,))


class Envelope(NamedTuple):
    """The state of ``Sealed``: that of M, and M's answers; None once these were released."""

    inner: object
    answers: tuple[object, ...] | None = ()


@register("antiphon.Sealed/1")
@attrs.frozen
class Sealed(ContinualMechanism[Envelope, object, object]):
    """M with sealed answers: ⊤ to every message, and all of M's answers to ``OPEN``; then HALT.

    An adversary of ``Sealed(M)`` chooses every message before any answer: a deterministic one is an
    *oblivious* adversary of M, a fixed sequence of pairs, and a randomised one does no better. So
    ``oblivious(game)`` has the tight δ against oblivious adversaries, and the game itself that
    against adaptive ones.

    >>> from antiphon.mechanisms import RandomizedResponse
    >>> session = Sealed(RandomizedResponse(epsilon=100)).start(seed=1)
    >>> session.send(1), session.send(OPEN), session.send(OPEN)
    (TOP, ((1, BOTTOM),), HALT)
    """

    mechanism: ContinualMechanism

    @property
    def signature(self) -> Signature:
        own = self.mechanism.signature
        return Signature(Either((own.queries, _OPENING)), Anything(), own.updates)

    @property
    def initial_state(self) -> Envelope:
        return Envelope(self.mechanism.initial_state)

    def is_over(self, state: Envelope) -> bool:
        return state.answers is None

    def step(self, state: Envelope, message: Any, coins: Coins) -> tuple[Envelope, object]:
        inner, answers = state
        if answers is None:
            return state, HALT
        if type(message) is str and message == OPEN:
            return Envelope(None, None), answers
        answer: object = HALT
        if not (answers and answers[-1] is HALT and self.mechanism.is_over(inner)):
            inner, answer = self.mechanism.step(inner, message, coins)
        return Envelope(inner, (*answers, answer)), TOP


def oblivious(game: PrivacyGame) -> PrivacyGame:
    """The same game against oblivious adversaries: answers are sealed until a message ``OPEN``."""
    return PrivacyGame(Sealed(game.system), updates_and_queries(game.verification, _OPENING))
