"""The rules that the national numbers of many countries must satisfy. Each check is handed capitals
and digits only.

Sources: the issuing authorities' published algorithms. The checks were compared with those of
python-stdnum 2.2 on generated numbers; docs/dependencies.md explains why that library is not a
dependency."""

from __future__ import annotations

from ..checksums import ean_13, luhn, mod_11_2, mod_11_10, verhoeff, weighted

_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_PPS = "WABCDEFGHIJKLMNOPQRSTUV"
_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (
            1,
            0,
            5,
            7,
            9,
            13,
            15,
            17,
            19,
            21,
            1,
            0,
            5,
            7,
            9,
            13,
            15,
            17,
            19,
            21,
            2,
            4,
            18,
            20,
            11,
            3,
            6,
            8,
            12,
            14,
            16,
            10,
            22,
            25,
            24,
            23,
        ),
        strict=True,
    )
)


def _is_day(day: str, month: str) -> bool:
    return 1 <= int(day) <= 31 and 1 <= int(month) <= 12


def us_ssn(number: str) -> bool:
    return (
        number[:3] not in ("000", "666")
        and number[0] != "9"
        and number[3:5] != "00"
        and number[5:] != "0000"
    )


def us_itin(number: str) -> bool:
    return number[0] == "9" and 50 <= int(number[3:5]) <= 99


def us_npi(number: str) -> bool:
    return number[0] in "12" and luhn("80840" + number)


def uk_nhs(number: str) -> bool:
    check = 11 - weighted(number[:9], range(10, 1, -1)) % 11
    return check != 10 and check % 11 == int(number[9])


def uk_nino(number: str) -> bool:
    prefix = number[:2]
    return (
        not set(prefix) & set("DFIQUV")
        and prefix[1] != "O"
        and prefix not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")
    ) and number[-1] in "ABCD"


def ca_sin(number: str) -> bool:
    return number[0] not in "08" and luhn(number)


def fr_nir(number: str) -> bool:
    body = number[:13].replace("2A", "19").replace("2B", "18")
    return number[0] in "1234" and body.isdecimal() and 97 - int(body) % 97 == int(number[13:15])


def de_tax(number: str) -> bool:
    """Of the first ten digits exactly one occurs twice or three times."""
    repeated = [count for digit in set(number[:10]) if (count := number[:10].count(digit)) > 1]
    return number[0] != "0" and repeated in ([2], [3]) and mod_11_10(number)


def de_pension(number: str) -> bool:
    """Versicherungsnummer: area, day of birth, letter, serial, check digit."""
    if not _is_day(number[2:4], number[4:6]):
        return False
    digits = number[:8] + f"{ord(number[8]) - 64:02d}" + number[9:11]
    products = (
        int(d) * w for d, w in zip(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True)
    )
    return sum(sum(divmod(p, 10)) for p in products) % 10 == int(number[11])


def at_social(number: str) -> bool:
    return _is_day(number[4:6], number[6:8]) and weighted(
        number, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)
    ) % 11 == int(number[3])


def ch_social(number: str) -> bool:
    return number.startswith("756") and ean_13(number)


def es_dni(number: str) -> bool:
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return digits.isdecimal() and number[-1] == _DNI[int(digits) % 23]


def it_fiscal(number: str) -> bool:
    total = sum(_ODD[c] for c in number[:15:2]) + sum(
        int(c, 36) - 10 * c.isalpha() for c in number[1:15:2]
    )
    return number[8] in "ABCDEHLMPRST" and chr(65 + total % 26) == number[15]


def nl_bsn(number: str) -> bool:
    return weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and int(number) > 0


def be_national(number: str) -> bool:
    body, check = number[:9], int(number[9:])
    return 97 - int(body) % 97 == check or 97 - int("2" + body) % 97 == check


def pl_pesel(number: str) -> bool:
    month = int(number[2:4]) % 20
    return (
        1 <= month <= 12 and (weighted(number[:10], (1, 3, 7, 9) * 3) + int(number[10])) % 10 == 0
    )


def cz_birth(number: str) -> bool:
    month = int(number[2:4]) % 50 % 20
    return (
        1 <= month <= 12
        and 1 <= int(number[4:6]) <= 31
        and (len(number) == 9 or int(number[:9]) % 11 % 10 == int(number[9]))
    )


def se_personal(number: str) -> bool:
    short = number[-10:]
    return 1 <= int(short[2:4]) <= 12 and 1 <= int(short[4:6]) % 60 <= 31 and luhn(short)


def fi_personal(number: str) -> bool:
    digits = number[:6] + number[-4:-1]
    return (
        _is_day(number[:2], number[2:4])
        and digits.isdecimal()
        and _HETU[int(digits) % 31] == number[-1]
    )


def dk_cpr(number: str) -> bool:
    return _is_day(number[:2], number[2:4])


def no_birth(number: str) -> bool:
    first = weighted(number[:10], (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return (
        first == 0
        and weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0
        and int(number[:2]) % 40 <= 31
    )


def ee_lt_personal(number: str) -> bool:
    if number[0] not in "123456" or not _is_day(number[5:7], number[3:5]):
        return False
    check = weighted(number[:10], (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    if check == 10:
        check = weighted(number[:10], (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11
    return check % 10 == int(number[10])


def tr_kimlik(number: str) -> bool:
    digits = [int(d) for d in number]
    tenth = (7 * sum(digits[:9:2]) - sum(digits[1:8:2])) % 10
    return digits[0] != 0 and tenth == digits[9] and sum(digits[:10]) % 10 == digits[10]


def ro_cnp(number: str) -> bool:
    check = weighted(number[:12], (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return _is_day(number[5:7], number[3:5]) and (1 if check == 10 else check) == int(number[12])


def bg_egn(number: str) -> bool:
    month = int(number[2:4]) % 20
    return 1 <= month <= 12 and weighted(number[:9], (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10 == int(
        number[9]
    )


def gr_amka(number: str) -> bool:
    return _is_day(number[:2], number[2:4]) and luhn(number)


def pt_nif(number: str) -> bool:
    return number[0] != "0" and (11 - weighted(number[:8], range(9, 1, -1)) % 11) % 11 % 10 == int(
        number[8]
    )


def ie_pps(number: str) -> bool:
    second = number[8:]
    if second and second not in "ABHWTX":
        return False
    extra = 9 * _PPS.index(second) if second in ("A", "B", "H") else 0
    return _PPS[(weighted(number[:7], range(8, 1, -1)) + extra) % 23] == number[7]


def br_cpf(number: str) -> bool:
    first = weighted(number[:9], range(10, 1, -1)) * 10 % 11 % 10
    second = weighted(number[:10], range(11, 1, -1)) * 10 % 11 % 10
    return len(set(number)) > 1 and number[9:] == f"{first}{second}"


def ar_cuit(number: str) -> bool:
    rest = weighted(number[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return "09987654321"[rest] == number[10]


def cl_rut(number: str) -> bool:
    check = weighted(number[-2::-1], (2, 3, 4, 5, 6, 7, 2, 3)) % 11
    return "0K987654321"[check] == number[-1]


def mx_curp(number: str) -> bool:
    alphabet = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ"
    total = sum(alphabet.index(c) * (18 - place) for place, c in enumerate(number[:17]))
    return number[10] in "HMX" and str(-total % 10) == number[17]


def in_aadhaar(number: str) -> bool:
    return number[0] in "23456789" and verhoeff(number)


def in_pan(number: str) -> bool:
    return number[3] in "ABCFGHLJPTK"


def cn_identity(number: str) -> bool:
    return (
        number[:17].isdecimal()
        and number[17] in "0123456789X"
        and _is_day(number[12:14], number[10:12])
        and mod_11_2(number)
    )


def kr_resident(number: str) -> bool:
    return number[6] in "12345678" and _is_day(number[4:6], number[2:4])


def jp_my_number(number: str) -> bool:
    check = weighted(number[10::-1], (2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6)) % 11
    return (0 if check < 2 else 11 - check) == int(number[11])


def za_identity(number: str) -> bool:
    return _is_day(number[4:6], number[2:4]) and number[10] in "012" and luhn(number)


def au_tfn(number: str) -> bool:
    return weighted(number, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def au_medicare(number: str) -> bool:
    return number[0] in "23456" and weighted(number[:8], (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(
        number[8]
    )


def nz_nhi(number: str) -> bool:
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    if not set(number[:3]) <= set(letters):
        return False
    values = [letters.index(c) + 1 for c in number[:3]] + [int(d) for d in number[3:6]]
    rest = sum(v * w for v, w in zip(values, range(7, 1, -1), strict=True)) % 11
    return rest != 0 and (11 - rest) % 10 == int(number[6])
