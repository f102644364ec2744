"""The specimens of mechanisms and post-processors, a file for each kind, with their broken
twins."""

from antiphon.protocol.provenance import nothing_proved_in

nothing_proved_in(__name__)  # nothing that broken twins inherit is proved of them
