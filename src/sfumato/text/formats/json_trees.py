"""JSON as a tree with the place of each value in the source, so that only replaced values are
written anew.

Numbers keep their digits, objects their order and keys, lines their blanks. Repeated keys are both
there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sfumato.errors import SourceError

_TOKEN = re.compile(
    r"[ \t\n\r]*(?:"
    r'(?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
    r"|(?P<word>true|false|null)"
    r"|(?P<mark>[\[\]{},:])"
    r"|(?P<end>\Z))"
)
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Leaf:
    """A string, a number (as it is written) or a word such as `true`, with its place in the
    source."""

    start: int
    end: int
    kind: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Member:
    """A key of an object with its value; `start` is the place of the key."""

    start: int
    key: str = field(repr=False)
    value: Node


@dataclass(frozen=True, slots=True)
class Object:
    """An object, its members in their order."""

    members: tuple[Member, ...] = field(repr=False)

    def get(self, key: str) -> Node | None:
        """The first value of a key."""
        return next((member.value for member in self.members if member.key == key), None)

    def string(self, key: str) -> str:
        """The text of a string or number; empty where there is none."""
        value = self.get(key)
        return value.text if isinstance(value, Leaf) and value.kind != "word" else ""


@dataclass(frozen=True, slots=True)
class Array:
    """An array."""

    items: tuple[Node, ...] = field(repr=False)


Node = Object | Array | Leaf


def parsed(
    source: str, *, start: int = 0, end: int | None = None, place: str = "This file"
) -> Node:
    """One JSON value.

    Example:
        >>> tree = parsed('{"a": [1.50, "x\\\\u00fc"]}')
        >>> [leaf.text for _, leaf in leaves(tree)]
        ['1.50', 'xü']
    """
    reader = _Reader(source, start, len(source) if end is None else end, place)
    value = reader.value(0)
    if reader.next() != "end":
        raise reader.broken()
    return value


class _Reader:
    """Reads token after token."""

    def __init__(self, source: str, start: int, end: int, place: str) -> None:
        self._source, self._end, self._place = source, end, place
        self._at = start
        self._found: re.Match[str] | None = None

    def next(self) -> str:
        found = _TOKEN.match(self._source, self._at, self._end)
        if found is None or found.lastgroup is None:
            raise self.broken()
        self._found, self._at = found, found.end()
        return found.group(found.lastgroup) if found.lastgroup == "mark" else found.lastgroup

    def value(self, depth: int, token: str = "") -> Node:
        token = token or self.next()
        if depth > _DEEPEST:
            raise SourceError(f"{self._place} is JSON that is nested more than {_DEEPEST} deep.")
        if token == "{":
            return self._object(depth)
        if token == "[":
            return self._array(depth)
        if token in ("string", "number", "word"):
            return self._leaf(token)
        raise self.broken()

    def _leaf(self, kind: str) -> Leaf:
        assert self._found is not None
        raw = self._found.group(kind)
        text = json.loads(raw) if kind == "string" else raw
        return Leaf(self._found.start(kind), self._found.end(kind), kind, text)

    def _object(self, depth: int) -> Object:
        members: list[Member] = []
        token = self.next()
        while token != "}":
            if token != "string":
                raise self.broken()
            key = self._leaf("string")
            if self.next() != ":":
                raise self.broken()
            members.append(Member(key.start, key.text, self.value(depth + 1)))
            token = self.next()
            if token == ",":
                token = self.next()
                if token == "}":
                    raise self.broken()
            elif token != "}":
                raise self.broken()
        return Object(tuple(members))

    def _array(self, depth: int) -> Array:
        items: list[Node] = []
        token = self.next()
        while token != "]":
            items.append(self.value(depth + 1, token))
            token = self.next()
            if token == ",":
                token = self.next()
                if token == "]":
                    raise self.broken()
            elif token != "]":
                raise self.broken()
        return Array(tuple(items))

    def broken(self) -> SourceError:
        return SourceError(
            f"{self._place} is not JSON.",
            found=f"It cannot be read after character {self._at:,}.",
            attempt="a file that a JSON reader takes.",
        )


def leaves(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    """Every leaf with the keys that lead to it; the items of an array have the path of the
    array."""
    if isinstance(node, Leaf):
        yield path, node
    elif isinstance(node, Array):
        for item in node.items:
            yield from leaves(item, path)
    else:
        for member in node.members:
            yield from leaves(member.value, (*path, member.key))


def edited(source: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """The source with other pieces in their places."""
    pieces: list[str] = []
    last = 0
    for start, end, new in sorted(edits):
        pieces += (source[last:start], new)
        last = end
    return "".join((*pieces, source[last:]))


def json_string(text: str, *, like: str = "") -> str:
    """A string as JSON, in ASCII only where the source `like` is."""
    return json.dumps(text, ensure_ascii=like.isascii() or not text.isprintable())
