"""The replacement without a surrogate: a tag, a mask, or the mark of something removed.

A reference that nobody knows how to replace is suppressed, as the gymnastics team of Fig. 21 is
(Sweeney 2000, section 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..kinds import ReferenceKind
from .names import NameSpelling
from .numbers import identity
from .real_values import is_name_part, words_of

MASK = "*"


def masked(value: str) -> str:
    """As many asterisks as there were characters; lines stay. The length of a name discloses
    something about it.

    Example:
        >>> masked("Ann\\nLee")
        '***\\n***'
    """
    out = "".join(character if character in "\r\n" else MASK for character in value)
    return out if out != value else out.replace(MASK, "#")


class Tags:
    """Numbers the references of one scope in the order of occurrence: [NAME 1], [NAME 2], [PHONE
    1].

    A part of a name counts as the name that it is a part of, if there is only one. A number that is
    a real value is passed over.

    Example:
        >>> names = [(ReferenceKind.NAME, name) for name in ("Ann", "Ann Lee", "Jo Gray")]
        >>> tags = Tags([*names, (ReferenceKind.PHONE, "4731214")])
        >>> [tags.tag(ReferenceKind.NAME, name) for name in ("Ann", "Dr. Gray")]
        ['[NAME 1]', '[NAME 2]']
        >>> tags.tag(ReferenceKind.PHONE, "473-1214")
        '[PHONE 1]'
    """

    def __init__(
        self,
        values: Iterable[tuple[ReferenceKind, str]],
        *,
        is_real: Callable[[str], bool] = lambda text: False,
    ) -> None:
        found = list(dict.fromkeys(values))
        self._is_real = is_real
        names = [value for kind, value in found if kind is ReferenceKind.NAME]
        self._bare = NameSpelling(sorted(names))
        self._names = _by_part({frozenset(self._parts(name)) for name in names})
        self._numbers: dict[tuple[ReferenceKind, str], int] = {}
        self._last: dict[ReferenceKind, int] = {}
        for kind, value in found:
            self._number(kind, value)

    def tag(self, kind: ReferenceKind, value: str) -> str:
        return f"[{kind.value.upper()} {self._number(kind, value)}]"

    def _number(self, kind: ReferenceKind, value: str) -> int:
        key = kind, self._identity(kind, value)
        if key not in self._numbers:
            number = self._last.get(kind, 0) + 1
            while self._is_real(str(number)):
                number += 1
            self._numbers[key] = self._last[kind] = number
        return self._numbers[key]

    def _parts(self, name: str) -> list[str]:
        return [part for part in map(self._bare, words_of(name)) if is_name_part(part)]

    def _identity(self, kind: ReferenceKind, value: str) -> str:
        if kind is not ReferenceKind.NAME:
            return identity(value) if kind.is_number else " ".join(words_of(value)) or value
        parts = frozenset(self._parts(value))
        if not parts:
            return value.casefold()
        wider = [name for name in self._names.get(min(parts), ()) if parts < name]
        wholes = [name for name in wider if not any(name < other for other in wider)]
        return " ".join(sorted(wholes[0] if len(wholes) == 1 else parts))


def _by_part(names: Iterable[frozenset[str]]) -> dict[str, list[frozenset[str]]]:
    """The names of two parts and more, under each of their parts."""
    out: dict[str, list[frozenset[str]]] = {}
    for name in names:
        for part in name if len(name) > 1 else ():
            out.setdefault(part, []).append(name)
    return out
