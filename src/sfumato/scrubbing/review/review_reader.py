"""Reading a review file that a person may have edited: every problem is reported at once, by place,
never by content."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import Problem, ReviewError, SourceError
from sfumato.text import ReferenceKind

from .review_file import FORMAT, KEEP, MASK, Key

_TWICE = "\0twice"
TOP = {
    "format": str,
    "holds": str,
    "purpose": str,
    "whole": bool,
    "reviewer": str,
    "everywhere": list,
}
TOP |= {"documents": list, "comment": str}
ABOUT = {"name": str, "digest": str, "copy": int, "unusual": bool, "findings": list, "comment": str}
FINDING = {
    "start": int,
    "end": int,
    "text": str,
    "kind": str,
    "mask": bool,
    "everywhere": bool,
    "score": float,
}
FINDING |= dict.fromkeys(
    ("replaced by", "how", "found by", "why", "proposed", "decided", "comment"), str
)
_EVERYWHERE = {"text": str, "kind": str, "mask": bool, "comment": str}
_CALLED = {
    str: "text in quotes",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
}
_NOT_ONE = "is not a review of texts."
_KINDS = frozenset(map(str, ReferenceKind))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One finding as a person left it. `proposed` is Scrub's own decision, None where the person
    added it."""

    where: str
    text: str = field(repr=False)
    kind: ReferenceKind
    masks: bool
    start: int | None = None
    end: int | None = None
    everywhere: bool = False
    score: float = 1.0
    detector: str = "review"
    reason: str = ""
    decided: str = ""
    proposed: tuple[bool, ReferenceKind] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewMarks:
    """The content of a review file: marks by document, and those for all documents."""

    whole: bool
    reviewer: str
    documents: Mapping[Key, tuple[Mark, ...]] = field(repr=False)
    everywhere: tuple[Mark, ...] = field(repr=False)


def read_sheet(path: Path) -> ReviewMarks:
    """Read and check one review file; `ReviewError` with all its problems."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read.", found=f"{error.strerror}.", attempt="another file."
        ) from None
    try:
        read = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_unique)
    except (
        json.JSONDecodeError
    ) as error:  # Its own message is kept out: some of them quote the file.
        where = f"line {error.lineno}, column {error.colno}"
        wanted = "a comma between entries and none after the last, and quotes around text."
        raise ReviewError(
            [Problem(where=where, found="is not JSON from here on.", attempt=wanted)],
            name=str(path),
        ) from None
    except (ValueError, RecursionError):
        raise ReviewError([Problem(where="the file", found=_NOT_ONE)], name=str(path)) from None
    checking = _Checking()
    sheet = checking.sheet(read)
    if checking.problems:
        raise ReviewError(checking.problems, name=str(path))
    return sheet


def is_open_to_others(path: Path) -> bool:
    """Whether others than its owner may open the file, as far as its permissions show."""
    return os.name == "posix" and bool(path.stat().st_mode & 0o077)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    return out if len(out) == len(pairs) else {**out, _TWICE: True}


class _Checking:
    """Turns what JSON gave into marks, and notes what is wrong instead of stopping at it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def sheet(self, read: Any) -> ReviewMarks:
        if not isinstance(read, dict) or read.get("format") != FORMAT:
            self._tell("the file", _NOT_ONE, f'a file whose "format" is "{FORMAT}".')
            return ReviewMarks(whole=False, reviewer="", documents={}, everywhere=())
        top = self._fields(read, TOP, "the file", needed=("documents", "whole"))
        documents: dict[Key, tuple[Mark, ...]] = {}
        for place, each in enumerate(top.get("documents", ()), start=1):
            where = f"document {place}"
            about = self._fields(each, ABOUT, where, needed=("name", "digest", "findings"))
            key = about.get("name", ""), about.get("digest", ""), about.get("copy", 1)
            if key in documents:
                self._tell(
                    where,
                    "is in the file twice.",
                    "one of the two; equal texts are distinguished by their copy.",
                )
            marks = (
                self._mark(one, f"{where}, finding {n}")
                for n, one in enumerate(about.get("findings", ()), 1)
            )
            documents[key] = tuple(mark for mark in marks if mark is not None)
        wanted = (
            self._mark(one, f"everywhere, entry {n}", fields=_EVERYWHERE)
            for n, one in enumerate(top.get("everywhere", ()), start=1)
        )
        everywhere = tuple(mark for mark in wanted if mark is not None)
        reviewer = top.get("reviewer", "")
        return ReviewMarks(
            whole=top.get("whole", False),
            reviewer=reviewer,
            documents=documents,
            everywhere=everywhere,
        )

    def _mark(self, read: Any, where: str, *, fields: Mapping[str, type] = FINDING) -> Mark | None:
        before = len(self.problems)
        got = self._fields(read, fields, where, needed=("text", "kind"))
        if "text" in got and not got["text"].strip():
            self._tell(where, '"text" is empty.', "the words as they are in the document.")
        if "kind" in got and got["kind"] not in _KINDS:
            self._tell(
                where, '"kind" is none that Scrub knows.', f"one of: {', '.join(ReferenceKind)}."
            )
        if ("start" in got) != ("end" in got):
            self._tell(where, 'has one of "start" and "end".', "both or neither.")
        if not 0 <= got.get("score", 0.0) <= 1:
            self._tell(where, '"score" is not between 0 and 1.', "leaving it as it was.")
        proposed = self._proposed(got.get("proposed"), where)
        if len(self.problems) > before:
            return None
        return Mark(
            where=where,
            text=got["text"],
            kind=ReferenceKind(got["kind"]),
            masks=got.get("mask", True),
            start=got.get("start"),
            end=got.get("end"),
            everywhere=got.get("everywhere", False),
            score=float(got.get("score", 1.0)),
            detector=got.get("found by", "review"),
            reason=got.get("why", ""),
            decided=got.get("decided", ""),
            proposed=proposed,
        )

    def _proposed(self, said: str | None, where: str) -> tuple[bool, ReferenceKind] | None:
        if said is None:
            return None
        what, _, kind = said.partition(" as ")
        if what not in (MASK, KEEP) or kind not in _KINDS:
            self._tell(
                where,
                '"proposed" differs from what Scrub wrote.',
                "leaving it as it was; it changes nothing.",
            )
            return None
        return what == MASK, ReferenceKind(kind)

    def _fields(
        self, read: Any, known: Mapping[str, type], where: str, *, needed: Iterable[str]
    ) -> dict[str, Any]:
        """The fields of the right type; what is missing, unknown or of another type is a
        problem."""
        if not isinstance(read, dict):
            self._tell(where, "is not an object in braces.", f"{{{', '.join(known)}}}.")
            return {}
        if _TWICE in read:
            self._tell(where, "has a name twice.", "one of the two.")
        strangers = [name for name in read if name not in known and name != _TWICE]
        if strangers:
            found = (
                f"has {len(strangers):,} name{'s' if len(strangers) > 1 else ''} that a review "
                "does not have."
            )
            self._tell(where, found, f"only {', '.join(known)}.")
        for name in needed:
            if name not in read:
                self._tell(where, f'has no "{name}".', f'adding "{name}": {_CALLED[known[name]]}.')
        out = {}
        for name, value in read.items():
            if name in known and _is(value, known[name]):
                out[name] = value
            elif name in known:
                self._tell(where, f'"{name}" is not {_CALLED[known[name]]}.')
        return out

    def _tell(self, where: str, found: str, attempt: str = "") -> None:
        self.problems.append(Problem(where=where, found=found, attempt=attempt))


def _is(value: Any, wanted: type) -> bool:
    if wanted is bool or isinstance(value, bool):
        return isinstance(value, bool) and wanted is bool
    return isinstance(value, (int, float) if wanted is float else wanted)
