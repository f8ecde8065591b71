"""Spellings of a person's key: those that are certainly one key, and those that only look alike.

A person who is spelled otherwise in the next release would count as a leaver and a newcomer. Blanks
around a key, unseen characters, Unicode composition and the zeros of a whole decimal never
distinguish people. Case, accents, scripts, marks, leading zeros and the form of numbers and dates
may: such keys look alike, and somebody declares what holds.

A key has several readings. The first keeps the places of marks between digits. The others are those
that the key may have: without these marks, and every other date that it may mean (see
`date_readings`). Two keys look alike if the first reading of one is a reading of the other. So
123-45 looks like 12345, and not like 1-2345."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Final

from sfumato.confusables import is_unseen

from .date_readings import plain_letters, serial_date, with_dates

_WHOLE: Final = re.compile(r"(-?[0-9]+)\.0+")
_NUMBER: Final = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?")
_GROUPED: Final = re.compile(
    r"([-+]?)([1-9][0-9]{0,2}(?:(?P<mark>[,. '’_])[0-9]{3})(?:(?P=mark)[0-9]{3})*)"
    r"(?:(?!(?P=mark))[.,]([0-9]+))?"
)
"""A number in groups of three digits: 1,028 or 1.028,50."""
_DECIMAL_COMMA: Final = re.compile(r"[-+]?[0-9]+,[0-9]+")
_LEADING: Final = re.compile(r"(?<![0-9])0+(?=[0-9])")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])[\W_]+(?=[0-9])")
_TRANSLITERATED: Final = re.compile(r"(?<=[aou])e|(?<=a)a")
"""The second letter of ae, oe, ue and aa, in place of an accent."""
_URN: Final = re.compile(r"^(?:urn:)?(?:uuid|oid):|^urn:[a-z0-9-]+:")
_LONGEST_NUMBER: Final = 60


def plain_key(key: str) -> str:
    """A key without what never distinguishes people.

    Example:
        >>> plain_key(" 7.0 "), plain_key("A7"), plain_key("007")
        ('7', 'A7', '007')
    """
    text = key
    if not text.isascii():
        composed = unicodedata.normalize("NFC", text)
        text = "".join(each for each in composed if not is_unseen(each))
    text = text.strip()
    if text.endswith("0") and (whole := _WHOLE.fullmatch(text)):
        return whole[1]
    return text


def key_readings(key: str) -> tuple[str, ...]:
    """The readings of a key, two at least, without case, accents, scripts and leading zeros; equal
    where the key has one reading.

    Example:
        >>> key_readings("A-007"), key_readings("1,028"), key_readings("1980-03-01 00:00")
        (('a7', 'a7'), ('1028', '1.028'), ('19800301', '19800301'))
        >>> key_readings("03/01/1980"), key_readings("29281")
        (('19800103', '19800301'), ('29281', '19800301'))
    """
    text = plain_key(key)
    if text.isascii() and text.isdigit():
        plain = text.lstrip("0") or "0"
        return plain, (serial_date(int(plain)) if len(plain) <= 5 else "") or plain
    folded = _URN.sub("", plain_letters(text))
    if numbers := number_readings(folded):
        if _DECIMAL_COMMA.fullmatch(folded) and len(numbers) == 1:
            numbers = (*numbers, _LEADING.sub("", folded.replace(",", "")))
        return numbers if len(numbers) > 1 else numbers * 2
    every = with_dates(folded)
    parted = _BETWEEN_DIGITS.sub("\0", every[0])
    letters = "".join(each for each in parted if each.isalnum() or each == "\0")
    first = _LEADING.sub("", letters) or text
    others = dict.fromkeys(_joined(each) or text for each in every)
    others.pop(first, None)
    return (first, *(others or (first,)))


def _joined(text: str) -> str:
    """A text without marks between digits, and without the second letters of ae, oe, ue and aa."""
    joined = "".join(each for each in text if each.isalnum())
    return _TRANSLITERATED.sub("", _LEADING.sub("", joined))


def look_alike(one: str, other: str) -> bool:
    """Whether two keys may be spellings of one.

    Example:
        >>> look_alike("123-45-6789", "123456789"), look_alike("1-23", "12-3")
        (True, False)
    """
    mine, theirs = key_readings(one), key_readings(other)
    return mine[0] in theirs or theirs[0] in mine


def number_readings(text: str) -> tuple[str, ...]:
    """The values of a number; two where one mark may part groups of digits or a fraction; none
    where a text is no number.

    Example:
        >>> number_readings("1,028"), number_readings("1.028,5"), number_readings("A7")
        (('1028', '1.028'), ('1028.5',), ())
    """
    folded = plain_letters(text).strip()
    if len(folded) > _LONGEST_NUMBER:
        return ()
    if found := _GROUPED.fullmatch(folded):
        sign, digits, mark, fraction = found[1], found[2], found["mark"], found[4]
        whole = _value(sign + digits.replace(mark, "") + (f".{fraction}" if fraction else ""))
        if mark not in ",." or fraction or digits.count(mark) > 1:
            return (whole,)
        split = _value(sign + digits.replace(mark, "."))
        return (whole, split) if mark == "," else (split, whole)
    if _DECIMAL_COMMA.fullmatch(folded):
        return (_value(folded.replace(",", ".")),)
    return (_value(folded),) if _NUMBER.fullmatch(folded) else ()


def _value(text: str) -> str:
    try:
        number = Decimal(text).normalize()
        return f"{number:f}" if number else "0"
    except InvalidOperation:
        return text
