"""Words keep the shape of a value, and where numbers are issued to people they are issued to no
one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.releases.identifiers.shapes import fail_luhn, shape_of, space_of

INDEX = st.integers(min_value=0, max_value=2**256)


def word(shape: str, index: int) -> str:
    space = space_of(shape)
    return space.word(index % space.size)


def passes_luhn(text: str) -> bool:
    digits = [int(c) for c in reversed(text) if c.isdigit()]
    return (sum(digits[::2]) + sum(sum(divmod(2 * d, 10)) for d in digits[1::2])) % 10 == 0


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("Ab-12", "Aa-99"), ("0451", "0999"), ("4510", "9999"), ("", ""), ("Žofie Ǆ", "Aaaaa A"), ("李小龍", "aaa"),
        ("٣½²", "999"), ("7", "0"), ("0", "0"), ("0-", "0-"), ("e\N{COMBINING ACUTE ACCENT}", "aa"),
        ("a.b@c.uk", "a.a@a.aa"), ("?!", "?!"),
    ],
)  # fmt: skip
def test_shapes(value, shape):
    assert shape_of(value) == shape


@given(st.text(max_size=30), INDEX)
def test_a_word_of_a_plain_shape_has_that_shape(value, index):
    shape = shape_of(value)
    made = word(shape, index)
    if "@" not in shape and any(mark in shape for mark in "9aA"):
        assert shape_of(made) == shape


@given(
    st.sampled_from(["999-99-9999", "099-99-9999", "999999999", "099999999", "999 99 9999"]), INDEX
)
def test_no_social_security_or_taxpayer_number_is_made(shape, index):
    area, group, _ = re.fullmatch(r"(\d{3})\D?(\d\d)\D?(\d{4})", word(shape, index)).groups()
    assert 900 <= int(area) <= 999  # never a Social Security number
    itin = {*range(50, 66), *range(70, 89), *range(90, 93), *range(94, 100)}
    assert int(group) not in itin | {93}


@given(
    st.sampled_from(
        ["999-999-9999", "(999) 999-9999", "+9 999 999 9999", "9.999.999.9999", "9999999999"]
    ),
    INDEX,
)
def test_area_codes_are_assigned_to_no_one(shape, index):
    made = word(shape, index)
    assert shape_of(made) == shape
    digits = re.sub(r"\D", "", made)
    assert digits[:-10] in ("", "1")
    assert re.match(r"[5789]9\d[2-9]", digits[-10:])


@given(st.integers(min_value=13, max_value=19), INDEX)
def test_no_card_number_is_made(length, index):
    assert not passes_luhn(word("9" * length, index))
    assert not passes_luhn(word("9999 9999 9999 9999", index))


def test_failing_luhn_keeps_words_apart():
    made = {fail_luhn(f"411111111111111{n}") for n in range(9)}
    assert len(made) == 9
    assert not any(passes_luhn(number) for number in made)


@given(INDEX)
def test_mail_goes_to_no_one(index):
    assert re.fullmatch(r"[a-z]{12}@example\.org", word("aaa.aaaaa@aaaaa.aa", index))


@given(st.integers(min_value=2, max_value=8), INDEX)
def test_a_number_stays_a_number_of_that_length(length, index):
    assert 10 ** (length - 1) <= int(word("9" * length, index)) < 10**length
    assert -(10**length) < int(word("-" + "9" * length, index)) <= -(10 ** (length - 1))


@pytest.mark.parametrize("shape", ["0", "99", "099", "A9", "0a", "-9", "999-99-9999", "Aaa"])
def test_words_of_a_space_are_all_different(shape):
    space = space_of(shape)
    count = min(space.size, 20_000)
    assert len({space.word(index) for index in range(count)}) == count


def test_a_value_with_nothing_to_keep_gets_eight_letters():
    assert re.fullmatch("[a-z]{8}", word("-?-", 12345))
    assert re.fullmatch("[a-z]{8}", word("0-", 12345))
