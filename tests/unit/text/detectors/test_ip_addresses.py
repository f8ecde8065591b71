"""Internet addresses: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.ip_addresses import IpAddresses

ARE = [
    ("from 192.168.0.1.", "192.168.0.1"),
    ("10.0.0.0/8", "10.0.0.0/8"),
    ("[203.0.113.7]", "203.0.113.7"),
    ("2001:db8::ff00:42:8329", "2001:db8::ff00:42:8329"),
    ("fe80::1 said", "fe80::1"),
    ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", "2001:0db8:85a3:0000:0000:8a2e:0370:7334"),
    ("fe80::1%eth0", "fe80::1"),
    ("2001:db8::/32", "2001:db8::/32"),
]
ARE_NOT = [
    "at 10:30:15",
    "version 1.20.33.4",
    "256.300.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "00:1B:44:11:3A:B7",
    "::",
    "face:book",
    "a: b: c",
]


@pytest.mark.parametrize(("text", "address"), ARE)
def test_finds(found, text, address):
    assert found(IpAddresses(), text) == [address]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(IpAddresses(), text) == []
