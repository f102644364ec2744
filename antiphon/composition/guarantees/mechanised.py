"""The theorems that Coq has checked: their names in proofs/Proved.v, and what the model leaves out.

A rule names the row that covers all that its derivation used (``Derivation.covered``). A row's key
is the name of the cited theorem, with its subject where there are two statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

FILE: Final = "proofs/Proved.v"
MODEL: Final = (
    "e^ε that is not rational",
    "countably many answers",
    "interactions without a bound on their length",
    "how a claim in another measure implies one in (ε, δ)",
    "the figure, which the accountant computes",
    "the steps of the Python code",
)
"""The parts of reality that the Coq model, proofs/Model.v, leaves out of every theorem."""


@attrs.frozen
class Mechanised:
    """A theorem of proofs/Proved.v, and the parts of the cited theorem that it leaves out."""

    name: str
    further: tuple[str, ...] = ()
    """The parts of reality that this theorem leaves out, beside those of ``MODEL``."""

    @property
    def leaves_out(self) -> tuple[str, ...]:
        """All parts of the cited theorem that Coq has not checked."""
        return *MODEL, *self.further

    def to_dict(self) -> dict[str, object]:
        """The theorem and its omissions as JSON-ready data."""
        return {"proved": str(self), "leaves_out": list(self.leaves_out)}

    def __str__(self) -> str:
        return f"{FILE}: {self.name}"


_ENDLESS: Final = ("a P that never answers, or may never answer",)
MECHANISED: Final[Mapping[str, Mechanised]] = {
    "CM Lemma 2.15 (post-processing)": Mechanised("post_processing", _ENDLESS),
    "CM Lemma 2.15 (post-processing), P behind V[f]": Mechanised(
        "post_processing_forwarding", _ENDLESS
    ),
    "CM Thm 4.10": Mechanised("fixed_mechanisms"),
    "CM Thm 4.10, ConComp": Mechanised("fixed_mechanisms_from_the_start"),
    "CM Thm 4.12": Mechanised("fixed_parameters"),
    "CM Thm 5.2": Mechanised("sparse_parallel_pure"),
    "CM Thm 5.5": Mechanised("sparse_parallel_first_pair"),
    "CM Thm 6.1": Mechanised("complex_mechanism", _ENDLESS),
    "concurrent composition of adaptively chosen parameters (Haney et al. 2023)": Mechanised(
        "basic_filter", ("creations that the filter refuses",)
    ),
}
"""The machine-checked theorems, by the name that a rule cites; no other theorem is one."""
