"""``antiphon.numbers.errors`` by its first address."""

from antiphon.numbers.errors import *  # noqa: F403
