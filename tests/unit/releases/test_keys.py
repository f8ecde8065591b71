"""A key is strong, is its owner's alone, and is never seen."""

from __future__ import annotations

import base64
import copy
import hmac
import os
import pickle
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SecretError
from sfumato.releases.identifiers import Key

SECRET = bytes(range(7, 47))
ENOUGH = st.binary(min_size=32, max_size=200).filter(lambda secret: len(set(secret)) >= 8)


@given(ENOUGH, st.binary(max_size=200))
def test_digest_is_hmac_sha_256(secret, message):
    assert Key(secret).digest(message) == hmac.digest(secret, message, "sha256")


def test_a_file_made_is_owners_alone_and_is_read_back(tmp_path):
    path = tmp_path / "project.key"
    made = Key.create_file(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Key.from_file(path) == made


def test_a_file_is_never_overwritten(tmp_path):
    path = tmp_path / "project.key"
    made = Key.create_file(path)
    with pytest.raises(SecretError, match="not overwritten"):
        Key.create_file(path)
    assert Key.from_file(path) == made


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o666])
def test_a_file_that_others_may_open_is_refused(tmp_path, mode):
    path = tmp_path / "project.key"
    Key.create_file(path)
    path.chmod(mode)
    with pytest.raises(SecretError, match=f"permissions are {mode:04o}") as caught:
        Key.from_file(path)
    assert path.read_text().strip() not in str(caught.value)


@pytest.mark.parametrize(
    "text", [SECRET.hex(), SECRET.hex().upper(), base64.b64encode(SECRET).decode(),
             base64.urlsafe_b64encode(SECRET).decode().rstrip("="), f"{SECRET.hex()[:40]}\n{SECRET.hex()[40:]}\n"],
)  # fmt: skip
def test_hex_and_base64_are_read(tmp_path, monkeypatch, text):
    path = tmp_path / "project.key"
    path.touch(0o600)
    path.write_text(text)
    monkeypatch.setenv("SFUMATO_KEY", text)
    assert Key.from_file(path) == Key.from_environment() == Key(SECRET)


def test_missing_places_are_named(tmp_path, monkeypatch):
    monkeypatch.delenv("SFUMATO_KEY", raising=False)
    with pytest.raises(SecretError, match="SFUMATO_KEY is not set"):
        Key.from_environment()
    with pytest.raises(SecretError, match="No such file"):
        Key.from_file(tmp_path / "nowhere.key")
    with pytest.raises(SecretError, match="cannot be created"):
        Key.create_file(tmp_path / "nowhere" / "project.key")


def test_only_plain_files_are_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    with pytest.raises(SecretError, match="not a plain file"):
        Key.from_file(pipe)


@pytest.mark.parametrize("secret", [b"", bytes(range(31)), b"\x07" * 32, b"\0" * 64, b"abcd" * 16])
def test_weak_keys_are_refused_without_being_shown(secret):
    with pytest.raises(SecretError) as caught:
        Key(secret)
    assert not secret or secret.hex() not in str(caught.value)
    assert "abcd" not in str(caught.value)


def test_a_passphrase_is_no_key(monkeypatch):
    monkeypatch.setenv("SFUMATO_KEY", "correct horse battery staple!")
    with pytest.raises(SecretError) as caught:
        Key.from_environment()
    assert "horse" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_key_is_never_shown_copied_or_pickled():
    key = Key(SECRET)
    for shown in (repr(key), str(key), f"{key}", repr([key]), repr({"key": key})):
        assert "Key(...)" in shown
        assert SECRET.hex()[:8] not in shown
    for leave in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(SecretError):
            leave(key)
    with pytest.raises(TypeError):
        vars(key)
    with pytest.raises(TypeError):
        hash(key)


def test_purposes_and_domains_have_keys_of_their_own():
    key = Key(SECRET)
    derived = [key.derive("hash", "ssn"), key.derive("hash", "mrn"), key.derive("made-up", "ssn"),
               key.derive("hashs", "sn"), Key.generate().derive("hash", "ssn"), key]  # fmt: skip
    assert all(one != other for i, one in enumerate(derived) for other in derived[:i])
    assert key.derive("hash", "ssn") == key.derive("hash", "ssn")
    assert key != SECRET


def test_generated_keys_differ():
    assert Key.generate() != Key.generate()
