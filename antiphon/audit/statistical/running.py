"""``antiphon.audit.running`` by its first address."""

from antiphon.audit.running import *  # noqa: F403
