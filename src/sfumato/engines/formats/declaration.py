"""The declaration of a file format: its suffixes, its types, and the releases that may be written
in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sfumato.parts import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatDeclaration:
    """One format, as data. `suffixes` are how names of its files end, the first of them where it is
    written.

    `keeps_types`: numbers and dates are no text in it. `compressed`: also read where .gz follows.
    `holds_tables`: one file may hold several tables. `released`: releases are written in it, a file
    for each table. `in_spreadsheets`: spreadsheets open it and run cells that look like
    formulas."""

    key: str
    doc: str
    title: str
    suffixes: tuple[str, ...]
    extra: str = ""
    keeps_types: bool = False
    compressed: bool = False
    holds_tables: bool = False
    released: bool = False
    in_spreadsheets: bool = False

    @property
    def abilities(self) -> dict[str, str]:
        """For the table of formats."""
        return {
            "files": ", ".join(self.suffixes) + (", also with .gz" if self.compressed else ""),
            "types": "kept" if self.keeps_types else "all text",
            "several tables": "yes" if self.holds_tables else "no",
            "releases": "yes" if self.released else "no",
            "extra": self.extra or "none",
        }


FORMATS: Final[Registry[FormatDeclaration]] = Registry(
    "file format", room="sfumato.engines.formats", group=""
)
"""Every file format, by its key. No other package can add one yet: engines read and write formats
themselves."""


def format_of_suffix(suffix: str) -> FormatDeclaration | None:
    """The format of files whose names end so.

    Example:
        >>> format_of_suffix(".tsv").key, format_of_suffix(".odt")
        ('csv', None)
    """
    return next((each for each in FORMATS.all().values() if suffix.lower() in each.suffixes), None)


def released_suffixes() -> tuple[str, ...]:
    """How files of releases may end.

    Example:
        >>> released_suffixes()
        ('.csv', '.xlsx', '.parquet')
    """
    return tuple(each.suffixes[0] for each in FORMATS.all().values() if each.released)
