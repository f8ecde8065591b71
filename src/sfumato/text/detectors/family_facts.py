"""Facts of a family that single people out: "divorced", "mother of seven", "has five children".

They are masked where singling out is the purpose and somebody is named. The illnesses of a family
are medicine ("two brothers with diabetes", a family history) and stay, as obstetric history
does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .forms import matches_from

_NUMBER = (
    r"(?:\d{1,2}|twin|triplet|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen)"
)
_CHILDREN = (
    r"(?:(?:adult|grown|small|young|school-age|adopted|foster|living|healthy) )?"
    r"(?:children|kids|sons|daughters|boys|girls|grandchildren|step-?children|siblings|brothers|sisters)"
)
_STATUS = re.compile(
    r"(?i:(?<![\w-])(?P<found>(?:twice |recently |newly )?(?:divorced|widowed|remarried|widow|widower|divorcee)"
    r"|separated(?= from (?:his|her) (?:husband|wife|spouse)))(?![\w-]))"
)
_COUNTED = re.compile(
    rf"(?i:(?:(?<!\w)(?:has|have|had|got|with|raised|raising|and|of|her|his|their) )"
    rf"(?P<found>{_NUMBER} {_CHILDREN})(?!\w))"
)
_OF = re.compile(
    rf"(?i:(?<!\w)(?P<found>(?:mother|father|mom|dad|parent|grandmother|grandfather) of {_NUMBER}"
    rf"|(?:youngest|oldest|eldest|one) of {_NUMBER}(?: {_CHILDREN})?)(?!\w))"
)
_STATUS_WORDS = frozenset("divorced widowed remarried widow widower divorcee separated".split())
_STATUS_OPENS = _STATUS_WORDS.union(("twice", "recently", "newly"))
_COUNTED_OPENS = frozenset("has have had got with raised raising and of her his their".split())
_CHILDREN_WORDS = frozenset(
    "children kids sons daughters boys girls grandchildren stepchildren siblings brothers sisters".split()
)
_OF_OPENS = frozenset(
    "mother father mom dad parent grandmother grandfather youngest oldest eldest one".split()
)
_IS = re.compile(
    r"(?i)(?:\A|\n|[.;:,(/] ?|\b(?:is|was|are|were|been|am|a|and|now|being|status) )\Z"
)
_DISEASE = re.compile(
    r"(?i)[^.;\n]{0,12}\b(?:with|who (?:had|has|have|died)|died|deceased|had|have|has|diagnosed|"
    r"affected|alive and)\b"
)
_HISTORY = re.compile(r"(?i)\b(?:family history|fam\.? ?hx|fhx?|FH)\b[^\n]{0,160}\Z")


class FamilyFacts:
    """Looks for marital status beyond the usual, and for numbers of children and siblings."""

    name = "family facts"

    def bid(self, document: Document) -> Iterable[Bid]:
        text = document.text
        for pattern, opening, needed in (
            (_STATUS, _STATUS_OPENS, _STATUS_WORDS),
            (_COUNTED, _COUNTED_OPENS, _CHILDREN_WORDS),
            (_OF, _OF_OPENS, _OF_OPENS),
        ):
            for found in matches_from(pattern, document, opening) if document.has(needed) else ():
                start, end = found.span("found")
                if pattern is _STATUS and not _IS.search(text, max(0, start - 12), start):
                    continue  # "Her parents divorced" tells what happened, not what she is.
                if pattern is not _STATUS and _DISEASE.match(text, end, end + 60):
                    continue
                if not _HISTORY.search(text, max(0, start - 180), start):
                    yield Bid(
                        start,
                        end,
                        ReferenceKind.DEMOGRAPHIC,
                        0.55,
                        self.name,
                        "a fact of a family that singles people out",
                    )


DECLARATION = DetectorDeclaration(
    key="family facts",
    doc="family status and numbers of children",
    kinds=(ReferenceKind.DEMOGRAPHIC,),
    basis=Basis.WORDS,
    make=FamilyFacts,
    order=520,
    gives_way_below=ALWAYS,
)
