"""Filters and odometers: budgets for parameters that are chosen adaptively."""
