"""Sessions that survive their process: every message is logged first (docs/durable.md).

``journal``: the log file, and when it is synced to the disk. ``guard``: the file beside it, which
distinguishes an older copy from the newest. ``states``: states as JSON. ``durable_session``: the
session, which logs before it answers. ``resuming``: ``ap.begin`` and ``ap.resume``. ``inspection``:
reports on a file, without resuming.
"""
