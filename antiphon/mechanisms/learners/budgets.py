"""Whether a learner that was made of somebody's parts keeps to the budget that was asked for."""

from __future__ import annotations

from antiphon.composition.guarantees import guarantee
from antiphon.mechanisms.learners.searching import within
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.printed import shown_up
from antiphon.protocol.mechanism import Mechanism


def keep_to(learner: Mechanism, epsilon: object, delta: object) -> None:
    """Raises: InvalidArgument for a learner that spends more than (ε, δ)."""
    spent = guarantee(learner).epsilon_at(exact.probability(delta))
    if not within(spent, exact.positive(epsilon, "epsilon")):
        raise InvalidArgument(f"the counter that was made costs ε = {shown_up(spent)}: use its rho")
