"""Printing TOML: what a policy needs of it, and comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sfumato.errors import Bug

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LONGEST = 110

Table = Mapping[str, object]
Path = tuple[str, ...]


def key_text(key: str) -> str:
    """A key, quoted where it must be."""
    return key if _BARE.fullmatch(key) else _string(key)


def value_text(value: object) -> str:
    """A value on one line.

    Example:
        >>> value_text({"days": 180, "per": "patient id", "widths": [0.5, 1]})
        '{ days = 180, per = "patient id", widths = [0.5, 1] }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key_text(key)} = {value_text(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(value_text(item) for item in value)}]"
    raise Bug(f"a policy holds a {type(value).__name__}, which TOML cannot write")


def _string(value: str) -> str:
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n")
    return '"' + _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + '"'


def document(
    table: Table, *, sections: Iterable[Path], comments: Mapping[Path, Sequence[str]]
) -> Iterator[str]:
    """The lines of a document.

    A table whose path is in `sections` gets a header of its own, and so does one too long for a
    line; the others are written on one. `comments` go above the key or the header of their path.
    """
    yield from _table(table, (), headed=frozenset(sections), comments=comments)


def _table(
    table: Table, path: Path, *, headed: frozenset[Path], comments: Mapping[Path, Sequence[str]]
) -> Iterator[str]:
    later: list[tuple[Path, Table]] = []
    for key, value in table.items():
        here = (*path, key)
        line = f"{key_text(key)} = {value_text(value)}"
        if isinstance(value, Mapping) and (here in headed or len(line) > _LONGEST):
            later.append((here, value))
            continue
        yield from comment_lines(comments.get(here, ()))
        if isinstance(value, list) and len(line) > _LONGEST:
            yield from (
                f"{key_text(key)} = [",
                *(f"    {value_text(item)}," for item in value),
                "]",
            )
        else:
            yield line
    for here, value in later:
        notes = list(comment_lines(comments.get(here, ())))
        lines = list(_table(value, here, headed=headed, comments=comments))
        if notes or not lines or lines[0]:  # a table that holds only headed tables needs no header
            yield from ("", *notes, f"[{'.'.join(key_text(part) for part in here)}]")
        yield from lines


def comment_lines(notes: Iterable[str]) -> Iterator[str]:
    """Notes as comment lines; a note of several lines stays several, and nothing in it can end the
    comment."""
    for note in notes:
        for line in note.splitlines() or [""]:
            yield f"# {_CONTROL.sub(' ', line)}".rstrip()
