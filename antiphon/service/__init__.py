"""An HTTP service for a board, or for a live stream with analysts' counters (docs/service.md).

``antiphon service FILE.toml`` starts it. It needs the extra ``service``.
"""
