"""A mechanism behind a preprocessing that is not private by itself."""

from __future__ import annotations

from typing import Any

import attrs

from antiphon.numbers.errors import CompositionError, InvalidArgument
from antiphon.preprocessing.declared import Preprocessing, stated
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.provenance import assumed, foreign
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Signature
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start


def _noninteractive(_: object, __: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, NoninteractiveMechanism):
        raise InvalidArgument(
            f"a NoninteractiveMechanism stands behind a preprocessing, no {type(value).__name__}"
        )


def _preprocessing(_: object, __: attrs.Attribute[Any], value: object) -> None:
    stated(value)


@register("antiphon.Preprocessed/1")
@column_safe(of=("mechanism", "preprocessing"))
@attrs.frozen
class Preprocessed(NoninteractiveMechanism[Any, Any]):
    """S ↦ M(π_S(S)): a NIM M behind a preprocessing π.

    NIM: a dataset -> what M answers on what π makes of it.
    Privacy w.r.t. f_∼ of neighbours *before* π; ``ap.guarantee`` derives it, with all that it rests
    on. Where M has ``claims_at``, its claim for neighbours as far apart as π's images of one π,
    plus τ (CM Thm 6.1 with π as P). Else the lesser of the weak triangle inequality (``Hoelder``),
    if M claims something of neighbours τ apart, and group privacy of M, for the Δ_∞ records that
    move and the one that was changed.
    Raises: InvalidArgument for an M that is no NIM, or does not take all images; a π that is no
    ``Preprocessing``, a Δ_∞ above n, a distance below 0.
    """

    mechanism: NoninteractiveMechanism[Any, Any] = attrs.field(validator=_noninteractive)
    preprocessing: Preprocessing = attrs.field(validator=_preprocessing)

    def __attrs_post_init__(self) -> None:
        images, taken = self.preprocessing.range, self.mechanism.signature.queries
        if images is not None and not taken.includes(images):
            raise InvalidArgument(
                f"the images of {type(self.preprocessing).__name__} are {images}, and "
                f"{type(self.mechanism).__name__} takes {taken}: what it refused would tell; give "
                "it a larger space"
            )

    @property
    def signature(self) -> Signature:
        datasets = self.preprocessing.datasets
        return Signature(datasets, self.mechanism.signature.answers, datasets)

    @property
    def verification(self) -> NeighbouringStart:
        """f: neighbours before the preprocessing."""
        return neighbouring_start(self.preprocessing.neighbours)

    @property
    def claims(self) -> tuple[Claim, ...]:
        from antiphon.composition.guarantees.derivation import NoGuarantee
        from antiphon.composition.guarantees.rulebook import Inquiry, derive

        plain = Preprocessed(self.mechanism, self.preprocessing)
        try:
            claims = derive(Inquiry(plain, self.verification)).claims()
        except (NoGuarantee, InvalidArgument):
            return ()
        return claims if foreign(self) is None else tuple(map(assumed, claims))

    def respond(self, dataset: Any, coins: Coins) -> Any:
        return self.mechanism.respond(self._prepared(dataset), coins)

    def _prepared(self, dataset: Any) -> Any:
        found = self.preprocessing(dataset)
        if not self.mechanism.signature.queries.contains(found):
            raise CompositionError(
                f"{type(self.preprocessing).__name__} gave a {type(found).__name__} that is no "
                f"dataset of {type(self.mechanism).__name__}"
            )
        return found
