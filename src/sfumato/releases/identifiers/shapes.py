"""The shape of a value, and the space of made-up words that have this shape.

A shape writes 9 for a digit, a and A for small and capital letters, and keeps everything else:
`Ab-12` is `Aa-99`. Shapes of numbers that are issued to people get words that are issued to no one:

- `999-99-9999`, with hyphens, spaces or nothing between: areas 900 to 999, which no Social Security
  number has. The group is one that no taxpayer number uses either (ITIN 50-65, 70-88, 90-92, 94-99;
  ATIN 93; IRSN 01-10, 17-19, 28-29, 37-39).
- `999-999-9999`, also `(999) 999-9999` and `+9 999 999 9999`: area codes with 9 as their middle
  digit, which the North American plan assigns to no one; of these only 59X, 79X, 89X and 99X, which
  are outside the blocks from which British NHS numbers, of the same shape, are issued.
- 13 to 19 digits, also in groups: the check digit is wrong (Luhn), so that it is no payment card's
  number.
- e-mail: a mailbox at example.org, which RFC 2606 reserves.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import product
from string import ascii_lowercase, ascii_uppercase, digits

from .keyed_words import WordSpace

SOCIAL_SECURITY = re.compile(r"[09]99([- ]?)99([- ]?)9999")
PHONE = re.compile(r"(\+9[-. ]?|9[-. ]|)(\(?)[09]99(\)?[-. ]{0,2})999([-. ]?)9999")
CARD = re.compile(r"[09](?:[- ]?9){12,18}")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
RUNS = re.compile(r"9+|a+|A+|[^9aA]+")

AREAS = tuple(f"9{n:02}" for n in range(100))
TAXPAYER_GROUPS = {
    *(n for low, high in ((50, 65), (70, 88), (90, 92), (94, 99)) for n in range(low, high + 1)),
    93,
    *(n for low, high in ((1, 10), (17, 19), (28, 29), (37, 39)) for n in range(low, high + 1)),
}
GROUPS = tuple(f"{n:02}" for n in range(100) if n not in TAXPAYER_GROUPS)
UNASSIGNED_AREA_CODES = tuple(f"{first}9{last}" for first in "5789" for last in digits)
EXCHANGES = tuple(str(n) for n in range(200, 1000))
NOTHING_TO_KEEP = "a" * 8
MAILBOX = "a" * 12


class _Shapes(dict[int, str]):
    """The class of each character in a shape, computed when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] == "N":
            shape = "9"
        elif category in ("Lu", "Lt"):
            shape = "A"
        elif category[0] in "LM" or category in ("Co", "Cs", "Cn"):
            # Letters without case and marks too: a kept one would be a piece of the original.
            shape = "a"
        else:
            shape = character
        self[code] = shape
        return shape


_SHAPES = _Shapes()


def shape_of(value: str) -> str:
    """The shape of a value. A leading 0 stays one, and a single digit is 0 too.

    Example:
        >>> shape_of("Müller-7"), shape_of("0451"), shape_of("4510"), shape_of("4")
        ('Aaaaaa-9', '0999', '9999', '0')
    """
    shape = value.translate(_SHAPES)
    return "0" + shape[1:] if value[:1] == "0" or shape == "9" else shape


def space_of(shape: str) -> WordSpace:
    """The words that have a shape."""
    if match := SOCIAL_SECURITY.fullmatch(shape):
        first, second = match.groups()
        return _space(AREAS, (first,), GROUPS, (second,), _numbers(4))
    if match := PHONE.fullmatch(shape):
        country, opening, between, last = match.groups()
        before = (country.replace("9", "1") + opening,)
        return _space(before, UNASSIGNED_AREA_CODES, (between,), EXCHANGES, (last,), _numbers(4))
    if CARD.fullmatch(shape):
        return WordSpace((*_generic(shape[:-1]), tuple("012345678")), finish=fail_luhn)
    if EMAIL.fullmatch(shape):
        return WordSpace((*_letters(MAILBOX), ("@example.org",)))
    if not any(mark in shape for mark in "9aA") and shape != "0":
        return WordSpace(tuple(_letters(NOTHING_TO_KEEP)))
    return WordSpace(tuple(_generic(shape)))


def fail_luhn(word: str) -> str:
    """Turn the last digit, 0 to 8, into the one that is so many plus one past the right check
    digit.

    Example:
        >>> fail_luhn("4111 1111 1111 1110"), fail_luhn("4111 1111 1111 1118")
        ('4111 1111 1111 1112', '4111 1111 1111 1110')
    """
    body = [int(character) for character in word[:-1] if character.isdigit()]
    total = sum(body[-2::-2]) + sum(2 * digit - 9 * (digit > 4) for digit in body[::-2])
    return f"{word[:-1]}{(1 - total + int(word[-1])) % 10}"


def _space(*tables: Sequence[str]) -> WordSpace:
    return WordSpace(tables)


def _generic(shape: str) -> list[Sequence[str]]:
    """Tables for a shape without a meaning of its own: digits, letters and kept characters, run by
    run.

    A number begins with a 0 where the original did and not where it did not: an integer 0451 would
    be read as 451. Numbers that fill all of their own shape keep it to themselves."""
    if shape == "0":
        return [_numbers(1)]
    tables: list[Sequence[str]] = []
    if lead := re.match(r"-?9", shape):
        tables += [(lead[0][:-1],), tuple("123456789")]
        shape = shape[lead.end() :]
    for run in RUNS.findall(shape):
        if run[0] == "9":
            tables += [_numbers(len(run[at : at + 4])) for at in range(0, len(run), 4)]
        elif run[0] in "aA":
            tables += _letters(run)
        else:
            tables.append((run,))
    return tables


def _letters(run: str) -> list[Sequence[str]]:
    alphabet = ascii_lowercase if run[0] == "a" else ascii_uppercase
    return [_words(alphabet, len(run[at : at + 2])) for at in range(0, len(run), 2)]


@cache
def _numbers(width: int) -> Sequence[str]:
    return tuple(f"{n:0{width}}" for n in range(10**width))


@cache
def _words(alphabet: str, width: int) -> Sequence[str]:
    return tuple("".join(letters) for letters in product(alphabet, repeat=width))
