"""SCRAM-SHA-256: the example of RFC 7677, and a client that lies."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gate.accounts import Verifier
from sfumato.gate.saslprep import saslprep
from sfumato.gate.wire.message_stream import MalformedMessage
from sfumato.gate.wire.scram import Exchange

SALT = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")


def keys(password: str) -> tuple[bytes, Verifier]:
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), SALT, 4096)
    client = hmac.digest(salted, b"Client Key", "sha256")
    server = hmac.digest(salted, b"Server Key", "sha256")
    return client, Verifier(SALT, 4096, hashlib.sha256(client).digest(), server)


def exchange() -> Exchange:
    return Exchange(keys("pencil")[1], nonce=lambda: "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0")


FIRST = b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
LAST = b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="


def test_the_example_of_rfc_7677() -> None:
    talk = exchange()
    said = talk.first(FIRST)
    assert (
        said
        == b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    )
    assert talk.last(LAST) == b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def test_another_password_proves_nothing() -> None:
    talk = Exchange(keys("eraser")[1], nonce=lambda: "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0")
    talk.first(FIRST)
    assert talk.last(LAST) is None


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"p=tls-server-end-point,,n=,r=abc",
        b"n,,n=,r=",
        b"n,,r=abc",
        b"n,,m=x,n=,r=abc",
        b"x,,n=,r=a",
        b"n,b,n=,r=a",
    ],
)
def test_a_beginning_that_is_none(first: bytes) -> None:
    with pytest.raises(MalformedMessage):
        exchange().first(first)


@pytest.mark.parametrize(
    "last",
    [
        LAST.replace(b"biws", b"eSws"),
        LAST.replace(b"k0,p", b"k1,p"),
        LAST.replace(b"c=biws,", b""),
        LAST.rpartition(b",p=")[0],
        LAST.replace(b"p=dHzb", b"p=!!!!"),
        b"",
    ],
)
def test_an_end_that_does_not_belong_to_the_beginning(last: bytes) -> None:
    talk = exchange()
    talk.first(FIRST)
    with pytest.raises(MalformedMessage):
        talk.last(last)


@given(st.binary(max_size=40))
def test_no_proof_but_the_right_one(proof: bytes) -> None:
    talk = exchange()
    talk.first(FIRST)
    assert talk.last(LAST.rpartition(b",p=")[0] + b",p=" + base64.b64encode(proof)) is None


@given(st.text(max_size=20))
def test_a_spelling_is_spelt_once(text: str) -> None:
    once = saslprep(text)
    assert saslprep(once) == once
