"""What every replacer keeps to, whatever its method."""

from __future__ import annotations

import hmac
import re

import pytest

from sfumato.errors import SecretError
from sfumato.releases.identifiers import (
    HashReplacer,
    Key,
    LookupReplacer,
    MadeUpReplacer,
    MaskReplacer,
    SurrogateReplacer,
)

SECRET = bytes(range(32))
KEY = Key(SECRET)
NAMES = ["Ada Lovelace", "Grace Hopper", "Émilie du Châtelet", "ada lovelace", "李小龍"]


def replacers(tmp_path, key):
    return {
        "mask": MaskReplacer(),
        "hash": HashReplacer(key, domain="name"),
        "lookup": LookupReplacer(tmp_path / "names.lookup" if key else None, domain="name"),
        "made-up": MadeUpReplacer(key, domain="name"),
        "surrogate": SurrogateReplacer(key, domain="name", kind="name"),
    }


METHODS = ["mask", "hash", "lookup", "made-up", "surrogate"]


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no key"])
@pytest.mark.parametrize("method", METHODS)
def test_the_same_again_within_a_release(tmp_path, method, key):
    replacer = replacers(tmp_path, key)[method]
    first = [*replacer.replace(NAMES[:2]), *replacer.replace(NAMES[2:])]
    again = [*replacer.replace(NAMES[:2]), *replacer.replace(NAMES[2:])]
    assert first == again
    assert not set(first) & set(NAMES)
    assert len(set(first)) == (1 if method == "mask" else len(NAMES))
    assert replacer.replace([]) == []


@pytest.mark.parametrize("method", METHODS)
def test_the_same_again_in_another_release_only_with_the_key_or_file(tmp_path, method):
    keyed, later = (replacers(tmp_path, KEY)[method].replace(NAMES) for _ in range(2))
    fresh, other = (replacers(tmp_path, None)[method].replace(NAMES) for _ in range(2))
    assert keyed == later
    assert method == "mask" or (fresh != other and fresh != keyed)


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no key"])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_shown_holds_no_secret_and_no_value(tmp_path, method, key):
    replacer = replacers(tmp_path, key)[method]
    replacer.replace(NAMES)
    shown = repr(replacer) + replacer.describe()
    assert not any(name in shown for name in NAMES)
    assert SECRET.hex()[:12] not in shown
    assert replacer.redrawn == 0
    assert method == "mask" or ("kept nowhere" in shown) == (key is None)


def test_the_mask_does_not_keep_the_length():
    assert MaskReplacer().replace(["A", "Maximilian"]) == ["XXXXXX", "XXXXXX"]


def test_a_hash_is_full_or_at_least_128_bits():
    [full] = HashReplacer(KEY, domain="name").replace(NAMES[:1])
    [short] = HashReplacer(KEY, domain="name", digits=32).replace(NAMES[:1])
    assert re.fullmatch("[0-9a-f]{64}", full)
    assert full.startswith(short)
    assert len(short) == 32
    for digits in (31, 0, 65):
        with pytest.raises(SecretError, match=f"hash of {digits} hex digits"):
            HashReplacer(KEY, domain="name", digits=digits)


def test_a_hash_can_be_computed_elsewhere_from_the_key():
    parts = [b"sfumato pseudonyms 1", b"hash", b"name"]
    derived = hmac.digest(
        SECRET, b"".join(len(part).to_bytes(4, "big") + part for part in parts), "sha256"
    )
    expected = [hmac.digest(derived, name.encode(), "sha256").hex() for name in NAMES]
    assert HashReplacer(KEY, domain="name").replace(NAMES) == expected


def test_a_shared_domain_links_two_fields():
    patient, mother, clinic = (
        HashReplacer(KEY, domain=d).replace(NAMES) for d in ("person", "person", "clinic")
    )
    assert patient == mother
    assert not set(patient) & set(clinic)
