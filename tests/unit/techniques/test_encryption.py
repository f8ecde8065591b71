"""Encryption: the same value the same text, nobody else's way back, the holder's way back."""

from __future__ import annotations

import sys

import pytest
from steps_by_hand import SECRET, column, taken

from sfumato.engines import FieldKind
from sfumato.errors import MissingExtra, Mistake, PolicyError
from sfumato.techniques.encryption import GcmSiv, cipher_for

NAMES = ["Ada", "Ærø Ø", "Ada", None, "", "x" * 40, "\U0001f9ec", "a\0b"]


def encrypt(values, **step):
    return taken(
        {"name": values},
        {"technique": "encrypt", "fields": ["name"], **step},
        fields={"name": "direct"},
    )


def test_equal_values_stay_equal_and_others_differ():
    out = column(encrypt(NAMES), "name")
    assert out[0] == out[2]
    assert out[3] is None
    assert len({text for text in out if text is not None}) == len(
        {name for name in NAMES if name is not None}
    )


def test_the_holder_goes_back():
    cipher = cipher_for("aes-gcm-siv", (b"aes-gcm-siv" + SECRET)[:32])
    back = [
        None if text is None else cipher.decrypted(text, "name")
        for text in column(encrypt(NAMES), "name")
    ]
    assert back == NAMES


def test_another_key_another_field_and_a_changed_text_are_not_read():
    cipher, other = GcmSiv(SECRET), GcmSiv(SECRET[::-1])
    text = cipher.encrypted("Ada", "name")
    assert cipher.decrypted(text, "name") == "Ada"
    assert other.decrypted(text, "name") is None
    assert cipher.decrypted(text, "town") is None
    assert cipher.decrypted(text[:-1] + ("0" if text[-1] != "0" else "1"), "name") is None
    assert [cipher.decrypted(wrong, "name") for wrong in ("", "zz", "00")] == [None] * 3
    assert cipher.encrypted("Ada", "town") != text


def test_lengths_tell_little():
    """Yes and no come out equally long; nothing shorter than a block can be told apart by
    length."""
    cipher = GcmSiv(SECRET)
    assert len({len(cipher.encrypted("x" * length, "name")) for length in range(16)}) == 1


def test_numbers_become_text():
    done = taken(
        {"id": ["17", "18"]},
        {"technique": "encrypt", "fields": ["id"]},
        kinds={"id": FieldKind.INTEGER},
    )
    assert done.cells.given == {"id": FieldKind.TEXT}


def test_few_values_are_told_by_how_often_they_occur():
    assert "has few values (2 in 90 rows)" in encrypt(["yes", "no", "no"] * 30).warnings[0]
    assert encrypt([str(i) for i in range(90)]).warnings == ()
    assert encrypt([None]).warnings == ()


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[encrypt\]"):
        encrypt(["Ada"])


def test_without_libffx_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ffx", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[encrypt\]"):
        encrypt(["Ada"], method="format-preserving")


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"role": "direct", "replace": "hash"}, "contradicts that"),
        ({"role": "quasi", "hierarchy": {"prefix": [1]}}, "values that can be read"),
    ],
)
def test_what_contradicts_it_is_a_problem(field, said):
    with pytest.raises(PolicyError, match=said):
        taken(
            {"name": ["a"]},
            {"technique": "encrypt", "fields": ["name"]},
            fields={"name": field},
            require={"k": 2},
        )


class TestFormatPreserving:
    """Left out where libffx is not installed."""

    @pytest.fixture(autouse=True)
    def _installed(self):
        pytest.importorskip("ffx", reason="libffx, of the extra encrypt, is not installed")

    def test_the_form_stays_and_the_holder_goes_back(self):
        values = ["MRN-1000017", "mrn 2000018", "MRN-1000018", "123456", "123456", None, "x" * 200]
        out = column(encrypt(values, method="format-preserving"), "name")
        cipher = cipher_for("format-preserving", (b"format-preserving" + SECRET)[:32])
        assert [None if text is None else cipher.decrypted(text, "name") for text in out] == values
        for value, text in zip(values, out, strict=True):
            if value is not None:
                assert text != value
                assert [(c.isdigit(), c.isupper(), c.islower()) for c in text] == [
                    (c.isdigit(), c.isupper(), c.islower()) for c in value
                ]
                assert [c for c in text if not c.isalnum()] == [c for c in value if not c.isalnum()]
        assert out[3] == out[4]

    def test_it_permutes_the_values_of_a_form(self):
        values = [f"{number:06d}" for number in range(0, 10**6, 997)]
        out = column(encrypt(values, method="format-preserving"), "name")
        assert len(set(out)) == len(values)
        moved = [abs(int(a) - int(b)) for a, b in zip(values, out, strict=True)]
        assert abs(sum(moved) / len(moved) / 10**6 - 1 / 3) < 0.03

    def test_another_field_is_another_permutation(self):
        cipher = cipher_for("format-preserving", SECRET)
        assert cipher.encrypted("1234567", "a") != cipher.encrypted("1234567", "b")

    def test_nists_own_samples(self):
        """SP 800-38G, FF1 samples 1 to 3: the library is the cipher that it says it is."""
        from ffx import FF1

        key = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3C")
        assert FF1(key, radix=10).encrypt("0123456789") == "2433477484"
        assert (
            FF1(key, radix=10).encrypt("0123456789", tweak=bytes.fromhex("39383736353433323130"))
            == "6124200773"
        )
        tweak = bytes.fromhex("3737373770717273373737")
        assert (
            FF1(key, radix=36).encrypt("0123456789abcdefghi", tweak=tweak) == "a9tv40mll9kdu509eum"
        )

    @pytest.mark.parametrize("value", ["02138", "yes", "", "Møller 123456"])
    def test_what_could_be_tried_out_or_would_stay_is_refused_and_not_shown(self, value):
        with pytest.raises(Mistake) as caught:
            encrypt([value, "1234567"], method="format-preserving")
        assert not value or value not in str(caught.value)
        assert "Of its 2 values" in str(caught.value)
