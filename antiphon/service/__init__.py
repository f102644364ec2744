"""A service for any board or live stream: its numbers behind HTTP (docs/service.md).

``antiphon service FILE.toml`` starts it. It needs the extra ``service``.
"""
