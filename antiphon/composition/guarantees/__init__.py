"""Guarantees: what a system promises, by which theorem, from which premises."""

from antiphon.composition.guarantees import rules as rules
