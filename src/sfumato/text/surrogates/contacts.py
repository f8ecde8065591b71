"""E-mail and web addresses, IP addresses and user names, to those that are set apart for examples.

RFC 2606: example.com, example.net and example.org belong to nobody. RFC 5737: 192.0.2.0/24,
198.51.100.0/24 and 203.0.113.0/24 lead nowhere. RFC 3849: nor does 2001:db8::/32."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sfumato.keys import KeyedDraws

from .made_up_words import made_up_words
from .numbers import reshaped

DOMAINS = ("example.com", "example.net", "example.org")
NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,12}://|www\.|mailto:", re.IGNORECASE)
_Part = Callable[[str], str | None]


def email_surrogates(value: str, drawing: KeyedDraws, *, part: _Part) -> Iterator[str]:
    """The local part's words to the surrogates of the names that they are, or to made-up ones.

    Example:
        >>> next(email_surrogates("v.townsend@acme.com", KeyedDraws(bytes(range(32))), part={"townsend": "gray"}.get))
        'h.gray@example.org'
    """
    local, _, domain = value.rpartition("@")
    host = drawing.pick(DOMAINS, "domain", domain.lower())
    for number in drawing.numbers("e-mail", value.lower()):
        yield f"{_rewritten(local, number, drawing, part)}@{host}"


def user_name_surrogates(value: str, drawing: KeyedDraws, *, part: _Part) -> Iterator[str]:
    """Words and digits to others; @, dots and underscores stay."""
    for number in drawing.numbers("user name", value.lower()):
        yield _rewritten(value, number, drawing, part)


def url_surrogates(value: str, drawing: KeyedDraws) -> Iterator[str]:
    """The scheme stays; the rest is an example's, with a made-up page.

    Example:
        >>> next(url_surrogates("https://acme.com/staff/dr-long", KeyedDraws(bytes(range(32)))))[:20]
        'https://example.com/'
    """
    scheme = _SCHEME.match(value)
    host = drawing.pick(DOMAINS, "domain", value.lower())
    for page in made_up_words(drawing, "page", value.lower()):
        yield f"{scheme.group() if scheme else ''}{host}/{page}"


def ip_surrogates(value: str, drawing: KeyedDraws) -> Iterator[str]:
    """Version 6 where there is a colon before any dot, version 4 otherwise. A port or a prefix does
    not stay.

    Example:
        >>> next(ip_surrogates("fe80::1ff:fe23:4567:890a", KeyedDraws(bytes(range(32))))).startswith("2001:db8:")
        True
    """
    version_6 = value.count(":") > 1
    for number in drawing.numbers("ip", value.lower()):
        if version_6:
            yield f"2001:db8:{number % 0xFFFF:x}:{number // 0xFFFF % 0xFFFF:x}::{number // 0xFFFFFFFF % 0xFFFF:x}"
        else:
            yield f"{NETWORKS[number % 3]}.{1 + number // 3 % 254}"


def _rewritten(text: str, number: int, drawing: KeyedDraws, part: _Part) -> str:
    """Each word to the surrogate of the name it is, else a letter to a letter and a word to a
    made-up one."""

    def other(found: re.Match[str]) -> str:
        piece = found.group()
        if piece.isdecimal() or len(piece) == 1:
            return reshaped(piece, number // 7)
        return part(piece) or next(made_up_words(drawing, piece.lower(), str(number)))

    return _PIECE.sub(other, text)
