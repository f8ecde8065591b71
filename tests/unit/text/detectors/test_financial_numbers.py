"""Financial numbers: positive and negative examples. The numbers are those that banks print as
examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.financial_numbers import IBAN_LENGTHS, FinancialNumbers

ARE = [
    ("card 4539 1488 0343 6467", "4539 1488 0343 6467"),
    ("4111111111111111", "4111111111111111"),
    ("5555-5555-5555-4444 please", "5555-5555-5555-4444"),
    ("3782 822463 10005", "3782 822463 10005"),
    ("my card number is 4111 1111 1111 1112", "4111 1111 1111 1112"),
    ("GB82 WEST 1234 5698 7654 32 and", "GB82 WEST 1234 5698 7654 32"),
    ("DE89370400440532013000", "DE89370400440532013000"),
    ("FR14 2004 1010 0505 0001 3M02 606", "FR14 2004 1010 0505 0001 3M02 606"),
    ("NL91 ABNA 0417 1643 00 IS MINE", "NL91 ABNA 0417 1643 00"),
    ("BIC: DEUTDEFF", "DEUTDEFF"),
    ("DEUTDE5X", "DEUTDE5X"),
    ("bank account 12345678", "12345678"),
    ("sort code 12-34-56", "12-34-56"),
    ("routing number 021000021", "021000021"),
    ("Kontonummer: 1234567", "1234567"),
    ("**** **** **** 6467", "6467"),
    ("card ending in 6467", "6467"),
    ("0x52908400098527886E0F7030069857D2E4169EE7", "0x52908400098527886E0F7030069857D2E4169EE7"),
]
ARE_NOT = [
    "4111111111111112",
    "4539 1488",
    "GB82 WEST 1234",
    "XX82 WEST 1234 5698 7654 32",
    "INSULIN IN HOSPITAL",
    "a card was sent in 2012",
    "1,234,567,890,123",
    "wire fixation",
    "+49 30 1234567890",
]


@pytest.mark.parametrize(("text", "number"), ARE)
def test_finds(found, text, number):
    assert number in found(FinancialNumbers(), text)


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(FinancialNumbers(), text) == []


def test_lengths_of_ibans_are_those_of_the_registry():
    assert {country: IBAN_LENGTHS[country] for country in ("NO", "DE", "FR", "MT", "LC")} == {
        "NO": 15,
        "DE": 22,
        "FR": 27,
        "MT": 31,
        "LC": 32,
    }
