"""The spending of a live session: ``session.budget`` and ``session.price`` (docs/budget.md)."""

from antiphon.sessions.spending.session_budget import (
    SessionBudget,
    budget_of,
    budget_of_record,
    price_of,
)

__all__ = ["SessionBudget", "budget_of", "budget_of_record", "price_of"]
