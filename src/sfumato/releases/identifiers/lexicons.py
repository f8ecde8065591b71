"""Realistic words from the lists that faker carries, as spaces of ever longer combinations.

The words are the same for everyone: a surrogate's sex, origin or length says nothing about the
original."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sfumato.errors import MissingExtra

from .keyed_words import WordSpace
from .shapes import space_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Sorted lists of words and the version of what they came from, on which the surrogates
    depend."""

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
