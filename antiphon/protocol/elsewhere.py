"""Proofs of a mechanism's privacy that a proof assistant outside this project has checked."""

from __future__ import annotations

from typing import Final

import attrs


@attrs.frozen
class CheckedElsewhere:
    """A theorem about a mechanism that another project has machine-checked, and how the mechanism
    of this library differs.

    The value of the attribute ``checked_elsewhere`` of a mechanism or filter. A claim with such a
    proof keeps the status *proved*, because the code that runs here is not the code that was
    checked.
    """

    theorem: str
    file: str
    differs: str
    """How the mechanism that was checked differs from the one that runs here."""
    project: str
    commit: str
    """The commit of the other project's repository in which the theorem was read."""

    def __str__(self) -> str:
        where = f"{self.project}: {self.theorem} in {self.file} at {self.commit[:10]}"
        return f"a proof assistant has checked it elsewhere, {where}; here {self.differs}"


def elsewhere(checked: object) -> str:
    """A sentence about the machine-checked proof that an object's class names in
    ``checked_elsewhere``; "" if the class names none."""
    found: object = getattr(type(checked), "checked_elsewhere", None)
    return str(found) if type(found) is CheckedElsewhere else ""


_SAMPCERT: Final = "SampCert (Lean, github.com/leanprover/SampCert)"
_SAMPCERT_AT: Final = "b2786ae6df667fe20f1e92834853b90bf701422a"
_PRIVACY: Final = "SampCert/DifferentialPrivacy"
_CLUTCH: Final = "Clutch-DP (Rocq, github.com/logsem/clutch)"
_CLUTCH_AT: Final = "036a42885bb9f4fedf74f44a47e33b2faeae414c"
_EXAMPLES: Final = "theories/diffpriv/examples"

LAPLACE: Final = CheckedElsewhere(
    "privNoisedQueryPure_DP", f"{_PRIVACY}/Pure/Mechanism/Properties.lean",
    "a sampler of its own draws the noise, an array has noise on each coordinate, and any distance "
    "of the data has its price",
    _SAMPCERT, _SAMPCERT_AT,
)  # fmt: skip
"""Machine-checked by others: discrete Laplace noise on one integer of sensitivity Δ is ε-DP, and
its sampler has that law."""
GAUSSIAN: Final = CheckedElsewhere(
    "privNoisedQuery_zCDP", f"{_PRIVACY}/ZeroConcentrated/Mechanism/Properties.lean",
    "a sampler of its own draws the noise, an array has noise on each coordinate, and σ is rounded "
    "up to a rational",
    _SAMPCERT, _SAMPCERT_AT,
)  # fmt: skip
"""Machine-checked by others: discrete Gaussian noise on integers of sensitivity Δ is ρ-zCDP, and
its sampler has that law."""
SPARSE_VECTOR: Final = CheckedElsewhere(
    "SVT_online_diffpriv", f"{_EXAMPLES}/sparse_vector_technique.v",
    "one noisy threshold serves all ⊤, where the proof there draws a new one after each",
    _CLUTCH, _CLUTCH_AT,
)  # fmt: skip
"""Machine-checked by others: the privacy of the sparse vector technique with N answers ⊤, for
queries chosen one after another, as N runs of AboveThreshold at ε each."""
ABOVE_THRESHOLD: Final = CheckedElsewhere(
    "above_threshold_online_AT_spec", f"{_EXAMPLES}/sparse_vector_technique.v",
    "ε is divided between threshold and queries as one likes, there it is halved",
    _CLUTCH, _CLUTCH_AT,
)  # fmt: skip
"""Machine-checked by others: the privacy of AboveThreshold for queries chosen one by one."""
FILTER: Final = CheckedElsewhere(
    "create_filter_private", f"{_EXAMPLES}/privacy_filter.v",
    "mechanisms are interactive and run concurrently, and δ may be positive; there each runs to "
    "its end, and δ = 0",
    _CLUTCH, _CLUTCH_AT,
)  # fmt: skip
"""Machine-checked by others: a pure privacy filter, for computations that run one by one."""
