"""Keys that sign and envelopes: what was signed passes, and any other byte, type or key fails."""

from __future__ import annotations

import base64
import json
import pickle
import shutil
import stat
import subprocess

import pytest

pytest.importorskip("cryptography")

from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import Mistake, SecretError
from sfumato.keys import Key
from sfumato.signatures import (
    Envelope,
    SigningKey,
    VerifyKey,
    pre_authentication,
    public_file,
    statement,
)

KEY, OTHER = SigningKey.generate(), SigningKey.generate()


def test_the_example_of_the_dsse_protocol():
    message = pre_authentication("http://example.com/HelloWorld", b"hello world")
    assert message == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_an_envelope_is_read_as_it_was_written():
    signed = Envelope.signed(b"payload", KEY)
    assert Envelope.parse(signed.text()) == signed
    assert signed.is_signed_by(KEY.public)
    assert not signed.is_signed_by(OTHER.public)


@given(st.binary(max_size=40), st.binary(max_size=40), st.text(max_size=12), st.text(max_size=12))
def test_only_what_was_signed_verifies(payload, changed, kind, other_kind):
    signed = Envelope.signed(payload, KEY, payload_type=kind)
    moved = Envelope(changed, other_kind, signed.signatures)
    assert moved.is_signed_by(KEY.public) == ((payload, kind) == (changed, other_kind))


PRIME = 2**255 - 19
ORDER_8 = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
WEAK = [
    (1).to_bytes(32, "little"), bytes(32), (PRIME - 1).to_bytes(32, "little"), ORDER_8,
    (PRIME - int.from_bytes(ORDER_8, "little")).to_bytes(32, "little"),
    (PRIME + 1).to_bytes(32, "little"), (PRIME + 3).to_bytes(32, "little"),
]  # fmt: skip


@pytest.mark.parametrize("raw", [*WEAK, *(each[:31] + bytes([each[31] | 128]) for each in WEAK)])
def test_a_key_that_anybody_can_sign_for_is_none(raw):
    with pytest.raises(Mistake, match="Anybody could sign for it"):
        VerifyKey.read("ed25519:" + base64.b64encode(raw).decode())


def test_anybody_signs_for_the_neutral_element_where_it_is_taken(monkeypatch):
    monkeypatch.setattr(VerifyKey, "__post_init__", lambda self: None)
    assert VerifyKey(WEAK[0]).verifies(WEAK[0] + bytes(32), b"any message")


def test_a_signature_under_the_number_of_another_key_fails():
    signed = Envelope.signed(b"payload", OTHER)
    claimed = Envelope(
        b"payload", signed.payload_type, ((KEY.public.number, signed.signatures[0][1]),)
    )
    assert not claimed.is_signed_by(KEY.public)
    assert not claimed.is_signed_by(OTHER.public)


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"signatures": []},
        {"signatures": [{"keyid": "a"}]},
        {"signatures": [{"keyid": "a", "sig": "?"}]},
        {"payload": 7},
        {"payloadType": None},
    ],
)
def test_what_is_no_envelope_is_refused(change):
    facts = json.loads(Envelope.signed(b"payload", KEY).text())
    with pytest.raises(ValueError):  # noqa: PT011
        Envelope.parse(json.dumps(facts | change))


def test_a_key_that_stands_twice_is_refused():
    text = Envelope.signed(b"payload", KEY).text()
    with pytest.raises(ValueError, match="twice"):
        Envelope.parse(text.replace("{", '{"payload": "AAAA",', 1))


def test_the_files_of_a_key(tmp_path):
    made = SigningKey.create_file(tmp_path / "board.key")
    assert stat.S_IMODE((tmp_path / "board.key").stat().st_mode) == 0o600
    again = SigningKey.from_file(tmp_path / "board.key")
    assert again.public == made.public
    assert VerifyKey.read(public_file(tmp_path / "board.key")) == made.public
    assert VerifyKey.read(made.public.line) == made.public
    (tmp_path / "line").write_text(made.public.line + "\n")
    assert VerifyKey.read(tmp_path / "line") == made.public


def test_no_file_of_a_key_is_overwritten(tmp_path):
    SigningKey.create_file(tmp_path / "a")
    for name in ("a", "b"):
        shutil.copy(tmp_path / "a.pub", tmp_path / "b.pub")
        with pytest.raises(SecretError, match="not overwritten"):
            SigningKey.create_file(tmp_path / name)
    assert not (tmp_path / "b").exists()


def test_a_secret_is_neither_shown_nor_pickled():
    assert repr(KEY) == "SigningKey(...)"
    with pytest.raises(SecretError):
        pickle.dumps(KEY)


def test_other_keys_are_refused_without_their_content(tmp_path):
    Key.create_file(tmp_path / "pseudonyms")
    SigningKey.create_file(tmp_path / "signs")
    with pytest.raises(SecretError, match="sfumato key --sign") as refused:
        SigningKey.from_file(tmp_path / "pseudonyms")
    assert (tmp_path / "pseudonyms").read_text().strip() not in str(refused.value)
    with pytest.raises(Mistake, match="no Ed25519 key"):
        VerifyKey.read(tmp_path / "pseudonyms")
    with pytest.raises(Mistake, match="secret key"):
        VerifyKey.read(tmp_path / "signs")
    with pytest.raises(Mistake, match="32 bytes"):
        VerifyKey.read("ed25519:AAAA")
    with pytest.raises(Mistake, match="No such file"):
        VerifyKey.read(tmp_path / "nothing")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_openssl_verifies_it_too(tmp_path):
    key = SigningKey.create_file(tmp_path / "k")
    signed = Envelope.signed(statement("urn:x", {"a": "0" * 64}, {}), key)
    (tmp_path / "message").write_bytes(pre_authentication(signed.payload_type, signed.payload))
    facts = json.loads(signed.text())
    (tmp_path / "sig").write_bytes(base64.b64decode(facts["signatures"][0]["sig"]))
    done = subprocess.run(
        ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "k.pub", "-rawin", "-in", "message",
         "-sigfile", "sig"],
        cwd=tmp_path, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0
