"""Numbers to numbers of the same shape: digits to digits, letters to letters, everything between
them stays.

A number whose kind has check digits gets wrong ones on purpose, so that no surrogate is somebody's
number and none passes a check. Telephone numbers of North America get the exchange 555, behind
which nobody answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import shake_256

from sfumato.keys import KeyedDraws

from ..checksums import luhn, mod_97
from ..detectors.national_numbers import NATIONALS
from ..detectors.shapes import characters_of, shape_of
from ..kinds import ReferenceKind

_DIGITS = "zero one two three four five six seven eight nine".split()
_DIGIT_WORD = re.compile(rf"(?i:(?<![a-z])(?:oh|{'|'.join(_DIGITS)})(?![a-z]))")
_CHECKED = frozenset(
    {
        ReferenceKind.NATIONAL_NUMBER,
        ReferenceKind.FINANCIAL_NUMBER,
        ReferenceKind.LICENCE,
        ReferenceKind.DEVICE,
        ReferenceKind.ACCOUNT,
    }
)
_PRECEDENCE = (
    ReferenceKind.NATIONAL_NUMBER,
    ReferenceKind.FINANCIAL_NUMBER,
    ReferenceKind.LICENCE,
    ReferenceKind.DEVICE,
    ReferenceKind.ACCOUNT,
    ReferenceKind.PHONE,
    ReferenceKind.RECORD_NUMBER,
    ReferenceKind.PLATE,
)
"""Of the kinds that one number was read as, the first decides: its surrogates are held to the
most."""
_SHORTEST_CARD = 12
SPARE_BYTES = 16  # What is left over when a number is cut to a digit makes no digit likelier.


def identity(value: str) -> str:
    """The common form of two spellings of a number.

    Example:
        >>> identity("473-1214") == identity("473 1214")
        True
    """
    return characters_of(value)


def number_kinds(values: Iterable[tuple[ReferenceKind, str]]) -> dict[str, ReferenceKind]:
    """The one kind of each number, by its identity: one number may be read as a phone here and as a
    record there.

    A telephone surrogate keeps letters, so a number with letters is a phone only where nothing else
    was read.

    Example:
        >>> number_kinds([(ReferenceKind.RECORD_NUMBER, "6174731214"), (ReferenceKind.PHONE, "617-473-1214")])
        {'6174731214': <ReferenceKind.PHONE: 'phone'>}
    """
    out: dict[str, ReferenceKind] = {}
    for kind, value in values:
        if kind.is_number:
            number = identity(value)
            out[number] = min(out.get(number, kind), kind, key=lambda one: _rank(one, number))
    return out


def _rank(kind: ReferenceKind, number: str) -> tuple[bool, int]:
    return kind is ReferenceKind.PHONE and not number.isdecimal(), _PRECEDENCE.index(kind)


def number_surrogates(value: str, drawing: KeyedDraws, *, kind: ReferenceKind) -> Iterator[str]:
    """Candidates of the value's shape, none with valid check digits; none at all where there is
    nothing to change.

    Example:
        >>> draw = KeyedDraws(bytes(range(32)))
        >>> shape_of(next(number_surrogates("CH#32-841-09787", draw, kind=ReferenceKind.RECORD_NUMBER)))
        'AA#99-999-99999'
        >>> next(number_surrogates("(617) 473-1214 ext. 2", draw, kind=ReferenceKind.PHONE))[-6:-1]
        'ext. '
    """
    if not any(map(str.isdecimal, value)) and len(_DIGIT_WORD.findall(value)) > 1:
        for number in drawing.numbers("dictated", identity(value)):
            yield _dictated(value, number)
        return
    if kind is ReferenceKind.PHONE:
        yield from phone_surrogates(value, drawing)
        return
    characters = identity(value)
    if not any(_is_replaced(character, letters=True) for character in value):
        return
    shape = shape_of(characters)
    checks = _checks(kind, shape)
    for number in drawing.numbers("number", kind, characters):
        candidate = _given_to_nobody(reshaped(value, number), shape, kind)
        if not any(check(characters_of(candidate)) for check in checks):
            yield candidate


def _dictated(value: str, number: int) -> str:
    """Other digits in words; the text between them stays."""
    stream = shake_256(number.to_bytes(32, "big")).digest(len(value))
    drawn = iter(stream)
    return _DIGIT_WORD.sub(lambda found: _like_word(_DIGITS[next(drawn) % 10], found[0]), value)


def _like_word(new: str, old: str) -> str:
    return new.capitalize() if old[0].isupper() else new


def phone_surrogates(value: str, drawing: KeyedDraws) -> Iterator[str]:
    """Digits to digits; words such as "ext." stay."""
    digits = "".join(str(int(character)) for character in value if character.isdecimal())
    if not digits:
        return
    is_long = (
        len(digits) == 11 and digits[0] == "1"
    )  # With the country's code it is the same telephone.
    for number in drawing.numbers("phone", digits[1:] if is_long else digits):
        drawn = f"{number % 10 ** len(digits):0{len(digits)}d}"
        area = "23456789"[number % 8] + f"{number // 8 % 100:02d}"
        line = f"{number // 800 % 10_000:04d}"
        if is_long:
            drawn = f"1{area}555{line}"
        elif len(digits) == 10 and digits[0] > "1" and digits[3] > "1":
            drawn = f"{area}555{line}"
        elif len(digits) == 7 and digits[0] > "1":
            drawn = f"555{line}"
        elif digits[0] == "0" or value.lstrip("( ").startswith("+"):
            drawn = digits[0] + drawn[1:]
        yield with_digits(value, drawn)


def reshaped(value: str, number: int, *, letters: bool = True) -> str:
    """The value with other digits, and other letters unless they are to stay; a first digit that is
    not 0 stays so."""
    size = sum(_is_replaced(character, letters=letters) for character in value) + SPARE_BYTES
    number = int.from_bytes(shake_256(number.to_bytes(32, "big")).digest(size), "big")
    out, first = [], True
    for character in value:
        if not _is_replaced(character, letters=letters):
            out.append(character)
            continue
        if character.isdecimal():
            low = 1 if first and int(character) else 0
            number, drawn = divmod(number, 10 - low)
            out.append(chr(ord(character) - int(character) + drawn + low))
        else:
            number, drawn = divmod(number, 26)
            out.append(chr(ord("A" if character.isupper() else "a") + drawn))
        first = False
    return "".join(out)


def with_digits(value: str, digits: str) -> str:
    rest = iter(digits)
    return "".join(
        chr(ord(character) - int(character) + int(next(rest)))
        if character.isdecimal()
        else character
        for character in value
    )


def quantity_surrogates(value: str, drawing: KeyedDraws) -> Iterator[str]:
    """Sums of money and the like: other digits, the same size; words and units stay. None for one
    in words."""
    if any(character.isdecimal() for character in value):
        for number in drawing.numbers("quantity", identity(value)):
            yield reshaped(value, number, letters=False)


def _is_replaced(character: str, *, letters: bool) -> bool:
    return character.isdecimal() or (letters and character.isalpha())


def _given_to_nobody(value: str, shape: str, kind: ReferenceKind) -> str:
    """For nine digits: 9 in the first place and 0 to 4 in the fourth, which no American office
    gives out."""
    if kind is not ReferenceKind.NATIONAL_NUMBER or shape != "9" * 9:
        return value
    digits = characters_of(value)
    return with_digits(value, f"9{digits[1:3]}{int(digits[3]) % 5}{digits[4:]}")


@cache
def _checks(kind: ReferenceKind, shape: str) -> tuple[Callable[[str], bool], ...]:
    """The checks that a number of this kind and shape could pass. Those that ask for no digit are
    left out."""
    if kind not in _CHECKED:
        return ()
    out: list[Callable[[str], bool]] = []
    if set(shape) == {"9"} and len(shape) >= _SHORTEST_CARD:
        out.append(luhn)
    if shape.startswith("AA99") and len(shape) > _SHORTEST_CARD:
        out.append(mod_97)
    named = (each for each in NATIONALS if each.check.__name__ != "<lambda>")
    out += [
        each.check
        for each in named
        if shape in {"".join(filter(str.isalnum, one)) for one in each.shapes}
    ]
    return tuple(out)
