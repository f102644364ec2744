"""k-sparse parallel composition of *uniformly* private mechanisms, which stay as private after
every history of identical pairs: CM Thm 5.5 for any δ, without first-pair consistency.

**Definition.** M is *uniformly* (ε, δ)-DP w.r.t. f' if, after every history of identical pairs that
has positive probability, the rest of M is (ε, δ)-DP w.r.t. the rest of f'. (The history itself has
the same law in both worlds.)

**Theorem U.** If the created mechanisms are uniformly (ε'_j, δ'_j)-DP w.r.t. prefix-closed f'_j,
with discrete answers, then the composition w.r.t. f_∞ is as private as Comp[RR…] of the fixed
parameters, for any number of creations. *Proof.* A post-processor 𝒫 runs each M_j itself, with
own coins, while the pairs sent to it are identical: that takes their common message only. Let h be
the history of M_j when its first differing pair comes; f_∞ then takes (ε'_j, δ'_j) out of the fixed
ones. The rest of V[f'_j] ∘* I(b) ∘* M_j after h is (ε'_j, δ'_j)-DP as an IM with the initial states
0 and 1, so by CM Lemma 4.6 there is T_{j,h} with T_{j,h} ∘* RR(b) equivalent to it, and 𝒫 goes on
with T_{j,h} and a sample of RR that has not been used. Given the transcript, the mechanisms that
are created are independent, so 𝒫 ∘* Comp[RR…](b, …, b) has the views of the composition in world b:
one mechanism after the other is replaced, as in the proof of CM Thm 5.5. 𝒫 uses at most the fixed
samples, as f_∞ ensures. ∎ First-pair consistency is the case in which nothing can differ after h.

*What is uniform*: (i) every pure mechanism (δ = 0): both probabilities of a continuation are
divided by the same probability of h. (ii) Mechanisms with first-pair consistent f'. (iii) Counters
by a lower-triangular Toeplitz factor: given all released sums u so far, the state is the same
number in both worlds and the remaining answers are ρ-zCDP by the proof of ``correlated``, which is
by steps given the past; where ``COUNT`` has told fewer, the rest is a mixture of such mechanisms
with the same weights in both worlds, and (ε, δ) survives mixing.
*What is not*: noise that is drawn early and shown by halves. R, N uniform on {0, 1},
y₁ = x₁ + N + R, y₂ = x₁ + x₂ + R: one is (0, 3/4)-DP, and of three created one loses 15/16. That
noise is added is not enough.
"""

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.guarantees import composing
from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.composition.guarantees.inclusion import consistent
from antiphon.composition.guarantees.leaf_claims import has_asserted_claim
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.guarantees.rules.sparse_in_parallel import SPARSE
from antiphon.composition.validity import SparseParallel
from antiphon.protocol import Approximate, Mechanism, Pure, why_untrusted

THEOREM: Final = "Theorem U (docs/sparse.md)"
_UNIFORM: Final[dict[type, str]] = {}
"""The classes of which all claims are proved to hold uniformly, and the place of each proof."""


def uniform_by(source: str, *kinds: type[Mechanism]) -> None:
    """Register library classes of which ``source`` proves that all claims hold uniformly."""
    _UNIFORM.update(dict.fromkeys(kinds, source))


@rule(THEOREM, ExtConComp, about=SparseParallel, rank=1)
def sparse_uniform(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Answer:
    """The rule w.r.t. f_∞ with any δ, if all creations are uniformly private; else None."""
    if inquiry.catalogue is None:
        return None
    reasons = [_reason(each) for each in inquiry.catalogue if has_asserted_claim(each)]
    if not all(reasons):
        return None
    text = "every created mechanism is uniformly private: after identical pairs as from the start"
    mark = Mark.CHECKED if inquiry.explored else Mark.GIVEN
    listed = ", ".join(dict.fromkeys(reasons)) or "nothing is created"
    premise = Premise(text, mark, f"of the catalogue: {listed}")
    return composing.sum_theorem(THEOREM, composing.PARAMETER, f, (*SPARSE, premise), inquiry)


def _reason(create: Create) -> str:
    """The reason why a creation's claim holds uniformly; empty if none is known."""
    measure = None if create.claim is None else create.claim.measure
    if isinstance(measure, Pure) or (isinstance(measure, Approximate) and not measure.delta):
        return "its claim is pure"
    if consistent(create) is Mark.CHECKED:
        return "its f' is first-pair consistent"
    known = _UNIFORM.get(type(create.mechanism), "")
    return known if known and why_untrusted(create.mechanism) is None else ""
