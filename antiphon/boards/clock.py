"""The division of time into windows of equal length, from a public start on, numbered from 0."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

import attrs

from antiphon.mechanisms import fields
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.records.labels import counted
from antiphon.protocol.registry import set_derived

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_EVERY: Final = {
    "minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}  # fmt: skip
_TIME: Final = "a time is an ISO text such as 2026-01-31 or 2026-01-31T12:00, a date or a datetime"


def span(value: object, name: str) -> timedelta:
    """A length of time from "day", "6 hours", or a timedelta. Raises: InvalidArgument.

    >>> span("6 hours", "every")
    datetime.timedelta(seconds=21600)
    """
    if type(value) is timedelta and value >= timedelta(0):
        return value
    text = value if type(value) is str else ""
    if type(value) is str:
        number, _, unit = value.strip().rpartition(" ")
        each = _EVERY.get(unit.removesuffix("s"))
        if each is not None and (not number or (number.isdecimal() and len(number) < 6)):
            return each * int(number or 1)
    months = " (a month and a year have no fixed length)" * ("month" in text or "year" in text)
    raise InvalidArgument(
        f"{name} is a number of minutes, hours, days or weeks{months}, such as 'day' or '6 hours', "
        "or a timedelta"
    )


def moment(value: object) -> datetime:
    """The datetime in a data cell: an ISO text, a date or a datetime. Raises: ValueError."""
    if type(value) is str:
        return datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value
    if type(value) is date:
        return datetime(value.year, value.month, value.day)
    raise ValueError(_TIME)


def public_time(value: object, name: str) -> datetime:
    """The datetime that a public parameter such as ``start`` states. Raises: InvalidArgument."""
    try:
        return moment(value)
    except ValueError:
        raise InvalidArgument(f"{name}: {_TIME}") from None


@attrs.frozen(kw_only=True)
class Clock:
    """Equal windows of time: ``windows`` of length ``every``, from ``start`` on, local to ``zone``.

    A time with a UTC offset is converted to the zone; a time without is local. A day is a calendar
    day; the hour that comes twice when clocks go back is one hourly window, and the hour that is
    skipped when they go forward is an empty one.
    """

    start: datetime
    every: timedelta
    windows: int = attrs.field(converter=fields.size, metadata=fields.STREAM)
    zone: str = "UTC"
    _zone: ZoneInfo = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.every <= timedelta(0):
            raise InvalidArgument("every must be longer than 0")
        # zoneinfo is imported here because its import is slow: it reads Python's build
        # configuration.
        from zoneinfo import ZoneInfo

        try:
            zone = ZoneInfo(self.zone)
        except (ValueError, OSError, TypeError, KeyError):
            raise InvalidArgument(
                "zone is a name such as 'UTC' or 'Europe/Paris', which this system knows"
            ) from None
        set_derived(self, _zone=zone)
        if self.start.tzinfo is not None:
            raise InvalidArgument("start has no offset: it is a time on the wall of the zone")
        try:
            self.begins(self.windows)
        except OverflowError:
            raise InvalidArgument("the last window ends past the calendar: take fewer") from None

    @property
    def length(self) -> str:
        """The length of a window in words, such as "1 day" or "6 hours"."""
        whole = ((each, unit) for unit, each in reversed(_EVERY.items()) if not self.every % each)
        each, unit = next(whole, (timedelta(microseconds=1), "microsecond"))
        return counted(self.every // each, unit)

    def wall(self, time: datetime) -> datetime:
        """A time as local time in the clock's zone. Raises: ValueError outside the calendar."""
        try:
            return time if time.tzinfo is None else time.astimezone(self._zone).replace(tzinfo=None)
        except OverflowError:
            raise ValueError(_TIME) from None

    def window(self, wall: datetime) -> int:
        """The number of the window that contains a local time; out of range if none does."""
        return (wall - self.start) // self.every

    def begins(self, window: int) -> datetime:
        """The local time at which a window begins."""
        return self.start + window * self.every

    def over(self, until: datetime, lateness: timedelta) -> int:
        """The number of windows closed at ``until``; each is closed ``lateness`` after its end."""
        return min(max((until - lateness - self.start) // self.every, 0), self.windows)

    def now(self) -> datetime:
        """The current local time in the clock's zone."""
        return datetime.now(self._zone).replace(tzinfo=None)

    def name(self, window: int) -> str:
        """A window's name on pages and in files: the time at which it begins."""
        begin = self.begins(window)
        text = begin.isoformat(sep=" ", timespec="minutes" if not begin.second else "auto")
        return text.removesuffix(" 00:00") if self.every.seconds == 0 else text
