"""``antiphon replay``: its options."""

from __future__ import annotations

from antiphon.cli.options import File, Json, With


def replay(path: File, with_: With = None, json: Json = False) -> int:
    """Replay a view (the adversary) or a recording (both sides); status 1 if it differs."""
    from antiphon.cli.commands import views

    return views.replay(path, with_file=with_, as_json=json)
