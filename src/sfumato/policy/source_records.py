"""How a source is read, as a person decided: its encoding, its separator, its header, its words for
missing values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFormat:
    """A person's facts about a file. Empty texts are found from the file.

    With `header`, the first line holds the names of the fields; `rename_headers` that names which
    are missing, repeated or too long get others. `sheet` is the sheet of a workbook. With
    `quoted_formulas`, cells which a spreadsheet would run have an apostrophe in front, which is
    removed. `null_words` are cells that mean a missing value in every field."""

    encoding: str = ""
    separator: str = ""
    header: bool = True
    rename_headers: bool = False
    sheet: str = ""
    quoted_formulas: bool = False
    null_words: tuple[str, ...] = ()

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same with what `options` say; what they leave out, or leave empty, stays.

        Example:
            >>> SourceFormat(separator=";").with_options({"separator": ",", "memory": "1GB"}).separator
            ','
        """
        usual = SourceFormat()
        known = {item.name: options[item.name] for item in fields(self) if item.name in options}
        return replace(
            self, **{name: value for name, value in known.items() if value != getattr(usual, name)}
        )


AS_FOUND = SourceFormat()
"""Everything is found from the file, and its first line is its header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NullWords:
    """Cells that mean a missing value: in every field, and in some fields besides.

    A cell is one of them if it is the same text, blanks around it aside. The empty word is a cell
    of blanks."""

    every: tuple[str, ...] = ()
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, name: str) -> tuple[str, ...]:
        """The words of one field."""
        return tuple(dict.fromkeys((*self.every, *self.fields.get(name, ()))))

    def __bool__(self) -> bool:
        return bool(self.every or any(self.fields.values()))
