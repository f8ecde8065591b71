"""Codes whose first characters carry most information: ZIP codes, phone prefixes, product and
region codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import ClassVar

import numpy as np

from sfumato.errors import HierarchyError
from sfumato.parts import parameter

from .declaration import HierarchyDeclaration, keys_of
from .hierarchy import SUPPRESSED, Hierarchy, Label, LabelPlaces, places_of, with_null
from .parameters import Table, is_whole, only_keys, text, wanted, whole_numbers

LONGEST = 1_000
"""The most characters to which codes are padded or cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixParameters:
    """The parameters under `prefix`; a list alone is taken as `keep`."""

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

    `length` brings codes to one length first. Shorter ones get zeros in front (a ZIP that was read
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

    def _levels(self, codes: Sequence[str]) -> Iterator[LabelPlaces]:
        """The labels of each level. There may be millions of codes: each level is made of the
        labels of the one before, which are fewer."""
        finer: Sequence[str] = codes
        places = np.arange(len(codes), dtype=np.int32)
        for kept in self.keep:
            labels, above = places_of(map(itemgetter(slice(kept)), finer), len(finer))
            finer, places = [label or "" for label in labels], above[places]
            yield finer, places

    def _filled(self, codes: Sequence[str]) -> Iterator[LabelPlaces]:
        """The same with the rest of each code filled. Codes of different lengths stay apart."""
        lengths = {*map(len, codes)}
        if len(lengths) > 1 and self.fill:
            for kept in self.keep:
                made = (code[:kept].ljust(len(code), self.fill) for code in codes)
                yield places_of(made, len(codes))
            return
        length = max(lengths, default=0)
        for kept, (labels, places) in zip(self.keep, self._levels(codes), strict=True):
            rest = self.fill * max(0, length - kept)
            yield [f"{label}{rest}" for label in labels], places

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        self._check()
        names = ("value", *(f"first {kept}" for kept in self.keep), "suppressed")
        order = tuple(values) or (None,)
        codes = [code for code in order if code is not None]
        if length := self.length:
            codes = [code[:length].rjust(length, "0") for code in codes]
        levels = (with_null(level, order) for level in self._filled(codes))
        return Hierarchy.from_levels(order, levels, level_names=names)

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
