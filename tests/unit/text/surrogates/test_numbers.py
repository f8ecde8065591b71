"""Numbers keep their shape, never their digits, and no check digits agree."""

from __future__ import annotations

from itertools import islice

import pytest

from sfumato.keys import KeyedDraws
from sfumato.text.checksums import luhn, mod_97
from sfumato.text.detectors import national_checks as checks
from sfumato.text.detectors.shapes import characters_of, shape_of
from sfumato.text.kinds import ReferenceKind
from sfumato.text.surrogates.numbers import number_surrogates, quantity_surrogates

DRAW = KeyedDraws(bytes(range(32)))


def some(value, kind, count=200):
    return list(islice(number_surrogates(value, DRAW, kind=kind), count))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("CH#32-841-09787", ReferenceKind.RECORD_NUMBER),
        ("AB 12 34 56 c", ReferenceKind.NATIONAL_NUMBER),
        ("4539 1488 0343 6467", ReferenceKind.FINANCIAL_NUMBER),
        ("٣٤٥-١٢", ReferenceKind.ACCOUNT),
        ("9" * 400, ReferenceKind.ACCOUNT),
    ],
)
def test_the_shape_stays(value, kind):
    for new in some(value, kind, 20):
        assert shape_of(new) == shape_of(value)
        assert new != value
        assert [c.isupper() for c in new] == [c.isupper() for c in value]


@pytest.mark.parametrize(
    ("value", "kind", "check"),
    [
        ("4539 1488 0343 6467", ReferenceKind.FINANCIAL_NUMBER, luhn),
        ("GB82 WEST 1234 5698 7654 32", ReferenceKind.FINANCIAL_NUMBER, mod_97),
        ("943 476 5919", ReferenceKind.NATIONAL_NUMBER, checks.uk_nhs),
        ("123-45-6789", ReferenceKind.NATIONAL_NUMBER, checks.us_ssn),
        ("123-45-6789", ReferenceKind.NATIONAL_NUMBER, checks.us_itin),
        ("44051401359", ReferenceKind.NATIONAL_NUMBER, checks.pl_pesel),
        ("12345678Z", ReferenceKind.NATIONAL_NUMBER, checks.es_dni),
    ],
)
def test_no_check_agrees(value, kind, check):
    """By chance one in ten, or in the case of the social security number nearly all, would."""
    assert not any(check(characters_of(new)) for new in some(value, kind))


def test_one_number_written_in_two_ways_has_one_surrogate():
    one, other = (
        some("32-841-09787", ReferenceKind.RECORD_NUMBER, 1)[0],
        some("3284109787", ReferenceKind.RECORD_NUMBER, 1)[0],
    )
    assert characters_of(one) == characters_of(other)


@pytest.mark.parametrize("value", ["473-1214", "(617) 473-1214", "+1 617 473 1214", "617.473.1214"])
def test_telephones_of_north_america_ring_nowhere(value):
    for new in some(value, ReferenceKind.PHONE, 50):
        assert shape_of(new) == shape_of(value)
        assert characters_of(new)[-7:-4] == "555"


def test_words_beside_a_telephone_number_stay():
    assert all(
        new.endswith(tuple(f"ext. {n}" for n in range(10)))
        for new in some("+49 89 123456 ext. 7", ReferenceKind.PHONE, 20)
    )


def test_sums_of_money_keep_their_size_and_unit():
    for new in islice(quantity_surrogates("EUR 5,200", DRAW), 20):
        assert new.startswith("EUR ")
        assert shape_of(new) == "AAA 9,999"
        assert new[4] != "0"


@pytest.mark.parametrize("kind", [ReferenceKind.RECORD_NUMBER, ReferenceKind.PHONE])
def test_nothing_to_change_nothing_offered(kind):
    assert some("--/ #", kind) == []
