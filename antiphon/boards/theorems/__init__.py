"""Rows of ``antiphon verify`` about boards."""

from antiphon.protocol.provenance import nothing_proved_in

nothing_proved_in(__name__)  # claims that broken twins inherit never count as proved
