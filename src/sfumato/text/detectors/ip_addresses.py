"""Internet addresses, versions 4 and 6."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from ipaddress import IPv6Address

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration

_FOUR = re.compile(r"\d(?<![\w.]\d)\d{0,2}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w]|\.\d)")
_SIX = re.compile(
    r"[0-9A-Fa-f:](?<![\w:.][0-9A-Fa-f:])[0-9A-Fa-f:]{2,38}(?:(?:\.\d{1,3}){3})?(?:%\w{1,15})?(?:/\d{1,3})?"
)
_NOT_ADDRESSES = frozenset(
    "version v release section chapter paragraph article rev revision build software".split()
)


class IpAddresses:
    """Four numbers up to 255 with dots, unless it is a version; or what the standard library reads
    as version 6."""

    name = "ip addresses"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from self._four(document)
        yield from self._six(document)

    def _four(self, document: Document) -> Iterator[Bid]:
        for match in _FOUR.finditer(document.text):
            parts = [int(part) for part in match.group().split("/")[0].split(".")]
            before = document.text[max(0, match.start() - 12) : match.start()].lower().split()
            if max(parts) <= 255 and not (before and before[-1].strip(".(:") in _NOT_ADDRESSES):
                small = max(parts) < 20  # As in a numbered heading, "1.2.3.4".
                yield Bid(
                    *match.span(),
                    ReferenceKind.IP,
                    0.6 if small else 0.95,
                    self.name,
                    "four numbers up to 255",
                )

    def _six(self, document: Document) -> Iterator[Bid]:
        for match in _SIX.finditer(document.text):
            address = match.group().split("/")[0].split("%")[0].rstrip(":") or "x"
            if match.group().split("/")[0].endswith("::"):
                address += "::"
            if address.count(":") >= 2 and len(address) > 3 and _is_six(address):
                end = match.start() + (
                    len(address) if "/" not in match.group() else len(match.group())
                )
                yield Bid(
                    match.start(), end, ReferenceKind.IP, 0.95, self.name, "an address of version 6"
                )


def _is_six(address: str) -> bool:
    try:
        IPv6Address(address)
    except ValueError:
        return False
    return True


DECLARATION = DetectorDeclaration(
    key="ip addresses",
    doc="internet addresses, versions 4 and 6",
    kinds=(ReferenceKind.IP,),
    basis=Basis.FORM,
    make=IpAddresses,
    order=40,
)
