"""The privacy game V[f] ∘* I(·) ∘* M (CM Def. 3.7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

from antiphon.protocol.adversary import Adversary
from antiphon.protocol.chain import AnyChain, Chain
from antiphon.protocol.interaction import Seed, Watch, interact
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.registry import register
from antiphon.protocol.view import View
from antiphon.verifiers.identifier import Identifier
from antiphon.verifiers.verification import Verification
from antiphon.verifiers.verifier import Verifier


@register("antiphon.PrivacyGame/1")
@attrs.frozen
class PrivacyGame:
    """Both worlds of the definition of DP: the adversary must tell b = 0 from b = 1.

    M is (ε, δ)-DP w.r.t. f iff for every adversary the views of ``mechanism(0)`` and
    ``mechanism(1)`` are (ε, δ)-indistinguishable (CM Def. 3.7).
    """

    system: ContinualMechanism[Any, Any, Any]
    verification: Verification[Any]

    def mechanism(self, bit: int) -> Chain:
        """V[f] ∘* I(bit) ∘* M."""
        game: Chain = Verifier(self.verification) @ Identifier(bit) @ self.system
        return game

    @property
    def interactive(self) -> AnyChain:
        """V[f] ∘* I ∘* M, an IM with initial states 0 and 1 (CM Cor. 3.8)."""
        game: AnyChain = Verifier(self.verification) @ Identifier() @ self.system
        return game

    def play(
        self,
        adversary: Adversary[Any],
        *,
        bit: int,
        rounds: int | None = None,
        seed: Seed = None,
        sink: str | Path | None = None,
        watch: Watch | None = None,
    ) -> View:
        """The view of the adversary in the world ``bit``; see ``interact``. Never shows the bit."""
        return interact(
            adversary, self.mechanism(bit), rounds=rounds, seed=seed, sink=sink, watch=watch
        )
