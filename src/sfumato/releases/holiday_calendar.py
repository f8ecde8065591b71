"""A calendar of holidays: the shifts that take a person's holidays to holidays and no other day to
one (Garfinkel 2016, section 4.3.3: shifted dates should keep weekdays and holidays)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Days = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HolidayCalendar:
    """The years from the first holiday to the last, day by day. Other years are not known."""

    first: int
    is_holiday: NDArray[np.bool_] = field(repr=False)

    @classmethod
    @lru_cache(maxsize=8)
    def of(cls, holidays: tuple[str, ...]) -> HolidayCalendar:
        """A calendar of ISO dates.

        Example:
            >>> calendar = HolidayCalendar.of(("2023-12-25", "2024-12-25"))
            >>> christmas, year = date(2023, 12, 25).toordinal(), np.array([365, 366, 367])
            >>> calendar.kept(np.array([christmas]), year).tolist()
            [366]
        """
        days = [date.fromisoformat(each) for each in holidays]
        first = date(min(days).year, 1, 1).toordinal()
        last = date(max(days).year, 12, 31).toordinal()
        marks = np.zeros(last - first + 1, bool)
        marks[[day.toordinal() - first for day in days]] = True
        return cls(first, marks)

    def covers(self, days: Days) -> NDArray[np.bool_]:
        return np.asarray((days >= self.first) & (days < self.first + len(self.is_holiday)))

    def has_any(self, days: Days) -> bool:
        """Whether one of the days is a holiday."""
        own = days[self.covers(days)]
        return bool(self.is_holiday[own - self.first].any())

    def kept(self, days: Days, offsets: Days) -> Days:
        """The offsets that take each of the days that the calendar covers to one of its own kind.
        Days in other years decide nothing."""
        own = days[self.covers(days)]
        moved = own[:, None] + offsets
        inside = self.covers(moved)
        there = self.is_holiday[np.where(inside, moved - self.first, 0)]
        same = there == self.is_holiday[own - self.first][:, None]
        return np.asarray(offsets[(inside & same).all(axis=0)], np.int64)
