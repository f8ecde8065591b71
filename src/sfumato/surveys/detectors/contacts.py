"""How to reach someone: e-mail, phone, fax, web address, IP address."""

from __future__ import annotations

import ipaddress
import re

from ..records import LooksLike
from .detector import NameAndValues

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_URL = re.compile(
    r"(https?://|ftp://|www\.)\S+|[a-z0-9-]+(\.[a-z0-9-]+)*\.(com|org|net|edu|gov|de|nl|uk|fr|io)(/\S*)?",
    re.I,
)
_PHONE = re.compile(r"\+?[\d()][\d()\s./\-]{5,20}\d( ?(x|ext\.?) ?\d{1,6})?", re.I)
_MARKED_PHONE = re.compile(r"(\+\d{1,3}[\s.\-]?|\(\d{2,5}\)\s?|\d{3}[.\-]\d{3}[.\-]).*")


def is_email(text: str) -> bool:
    """
    Example:
        >>> is_email("a.b@example.org"), is_email("@handle")
        (True, False)
    """
    return _EMAIL.fullmatch(text) is not None


def is_phone(text: str) -> bool:
    """
    Example:
        >>> is_phone("(617) 555-0123"), is_phone("+49 30 1234567"), is_phone("12345"), is_phone("1990-01-02")
        (True, True, False, True)
    """
    return _PHONE.fullmatch(text) is not None and 7 <= sum(map(str.isdigit, text)) <= 20


def is_marked_phone(text: str) -> bool:
    """A phone number that shows itself to be one, by a country code, brackets or its groups.

    Example:
        >>> is_marked_phone("617-555-0123"), is_marked_phone("6175550123"), is_marked_phone("219-09-9999")
        (True, False, False)
    """
    return _MARKED_PHONE.fullmatch(text) is not None and is_phone(text)


def is_ip(text: str) -> bool:
    """
    Example:
        >>> is_ip("192.0.2.7"), is_ip("2001:db8::1"), is_ip("1.2")
        (True, True, False)
    """
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_url(text: str) -> bool:
    """
    Example:
        >>> is_url("https://example.org/x"), is_url("example.com"), is_url("Mr. Com")
        (True, True, False)
    """
    return _URL.fullmatch(text) is not None


EMAIL = NameAndValues(
    looks_like=LooksLike.EMAIL,
    phrases=("email", "e mail", "mail", "courriel", "correo"),
    unless=("mailing", "mail code", "mail address"),
    test=is_email,
    values_are="e-mail addresses",
    needed=0.5,
    needed_alone=0.6,
    both=0.99,
    alone=0.97,
)
PHONE = NameAndValues(
    looks_like=LooksLike.PHONE,
    phrases=(
        "phone", "telephone", "tel", "mobile", "cell", "cellphone", "telefon", "telefono", "telefoon", "handy",
        "phone number",
    ),
    test=is_phone,
    values_are="written like phone numbers",
    needed=0.5,
    both=0.97,
    own=True,
)  # fmt: skip
MARKED_PHONE = NameAndValues(
    looks_like=LooksLike.PHONE,
    test=is_marked_phone,
    values_are="written like phone numbers",
    needed_alone=0.7,
    alone=0.85,
)
FAX = NameAndValues(
    looks_like=LooksLike.FAX,
    phrases=("fax", "telefax", "fax number"),
    test=is_phone,
    values_are="written like phone numbers",
    needed=0.5,
    both=0.98,
    own=True,
)
URL = NameAndValues(
    looks_like=LooksLike.URL,
    phrases=("url", "website", "web site", "homepage", "web", "link"),
    test=is_url,
    values_are="web addresses",
    needed=0.5,
    needed_alone=0.6,
    both=0.97,
    alone=0.95,
    own=True,
)
IP_ADDRESS = NameAndValues(
    looks_like=LooksLike.IP_ADDRESS,
    phrases=("ip", "ip address", "ipv4", "ipv6"),
    test=is_ip,
    values_are="IP addresses",
    needed=0.5,
    needed_alone=0.6,
    both=0.99,
    alone=0.97,
)

CONTACTS = (EMAIL, FAX, PHONE, MARKED_PHONE, URL, IP_ADDRESS)
