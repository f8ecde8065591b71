"""Addresses lead to what is set apart for examples, and hold nothing of the original."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from itertools import islice

import pytest

from sfumato.keys import KeyedDraws
from sfumato.text.surrogates.contacts import (
    DOMAINS,
    email_surrogates,
    ip_surrogates,
    url_surrogates,
    user_name_surrogates,
)

DRAW = KeyedDraws(bytes(range(32)))
RESERVED = [
    ip_network(net)
    for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
]


def nobody(word):
    return None


@pytest.mark.parametrize(
    "value", ["10.1.2.3", "8.8.8.8", "fe80::1", "2a00:1450:4001:81b::200e", "10.1.2.3:80"]
)
def test_ip_addresses_are_reserved_ones(value):
    for new in islice(ip_surrogates(value, DRAW), 50):
        assert (
            sum(
                ip_address(new) in network
                for network in RESERVED
                if network.version == ip_address(new).version
            )
            == 1
        )


def test_e_mails_follow_the_names_of_the_letter():
    parts = {"virginia": "wanda", "townsend": "shearer"}
    new = next(
        email_surrogates(
            "Virginia.Townsend86@st-johns.org", DRAW, part=lambda word: parts.get(word.lower())
        )
    )
    local, domain = new.split("@")
    assert local.startswith("wanda.shearer")
    assert domain in DOMAINS
    assert "86" not in local


def test_e_mails_hold_nothing_of_the_original():
    for new in islice(email_surrogates("marjorie_long@brigham.org", DRAW, part=nobody), 20):
        assert not {"marjorie", "long", "brigham"} & set(
            new.replace("_", " ").replace("@", " ").split()
        )


def test_urls_keep_their_scheme_alone():
    new = next(url_surrogates("https://brigham.org/staff/long?id=7#x", DRAW))
    assert new.startswith("https://example.")
    assert "long" not in new
    assert "brigham" not in new


def test_user_names_keep_their_marks():
    new = next(user_name_surrogates("@dot_townsend7", DRAW, part=nobody))
    assert new[0] == "@"
    assert "_" in new
    assert "townsend" not in new
