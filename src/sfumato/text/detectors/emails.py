"""E-mail addresses, also as people write them for people: "jane at example dot org"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration
from .forms import bids_of, form

_LOCAL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}\Z")
_DOMAIN = re.compile(
    r"(?:\[\d{1,3}(?:\.\d{1,3}){3}\]|[^\W_](?:[\w-]{0,62}\.){1,8}[^\W\d_][\w-]{0,62}[^\W_])"
)
_TOP = frozenset(
    "com org net edu gov info io co uk us ca au ie de at ch fr be nl es pt it se no dk fi "
    "pl cz eu br".split()
)


def _ends_in_domain(text: str) -> bool:
    return re.split(r"[\W_]+", text.lower().rstrip(")]}>"))[-1] in _TOP


_SPOKEN = (
    form(
        r"[A-Za-z0-9](?<![\w.]\w)[\w.-]{0,30}(?: (?:dot|point|punkt) [\w-]{1,30}){0,3}"
        r" ?[\[({<]? ?(?:at|AT|ät|chez|arroba) ?[\])}>]? ?[\w-]{1,40}"
        r"(?: ?[\[({<] ?(?:dot|DOT|punkt|\.) ?[\])}>] ?| (?:dot|DOT|punkt|point|punto) )"
        r"[A-Za-z-]{2,20}(?:(?: dot |\.)[a-z]{2,6})?(?!\w)",
        0.85,
        "an e-mail address in words",
        check=lambda match: _ends_in_domain(match.group()),
    ),
    form(
        r"[\[({<](?<=\w.|\s.) ?(?:at|AT|ät) ?[\])}>] ?(?P<found>[\w-]{1,40}(?:\.[\w-]{1,40}){1,4})",
        0.7,
        "the domain of an e-mail address",
    ),
)
_SPOKEN_SIGNS = (
    " dot ",
    "[dot]",
    "(dot)",
    " DOT ",
    "[at]",
    "(at)",
    "(AT)",
    "[AT]",
    " punkt ",
    "[ät]",
    " arroba ",
)
_EDGES = ".'!#$%&*/=?^`{|}~-"


class Emails:
    """Looks at each "@", and at the characters before and behind it."""

    name = "emails"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from self._with_sign(document)
        if any(sign in document.text for sign in _SPOKEN_SIGNS):
            yield from bids_of(_SPOKEN, document, ReferenceKind.EMAIL, self.name)

    def _with_sign(self, document: Document) -> Iterator[Bid]:
        text = document.text
        sign = text.find("@")
        while sign >= 0:
            local = _LOCAL.search(text, max(0, sign - 64), sign)
            domain = _DOMAIN.match(text, sign + 1)
            if local and domain:
                start = sign - len(local.group().lstrip(_EDGES))
                if start < sign:
                    yield Bid(
                        start,
                        domain.end(),
                        ReferenceKind.EMAIL,
                        0.99,
                        self.name,
                        "a mailbox at a domain",
                    )
            sign = text.find("@", sign + 1)


DECLARATION = DetectorDeclaration(
    key="emails",
    doc="e-mail addresses, also spelt out",
    kinds=(ReferenceKind.EMAIL,),
    basis=Basis.FORM,
    make=Emails,
    order=20,
)
