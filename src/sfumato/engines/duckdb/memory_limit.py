"""How much memory a session may use, where nobody said it."""

from __future__ import annotations


class GrowingLimit(str):
    """A memory limit, as DuckDB takes it, that becomes `most` for a query that cannot run within it.

    DuckDB keeps what it has read for as long as there is room, so that a limit is soon used up
    whatever a query needs.

    Example:
        >>> GrowingLimit(1430, most=2861), GrowingLimit(1430, most=2861).halved().most
        ('1430MiB', 1430)
    """

    most: int

    def __new__(cls, mebibytes: int, *, most: int) -> GrowingLimit:
        limit = super().__new__(cls, f"{mebibytes}MiB")
        limit.most = most
        return limit

    def halved(self) -> GrowingLimit:
        return GrowingLimit(max(1, int(self.removesuffix("MiB")) // 2), most=max(1, self.most // 2))
