"""A dashboard that survives: counters over the flights stream, behind HTTP (docs/service.md).

    python -m examples.service start FOLDER

A durable session of one complex mechanism (``board``), one writer in front of it (``writer``), and
what may be asked of it from outside (``app``, ``pages``).
"""
