"""Guarantees: the privacy that a system promises, by which theorem and from which premises."""

from antiphon.composition.guarantees import rules as rules
