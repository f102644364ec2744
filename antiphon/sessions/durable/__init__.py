"""Sessions that survive their process: logged first, resumed, never run twice (docs/durable.md).

``journal``: the file, and when it is on the disk. ``guard``: the file beside it, which tells an
older copy from the newest. ``states``: states as JSON. ``durable_session``: what is said, written
and answered. ``resuming``: ``ap.begin`` and ``ap.resume``. ``inspection``: what a file holds,
without going on.
"""
