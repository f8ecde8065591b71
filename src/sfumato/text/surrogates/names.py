"""Names to other names, part by part, so that "Virginia Townsend", "Virginia" and "Ms. Townsend"
still go together.

A part gets the surrogate of its own spelling: first names become first names, last names last
names. Surrogates are usual names (one in some thousands of people has them), so that none points to
the bearer of a rare one. Where every usual name is a real one of the collection, they are made up.
Titles, particles and degrees stay as they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from unicodedata import name as character_name
from unicodedata import normalize

from sfumato.keys import KeyedDraws

from ..lexicons import first_names, folded, last_names, name_origins
from ..misspelling import deletions, is_misspelt
from ..name_spelling import name_key, name_spellings
from .made_up_words import made_up_words
from .real_values import is_name_part, untitled
from .styles import Trait
from .surrogate_choice import SurrogateChoice

_PART = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+")
_UNIT = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+")
"""A word of a name with those that hyphens join to it."""
_APART = re.compile(r"(?<![^\W_])(?:[ODL]|Ma?c) (?=[^\W\d_]{3})[^\W\d_]+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s\Z", re.IGNORECASE)
_USUAL, _RARE = "3", "1"
_FROM_POOL = 40
_SHORTEST_SLIP, _LONGEST_SLIP = 4, 40
_FEWEST = 12
"""A trait that leaves fewer names than this to choose from is not kept."""


class Cast:
    """The names of one scope and their surrogates.

    `known` has surrogates given elsewhere, such as those of a table, for whole names.

    Example:
        >>> cast = Cast(["Virginia Townsend", "Ms. Townsend"], KeyedDraws(bytes(range(32))), choosing=SurrogateChoice())
        >>> whole, part = cast.surrogate("Virginia Townsend"), cast.surrogate("Ms. TOWNSEND")
        >>> whole is not None and part == f"Ms. {whole.split()[1].upper()}"
        True
    """

    def __init__(
        self,
        names: Iterable[str],
        drawing: KeyedDraws,
        *,
        choosing: SurrogateChoice,
        keep: frozenset[Trait] = frozenset({Trait.GENDER}),
        known: Mapping[str, str] | None = None,
        genders: Mapping[str, str] | None = None,
    ) -> None:
        self._drawing, self._choosing, self._keep = drawing, choosing, keep
        self._genders = genders or {}
        self._whole: dict[frozenset[str], str] = {}
        self._parts: dict[str, str] = {}
        self._given: set[str] = set()
        self._initials: dict[tuple[str, str], str] = {}
        values = sorted({normalize("NFC", name) for name in names})
        told = sorted(
            (normalize("NFC", original), surrogate) for original, surrogate in (known or {}).items()
        )
        self._bare = bare = NameSpelling((*(original for original, _ in told), *values))
        for original, surrogate in told:
            self._know(original, surrogate)
        roles = _roles(values, bare)
        slips = _slips((*values, *(original for original, _ in told)), bare)
        joined = {one: two for one, two in _joined(values, bare).items() if one not in self._parts}
        own = [
            part
            for part in sorted(roles)
            if part not in self._parts and part not in slips and part not in joined
        ]
        drawn = {
            part: self._drawn(part, is_first=roles[part] or self._is_first(part)) for part in own
        }
        drawn |= {slip: drawn.get(part, self._parts.get(part)) for slip, part in slips.items()}
        self._parts |= {part: new for part, new in drawn.items() if new is not None}
        self._without = frozenset(part for part, new in drawn.items() if new is None)
        self._parts |= {
            one: "".join(self._parts[two] for two in pair)
            for one, pair in joined.items()
            if self._parts.keys() >= {*pair}
        }
        self._read_initials(values)

    def surrogate(self, value: str) -> str | None:
        """The name in the same written form, or None where no part of it is a name, or one found no
        surrogate."""
        value = normalize("NFC", value)  # An accent that stands apart would cut the word.
        value = _APART.sub(lambda found: self._closed_up(found.group()), value)
        parts = [self._bare(found) for found in _PART.findall(value)]
        own = frozenset(filter(is_name_part, parts))
        if own in self._whole and not own <= self._given:
            return value.removesuffix(untitled(value)) + self._whole[own]
        if not self._without.isdisjoint(parts):
            return None
        out = _UNIT.sub(lambda found: self._unit(found.group(), parts), value)
        units = {self._bare(unit) for unit in _UNIT.findall(value)}
        given = units <= self._given | {part for part in units if not is_name_part(part)}
        is_real = self._choosing.is_whole(untitled(out)) if given else self._choosing.is_real(out)
        return None if folded(out) == folded(value) or is_real else out

    def part(self, word: str) -> str | None:
        """The surrogate of one part of a name, in small letters: for e-mail addresses and user
        names."""
        found = self._parts.get(self._bare(word))
        return None if found is None else found.lower()

    def _closed_up(self, written: str) -> str:
        """O Brien as the OBrien whose surrogate is known."""
        together = "".join(written.split())
        return together if self._bare(together) in self._parts else written

    def _unit(self, unit: str, parts: list[str]) -> str:
        """A word, or words with hyphens between, of which each has its surrogate unless they have
        one together."""
        if "-" in unit and (together := self._bare(unit)) in self._given:
            return _like(unit, self._parts[together])
        return _PART.sub(lambda found: self._written(found.group(), parts), unit)

    def _written(self, word: str, parts: list[str]) -> str:
        if word.isdecimal():
            return "".join(
                str((int(digit) + 1 + self._drawing.number("digit", word) % 9) % 10)
                for digit in word
            )
        bare = self._bare(word)
        if len(bare) == 1:
            return _like(word, self._initial(bare, parts))
        if bare not in self._parts:
            return word
        tail = word[len(_POSSESSIVE.sub("", word)) :]
        return _like(word[: len(word) - len(tail)], self._parts[bare]) + tail

    def _initial(self, letter: str, parts: list[str]) -> str:
        """The initial of the surrogate of the person meant, as the other parts indicate; else a
        drawn one."""
        for other in parts:
            if (letter, other) in self._initials:
                return self._initials[letter, other]
        if Trait.INITIALS in self._keep:
            return letter
        return self._drawing.pick(
            [other for other in "abcdefghjklmnoprstw" if other != letter], "initial", letter
        )

    def _is_first(self, part: str) -> bool:
        """Whether the text calls a relative so whom no list of last names has."""
        return part in self._genders and part not in last_names()

    def _drawn(self, part: str, *, is_first: bool) -> str | None:
        initial = part[0] if Trait.INITIALS in self._keep else ""
        gender = ""
        if Trait.GENDER in self._keep:
            gender = _gender(part) or (self._genders.get(part, "") if is_first else "")
        pool = _pool(_script(part), is_first=is_first, gender=gender, initial=initial)
        origins = name_origins().get(part, "") if Trait.ORIGIN in self._keep else ""
        pool = _of_origins(origins, is_first=is_first, gender=gender, initial=initial) or pool
        usual = (
            pool[number % len(pool)]
            for number in islice(self._drawing.numbers("name", part), _FROM_POOL)
            if pool
        )
        latin = initial if initial.isascii() else ""
        made_up = made_up_words(self._drawing, part, initial=latin)
        return self._choosing.choose(f"name {part}", part, chain(usual, made_up))

    def _know(self, original: str, surrogate: str) -> None:
        """Take a table's surrogate for a name: as a whole, and part by part, the last name to the
        last name."""
        units = [unit for unit in _UNIT.findall(original) if is_name_part(self._bare(unit))]
        if not units or folded(original) == folded(surrogate) or self._choosing.is_whole(surrogate):
            return
        self._whole[
            frozenset(part for unit in units for part in map(self._bare, _PART.findall(unit)))
        ] = surrogate
        new = [unit for unit in _UNIT.findall(surrogate) if is_name_part(name_key(unit))]
        before, after = _last_first(original, units), _last_first(surrogate, new)
        if len(units) == 1 and len(new) > 1:
            after = after[1:2] if _is_first(self._bare(units[0])) else after[:1]
        elif len(new) < len(units) and len(new) < 2:
            return
        for one, other in zip(before, after, strict=False):
            part = self._bare(one)
            self._parts[part] = other.lower()
            self._given.add(part)
            self._choosing.claim(other, f"name {part}")

    def _read_initials(self, values: Iterable[str]) -> None:
        """For "V. Townsend": the initial of the surrogate for the V beside a Townsend, from the
        names of the scope."""
        for value in values:
            parts = [part for part in map(self._bare, _PART.findall(value)) if part in self._parts]
            for part in parts:
                for other in parts:
                    self._initials.setdefault((part[0], other), self._parts[part][0])


class NameSpelling:
    """The key of every part of a scope's names, the same however it is spelt; the first of the
    names decides.

    Example:
        >>> bare = NameSpelling(["Jürgen Müller", "Mueller"])
        >>> bare("MÜLLER"), bare("Mueller's"), bare("O’Brien")
        ('muller', 'muller', 'obrien')
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._same: dict[str, str] = {}
        words = dict.fromkeys(
            word for name in names for word in _PART.findall(normalize("NFC", name))
        )
        order: dict[str, int] = {}
        for word in words:
            order.setdefault(name_key(word), len(order))
        for word in words:
            spellings = name_spellings(word)
            if len(spellings) > 1:
                first = min((key for key in spellings if key in order), key=order.__getitem__)
                self._same |= dict.fromkeys(spellings, first)

    def __call__(self, word: str) -> str:
        key = name_key(word)
        return self._same.get(key, key)


def _last_first(name: str, units: Sequence[str]) -> list[str]:
    """The words of a name, the last name first: the one before a comma, else the last one."""
    if not units:
        return []
    before_comma = name.partition(",")[0] if "," in name else ""
    last = units[0] if before_comma and units[0] in before_comma else units[-1]
    rest = [*units]
    rest.remove(last)
    return [last, *rest]


def _joined(values: Iterable[str], bare: Callable[[str], str]) -> dict[str, tuple[str, str]]:
    """Words that are two parts of a name with a hyphen, written as one: Annemarie where there is an
    Anne-Marie."""
    out: dict[str, tuple[str, str]] = {}
    for value in values:
        for unit in _UNIT.findall(value) if "-" in value else ():
            pair = [bare(part) for part in _PART.findall(unit)]
            if len(pair) == 2 and all(map(is_name_part, pair)):
                out.setdefault("".join(pair), (pair[0], pair[1]))
    return out


def _roles(values: Iterable[str], bare: Callable[[str], str]) -> dict[str, bool]:
    """Every part of the names, and whether it is a first name: by its place in longer names, else
    by the lexicons."""
    votes: dict[str, Counter[bool]] = {}
    for value in values:
        before_comma = value.partition(",")[0] if "," in value else ""
        parts = [
            part
            for part in map(bare, _PART.findall(value))
            if is_name_part(part) and not part.isdecimal()
        ]
        for place, part in enumerate(parts):
            votes.setdefault(part, Counter())
            if len(parts) > 1:
                last = part in folded(before_comma) if before_comma else place == len(parts) - 1
                votes[part][not last] += 1
    return {
        part: _is_first(part) if seen[True] == seen[False] else seen[True] > seen[False]
        for part, seen in votes.items()
    }


def _slips(values: Iterable[str], bare: Callable[[str], str]) -> dict[str, str]:
    """Parts that only occur alone and are one slip of the finger apart from one part of a longer
    name: the same person.

    "Dr. Lang" beside "Marjorie Long" is Dr. Long (Sweeney 2000, Fig. 21); "Ann Lang" would be
    somebody else.

    Example:
        >>> _slips(["Marjorie Long", "Dr. Lang", "Ann Lund", "Lundt"], name_key)
        {'lang': 'long', 'lundt': 'lund'}
    """
    together, alone = set[str](), set[str]()
    for value in values:
        parts = [
            part
            for part in map(bare, _PART.findall(value))
            if is_name_part(part) and part.isalpha()
        ]
        (together if len(parts) > 1 else alone).update(
            part for part in parts if _SHORTEST_SLIP <= len(part) <= _LONGEST_SLIP
        )
    near: dict[str, set[str]] = {}
    for part in together:
        for form in deletions(part):
            near.setdefault(form, set()).add(part)
    out: dict[str, str] = {}
    for part in sorted(alone - together):
        close = {other for form in deletions(part) for other in near.get(form, ())}
        meant = [other for other in close if is_misspelt(part, other)]
        if len(meant) == 1:
            out[part] = meant[0]
    return out


def is_first_name(word: str) -> bool:
    """Whether a name of one word is rather a first name than a last name.

    Example:
        >>> is_first_name("Virginia"), is_first_name("O'Brien"), is_first_name("Zzyzx")
        (True, False, False)
    """
    return _is_first(name_key(word))


def _is_first(part: str) -> bool:
    first = first_names().get(part, "u0")
    return first[1] > "0" and first[1] >= last_names().get(part, "0")


def _gender(part: str) -> str:
    gender = first_names().get(part, "u")[0]
    return "" if gender == "u" else gender


@lru_cache(maxsize=4096)
def _pool(script: str, *, is_first: bool, gender: str, initial: str) -> tuple[str, ...]:
    """The usual names of a kind, in order. In another script than the Latin the lexicons have few:
    all of them."""
    if is_first:
        pairs: Iterator[tuple[str, str, str]] = (
            (name, how[0], how[1]) for name, how in first_names().items()
        )
    else:
        pairs = ((name, "", how) for name, how in last_names().items())
    latin = script == "LATIN"
    found = [
        (name, of)
        for name, of, common in pairs
        if (
            common >= _USUAL and name.isalpha()
            if latin
            else not name.isascii() and _script(name) == script
        )
    ]
    for wanted in ((gender, initial), ("", initial)) if initial else ((gender, ""), ("", "")):
        names = [
            name
            for name, of in found
            if (not wanted[0] or not of or of == wanted[0]) and name.startswith(wanted[1])
        ]
        if len(names) >= _FEWEST:
            return tuple(sorted(names))
    return ()


@lru_cache(maxsize=4096)
def _of_origins(origins: str, *, is_first: bool, gender: str, initial: str) -> tuple[str, ...]:
    """Those that are usual only where the name is; none where the lexicons do not say, or are too
    few."""
    own, entries = set(origins.split()), first_names() if is_first else last_names()
    names = [
        name
        for name, where in name_origins().items()
        if own.issuperset(where.split()) and name.startswith(initial) and name.isalpha()
        if entries.get(name, "0")[-1] > _RARE
        and (not gender or not is_first or entries[name][0] in (gender, "u"))
    ]
    return tuple(sorted(names)) if own and len(names) >= _FEWEST else ()


@lru_cache(maxsize=4096)
def _script(word: str) -> str:
    return "LATIN" if word[0].isascii() else character_name(word[0], "LATIN").split()[0]


def _like(word: str, other: str) -> str:
    """The other word in the capitals of the first."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other if word.islower() else other[:1].upper() + other[1:]
