"""Realistic surrogates: another name for a name, another city for a city (Garfinkel 2016, section
4.3.1).

They read like originals, so that an original that was missed, in a letter for example, cannot be
distinguished from them (Carrell and others, 2013). Given consistently and never reused, they are
pseudonyms."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from sfumato.errors import MissingExtra, PolicyError, Problem
from sfumato.keys import Key, key_words
from sfumato.policy import Method

from .description import beginning
from .keyed_words import Draws, WordSpace, redrawn_words
from .shapes import space_of

_ONE_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class SurrogateReplacer:
    """A realistic value of one kind for each value, no two the same, and none an original of its
    batch.

    A name of one word gets one word: a first name or a last name, as lexicons know it.

    When the short combinations run out longer ones follow: a middle name, a hyphened name, a
    numeral. `avoid` holds the field's originals, casefolded, where they are known: none of them is
    given. The words are faker's; another version of it has other words, so keep the version that
    `describe` names, or a lookup file, where releases must agree."""

    def __init__(
        self, key: Key | None, *, domain: str, kind: str, avoid: Container[str] = ()
    ) -> None:
        if kind not in KINDS:
            found = f"{kind!r} is no kind of surrogate." if kind else "a surrogate needs a kind."
            attempt = f"one of {', '.join(KINDS)}."
            raise PolicyError(
                [Problem(where=f"fields.{domain}.replace.kind", found=found, attempt=attempt)]
            )
        self._kept = key is not None
        self._kind = kind
        self._avoid = avoid
        lexicon = load_lexicon()
        self._words = lexicon.version
        derived = (key or Key.generate()).derive(f"surrogate {kind}", domain)
        self._draws = Draws(derived, domain=domain, avoid=avoid)
        self._spaces = self._roomy(KINDS[kind](lexicon))
        self._single = (
            {
                True: self._roomy(KINDS["first-name"](lexicon)),
                False: self._roomy(KINDS["last-name"](lexicon)),
            }
            if kind == "name"
            else {}
        )

    @property
    def redrawn(self) -> int:
        return self._draws.redrawn

    def replace(self, values: Sequence[str]) -> list[str]:
        avoid = _Either({value.casefold() for value in values}, self._avoid)
        return [self._draws.take(value, self._spaces_for(value), avoid=avoid) for value in values]

    def _roomy(self, spaces: tuple[WordSpace, ...]) -> tuple[WordSpace, ...]:
        """The spaces that originals do not crowd; the longest always."""
        *short, long = spaces
        return (*(space for space in short if not self._draws.is_crowded(space)), long)

    def _spaces_for(self, value: str) -> tuple[WordSpace, ...]:
        """One word for a name of one word, so that text and table agree: a first name for what is
        known as one."""
        if not self._single or not _ONE_NAME.fullmatch(value.strip()):
            return self._spaces
        from sfumato.text.surrogates import is_first_name

        return self._single[is_first_name(value.strip())]

    def describe(self) -> str:
        return (
            f"{beginning(Method.SURROGATE, kind=self._kind)}{self._words}), one-to-one, "
            f"{key_words(kept=self._kept)}; {redrawn_words(self.redrawn)}"
        )


class _Either:
    """The members of one of two containers."""

    def __init__(self, first: Container[str], second: Container[str]) -> None:
        self._first, self._second = first, second

    def __contains__(self, word: object) -> bool:
        return word in self._first or word in self._second


# Realistic words from the lists that faker carries, as spaces of ever longer combinations.
# The words are the same for everyone: a surrogate's sex, origin or length says nothing about the
# original.


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Sorted lists of words and the version of their source, on which the surrogates depend."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    city_prefixes: tuple[str, ...]
    city_suffixes: tuple[str, ...]
    street_suffixes: tuple[str, ...]
    company_suffixes: tuple[str, ...]
    version: str

    @property
    def stems(self) -> tuple[str, ...]:
        """Words that places are named after."""
        return tuple(sorted({*self.first, *self.last}))


def load_lexicon() -> Lexicon:
    """The American English lists of faker."""
    try:
        from faker import VERSION
        from faker.providers.address.en_US import Provider as Address
        from faker.providers.company.en_US import Provider as Company
        from faker.providers.person.en_US import Provider as Person
    except ImportError:
        raise MissingExtra("Replacing by realistic surrogates", extra="surrogates") from None
    return Lexicon(
        first=_words(Person.first_names),
        last=_words(Person.last_names),
        city_prefixes=_words(Address.city_prefixes),
        city_suffixes=_words(Address.city_suffixes),
        street_suffixes=_words(Address.street_suffixes),
        company_suffixes=_words(Company.company_suffixes),
        version=f"faker {VERSION}",
    )


def names(words: Lexicon) -> tuple[WordSpace, ...]:
    first, space, last = words.first, (" ",), words.last
    return WordSpace((first, space, last)), WordSpace((first, space, first, space, last))


def first_names(words: Lexicon) -> tuple[WordSpace, ...]:
    return _hyphenated(words.first)


def last_names(words: Lexicon) -> tuple[WordSpace, ...]:
    return _hyphenated(words.last)


def cities(words: Lexicon) -> tuple[WordSpace, ...]:
    stems, ends = words.stems, words.city_suffixes
    prefixed = (words.city_prefixes, (" ",), stems, ends)
    return (
        WordSpace((stems, ends)),
        WordSpace(prefixed),
        WordSpace((*prefixed, (" ",), _counted(2, 10_000))),
    )


def streets(words: Lexicon) -> tuple[WordSpace, ...]:
    return (WordSpace((_counted(1, 10_000), (" ",), words.stems, (" ",), words.street_suffixes)),)


def companies(words: Lexicon) -> tuple[WordSpace, ...]:
    last = words.last
    return (
        WordSpace((last, (" ",), words.company_suffixes)),
        WordSpace((last, ("-",), last)),
        WordSpace((last, (", ",), last, (" and ",), last)),
    )


def emails(words: Lexicon) -> tuple[WordSpace, ...]:
    first, last = _mailbox(words.first), _mailbox(words.last)
    host = ("@example.org",)
    return WordSpace((first, (".",), last, host)), WordSpace(
        (first, (".",), last, _counted(2, 10_000), host)
    )


def phones(words: Lexicon) -> tuple[WordSpace, ...]:
    return (space_of("999-999-9999"),)


KINDS: dict[str, Callable[[Lexicon], tuple[WordSpace, ...]]] = {
    "name": names,
    "first-name": first_names,
    "last-name": last_names,
    "city": cities,
    "street": streets,
    "company": companies,
    "email": emails,
    "phone": phones,
}


def _hyphenated(words: tuple[str, ...]) -> tuple[WordSpace, ...]:
    return (
        WordSpace((words,)),
        WordSpace((words, ("-",), words)),
        WordSpace((words, ("-",), words, ("-",), words)),
    )


def _counted(first: int, end: int) -> tuple[str, ...]:
    return tuple(str(n) for n in range(first, end))


def _mailbox(words: tuple[str, ...]) -> tuple[str, ...]:
    return _words("".join(filter(str.isalpha, word)).lower() for word in words)


def _words(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words)))
