"""Check digits: they distinguish an issued number from one that only has its form.

Each function takes digits (letters where the standard has them) without blanks or hyphens, and
returns whether the number agrees with itself. A made-up number agrees by chance once in 10, 11, 23
or 97 times."""

from __future__ import annotations

from collections.abc import Sequence


def luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, after Luhn (1960): cards, IMEI, Swedish and Canadian personal numbers.

    Example:
        >>> luhn("4539148803436467"), luhn("4539148803436468")
        (True, False)
    """
    total = sum(int(digit) for digit in digits[-1::-2])
    return (total + sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])) % 10 == 0


def weighted(digits: str, weights: Sequence[int]) -> int:
    """The sum of the digits, each times its weight; the shorter of the two ends it."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def mod_97(code: str) -> bool:
    """ISO/IEC 7064 MOD 97-10 as IBANs have it: the first four characters go to the end, letters
    count from A = 10.

    Example:
        >>> mod_97("GB82WEST12345698765432"), mod_97("GB82WEST12345698765423")
        (True, False)
    """
    turned = code[4:] + code[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


def mod_11_10(digits: str) -> bool:
    """ISO/IEC 7064 MOD 11,10: the German tax number and the Croatian OIB.

    Example:
        >>> mod_11_10("36574261809"), mod_11_10("36574261890")
        (True, False)
    """
    check = 10
    for digit in digits[:-1]:
        check = (check + int(digit)) % 10 or 10
        check = check * 2 % 11
    return (11 - check) % 10 == int(digits[-1])


def mod_11_2(code: str) -> bool:
    """ISO/IEC 7064 MOD 11-2: Chinese identity numbers, ORCID. The last character may be X for ten.

    Example:
        >>> mod_11_2("11010519491231002X"), mod_11_2("110105194912310021")
        (True, False)
    """
    total = 0
    for digit in code[:-1]:
        total = (total + int(digit)) * 2 % 11
    return (12 - total) % 11 == (10 if code[-1] in "Xx" else int(code[-1]))


def ean_13(digits: str) -> bool:
    """The check digit of an EAN-13, which Swiss social security numbers are.

    Example:
        >>> ean_13("7569217076985"), ean_13("7569217076958")
        (True, False)
    """
    return len(digits) == 13 and weighted(digits, (1, 3) * 6 + (1,)) % 10 == 0


def verhoeff(digits: str) -> bool:
    """Verhoeff (1969), in the dihedral group of the pentagon: finds every single and adjacent
    error; Aadhaar numbers.

    Example:
        >>> verhoeff("2363"), verhoeff("2336")
        (True, False)
    """
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = _times(check, _turned(int(digit), place))
    return check == 0


def _times(left: int, right: int) -> int:
    """The product in the dihedral group of ten elements: 0 to 4 turn, 5 to 9 turn and mirror."""
    turn = (left + right) % 5 if left < 5 else (left - right) % 5
    return turn + 5 * ((left >= 5) != (right >= 5))


def _turned(digit: int, times: int) -> int:
    for _ in range(times % 8):
        digit = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[digit]
    return digit
