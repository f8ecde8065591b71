"""For the steward: finding lines of the audit, and explaining what became of a query.

A recipient gets one sentence and a number. Under that number the audit holds which rule was broken
and in how many classes, never a value. The steward reads it here, and decides what to disclose.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sfumato.errors import NotAdmitted
from sfumato.wording import counted

_BLOCK: Final = 1 << 16
OWN: Final = (
    "number", "time", "kind", "query", "asked", "levels", "rows", "withheld", "rule", "epsilon", "shapes", "code",
    "value", "margin", "agreement",
)  # fmt: skip
"""The lines that an account may read about itself: only what it was sent."""
JOURNAL: Final = ("state changed", "state adopted")
ASKED: Final = ("answered", "validated", "not answered", "looked", "not admitted")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSearch:
    """A search for lines of the audit; an empty part matches every line."""

    who: str = ""
    kind: str = ""
    query: str = ""
    text: str = ""
    since: str = ""
    until: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> AuditSearch:
        times = {name: _time(given[name]) for name in ("since", "until") if given.get(name)}
        plain = {name: given[name] for name in ("who", "kind", "query", "text") if name in given}
        return cls(**plain, **times)

    def fits(self, entry: Mapping[str, Any], line: str) -> bool:
        return (
            (not self.who or entry.get("who") == self.who)
            and (not self.kind or entry.get("kind") == self.kind)
            and (not self.query or entry.get("query") == self.query)
            and (not self.text or self.text.casefold() in line.casefold())
            and (not self.since or str(entry.get("time", "")) >= self.since)
            and (not self.until or str(entry.get("time", "")) <= self.until)
        )


def _time(text: str) -> str:
    try:
        found = datetime.fromisoformat(text)
        plain = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise NotAdmitted(
            "A time is not written as one.", code="not-fitting", attempt="2026-01-31T12:00."
        ) from None
    return plain.isoformat(timespec="milliseconds")


def found(
    path: Path, search: AuditSearch, *, limit: int = 100, before: int | None = None
) -> tuple[list[dict[str, Any]], int | None]:
    """Lines of the audit that fit, the newest first, and from where to go on where there are more.

    The journal of the state is omitted unless its kind is asked for: it is meaningless to a reader.
    """
    out: list[dict[str, Any]] = []
    for line in _lines_from_the_end(path):
        entry = json.loads(line)
        if not search.kind and entry["kind"] in JOURNAL:
            continue
        if (before is not None and entry["number"] >= before) or not search.fits(entry, line):
            continue
        if len(out) == limit:
            return out, out[-1]["number"]
        out.append(entry)
    return out, None


def history(
    path: Path, name: str, *, limit: int = 100, before: int | None = None
) -> tuple[list[dict[str, Any]], int | None]:
    """The questions of somebody, as far as they know it themselves: the reason of a refusal is not
    in it."""
    lines, further = found(path, AuditSearch(who=name), limit=limit, before=before)
    kept = [
        {key: value for key, value in entry.items() if key in OWN}
        for entry in lines
        if entry["kind"] in ASKED
    ]
    return kept, further


def explain(path: Path, query: str) -> dict[str, Any]:
    """The facts about a query number: who asked what, the result each time, and the reason in
    words."""
    lines, _ = found(path, AuditSearch(query=query), limit=50)
    if not lines:
        raise NotAdmitted("There is no query of that number.", code="not-there")
    newest = lines[0]
    return {
        "query": query,
        "who": sorted({str(entry.get("who", "")) for entry in lines}),
        "asked": newest.get("asked", ""),
        "times": [
            {"time": entry["time"], "who": entry.get("who", ""), "kind": entry["kind"]}
            for entry in lines
        ],
        "because": list(_because(newest)),
    }


def _because(entry: Mapping[str, Any]) -> Iterator[str]:
    if entry["kind"] == "answered":
        yield from _answered(entry)
    if entry["kind"] == "validated":
        yield (
            f"It was validated: {entry['value']:.6g} with a margin of {entry['margin']:g}. The verdict "
            f"is {entry['agreement']!r}, from the noisy answer."
        )
    if entry["kind"] == "looked":
        count = len(entry.get("shapes", ()))
        shapes = "shape" if count == 1 else "shapes"
        yield f"It was previewed, not answered; {count or 'no'} {shapes} of it could be."
    if entry["kind"] == "not admitted":
        yield f"It was not admitted: {entry.get('reason', '')} The person was given this reason."
    if entry["kind"] == "not answered":
        reason = entry.get("reason", "it would break a condition")
        yield f"It was not answered: {reason}."
        for where, rules in entry.get("closest", {}).items():
            yield from _broken(where, rules)


def _answered(entry: Mapping[str, Any]) -> Iterator[str]:
    rules = {
        "noise": "with noise",
        "remembered": "as it had been answered before",
        "exposure": "as it is",
    }
    yield (
        f"It was answered {rules.get(entry.get('rule', ''), '')}, with "
        f"{counted(entry.get('rows', 0), 'row')}."
    )
    raised = [
        f"{name} at level {level}" for name, level in entry.get("levels", {}).items() if level
    ]
    if raised:
        yield f"It was generalised to meet the conditions: {', '.join(raised)}."
    if entry.get("withheld"):
        yield f"{counted(entry['withheld'], 'row or group was', 'rows or groups were')} withheld."


def _broken(where: str, rules: Mapping[str, int]) -> Iterator[str]:
    for rule, count in rules.items():
        noun = "class" if count == 1 else "classes"
        yield (
            f"Shown {where}, together with all that was shown before, {count:,} {noun} would "
            f"break {rule}."
        )
    if not rules:
        yield f"Shown {where}, it would break no rule by itself."


def as_line(entry: Mapping[str, Any]) -> str:
    """A line as the audit file has it."""
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def as_csv(lines: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Lines for a spreadsheet; a nested value is JSON in its cell, and no cell can be taken for a
    formula.

    The journal of the state is left out: only the JSON lines are the whole audit.
    """
    import csv
    import io

    columns = (
        "number",
        "time",
        "kind",
        "who",
        "profile",
        "query",
        "asked",
        "rows",
        "withheld",
        "rule",
        "digest",
    )
    page = io.StringIO()
    out = csv.writer(page)
    out.writerow((*columns, "further"))
    for entry in lines:
        if entry["kind"] in JOURNAL:
            continue
        rest = {key: value for key, value in entry.items() if key not in columns}
        out.writerow(
            [
                *(_plain(entry.get(column, "")) for column in columns),
                json.dumps(rest, ensure_ascii=False),
            ]
        )
        yield page.getvalue()
        page.seek(0)
        page.truncate()
    yield page.getvalue()


def _plain(cell: Any) -> Any:
    return (
        f"'{cell}"
        if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r")
        else cell
    )


def _lines_from_the_end(path: Path) -> Iterator[str]:
    """The whole lines of a file, the last one first, read block by block."""
    with path.open("rb") as file:
        place, rest = file.seek(0, 2), b""
        while place > 0:
            step = min(_BLOCK, place)
            place -= step
            file.seek(place)
            pieces = (file.read(step) + rest).split(b"\n")
            rest = pieces[0]
            yield from (piece.decode() for piece in reversed(pieces[1:]) if piece)
        if rest:
            yield rest.decode()
