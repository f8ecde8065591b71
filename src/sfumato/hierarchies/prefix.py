"""Codes whose first characters say most: ZIP codes, phone prefixes, product and region codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from sfumato.errors import HierarchyError
from sfumato.parts import parameter

from .declaration import HierarchyDeclaration, keys_of
from .hierarchy import SUPPRESSED, Hierarchy, Label
from .parameters import Table, is_whole, only_keys, text, wanted, whole_numbers

LONGEST = 1_000
"""Characters of a code that others are brought to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixParameters:
    """What the table under `prefix` may hold; a list alone stands for `keep`."""

    keep: tuple[int, ...] = parameter(
        "characters that are kept, one number per level", least=1, example="[4, 3]"
    )
    fill: str = parameter("one character for each that is cut, or none", default=SUPPRESSED)
    length: int = parameter(
        "the length that codes are brought to; 0 leaves them", default=0, least=0, most=LONGEST
    )


@dataclass(frozen=True, slots=True)
class Prefix:
    """Keep the first characters, one number of them per level, and fill the rest.

    `length` brings codes to one length first: shorter ones get zeros in front (a ZIP that was read
    as a number), longer ones are cut (ZIP+4). 0 takes them as they are.

    Example:
        >>> Prefix((4, 3)).bind(["02138", "02141"]).labels[1:]
        (('0213*', '0214*'), ('021**',), ('*',))
    """

    keep: tuple[int, ...]
    fill: str = SUPPRESSED
    length: int = 0

    key: ClassVar[str] = "prefix"

    @classmethod
    def from_table(cls, table: Table) -> Prefix:
        only_keys(table, ("prefix",), builder="prefix")
        given = table["prefix"]
        if isinstance(given, Mapping):
            only_keys(given, keys_of(PrefixParameters), builder="prefix")
            length = given.get("length", 0)
            if not is_whole(length) or not 0 <= length <= LONGEST:
                raise wanted("prefix.length", f"a whole number from 0 to {LONGEST:,}")
            keep = whole_numbers(given.get("keep"), "prefix.keep")
            spec = cls(keep, text(given.get("fill", SUPPRESSED), "prefix.fill"), length)
        else:
            spec = cls(whole_numbers(given, "prefix"))
        spec._check()
        return spec

    def _check(self) -> None:
        if len(self.fill) > 1:
            raise wanted("prefix.fill", "one character, or empty to cut the code off")
        if any(finer <= coarser for finer, coarser in pairwise(self.keep)):
            raise HierarchyError(
                "Each level of a prefix hierarchy must keep fewer characters than the one before.",
                found=f"It keeps {', '.join(map(str, self.keep))}.",
                attempt=f"prefix = {sorted(set(self.keep), reverse=True)}.",
            )

    def _column(self, codes: Sequence[Label], kept: int) -> list[Label]:
        """What codes become where so many characters are kept. There may be millions of them."""
        lengths = {len(code) for code in codes if code is not None}
        if len(lengths) > 1 and self.fill:
            return [
                None if code is None else code[:kept].ljust(len(code), self.fill) for code in codes
            ]
        rest = self.fill * max(0, max(lengths, default=0) - kept)
        return [None if code is None else code[:kept] + rest for code in codes]

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        self._check()
        names = ("value", *(f"first {kept}" for kept in self.keep), "suppressed")
        order = tuple(values) or (None,)
        codes: Sequence[Label] = order
        if length := self.length:
            codes = [None if code is None else code[:length].rjust(length, "0") for code in order]
        columns = [self._column(codes, kept) for kept in self.keep]
        return Hierarchy.from_columns(
            [order, *columns, (SUPPRESSED,) * len(order)], level_names=names
        )

    def describe(self) -> Mapping[str, object]:
        if self.fill == SUPPRESSED and not self.length:
            return {"prefix": list(self.keep)}
        return {"prefix": {"keep": list(self.keep), "fill": self.fill, "length": self.length}}


DECLARATION = HierarchyDeclaration(
    key="prefix",
    doc="the first characters of a code",
    record=PrefixParameters,
    read=Prefix.from_table,
    example={"prefix": [4, 3]},
    inside=True,
    shown=("prefix", "keep", "fill", "length"),
)
