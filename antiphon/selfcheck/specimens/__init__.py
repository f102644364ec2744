"""Example mechanisms and post-processors ("specimens") for the self-check, a file for each kind,
with broken twins."""

from antiphon.protocol.provenance import nothing_proved_in

nothing_proved_in(__name__)  # claims that broken twins inherit never count as proved
