"""Sums of money and large quantities: not identifying alone, but a court's decision can be found by
them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .forms import bids_of, form
from .spoken_numbers import WORD

MONEY, LARGE, COUNTED = 0.42, 0.35, 0.25

_AMOUNT = r"(?:\d{1,3}(?:[,. ’']\d{3}){1,5}(?!\d)|\d{1,12})(?:[.,]\d{1,2}(?!\d))?"
_FIRST = r"\d(?<![\w.,/:-]\d)"
_REST = r"(?:(?:\d{0,2}(?:[,. ’']\d{3}){1,5}(?!\d)|\d{0,11})(?:[.,]\d{1,2}(?!\d))?)"
_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|Mio|Mrd|Tsd|millions?|milliards?|mln|bn|[kKM](?!\w))\.?)?"
CURRENCY_CODES = frozenset(
    "EUR USD GBP CHF SEK NOK DKK PLN CZK HUF RON ROL BGN BGL HRK TRL TRY YTL RUB RUR UAH "
    "JPY CNY RMB INR AUD CAD NZD "
    "ZAR BRL MXN ILS KRW SGD HKD DEM FRF ITL ESP PTE ATS BEF NLG FIM GRD IEP LUF CYP MTL "
    "SKK SIT EEK LVL LTL MDL GEL "
    "AMD AZN ALL MKD RSD BAM ISK ECU Rs DM FF SFr Kč Ft zł".split()
)
CURRENCY_NAMES = frozenset(
    "euro euros dollar dollars pound pounds cents pence franc francs mark marks zloty "
    "zlotys rouble roubles ruble "
    "rubles lira liras kronor kroner krona krone koruna korunas forint forints lei leu lev "
    "levs leva hryvnia hryvnias "
    "yen yuan rupee rupees peso pesos reals reais shekel shekels kuna kunas dinar dinars "
    "denar denars drachma "
    "drachmas guilder guilders schilling schillings peseta pesetas escudo escudos lats "
    "litas kroons tolars lari laris "
    "dram drams manat manats franken kronen złoty złotych bucks sterling".split()
)
LARGE_UNITS = frozenset(
    "hectare hectares ha acre acres dunam dunams decares tonne tonnes tons barrels "
    "kilometres kilometers km miles "
    "shares m² km² mph employees inhabitants residents".split()
)
_OTHER_WORDS = frozenset("ALL DM FF CAD SIT AMD ECU ESP BAM TRY SEK Rs Ft".split())
_GROUPED = re.compile(r"\d[,.’' ]\d")
_SQUARE = re.compile(
    r"sq(?:uare)?\.? ?(?:m|km|metres?|meters?|kilomet(?:re|er)s?|feet|ft|miles?)(?!\w)\.?"
)


def _is_money_before(match: re.Match[str]) -> bool:
    """ "ALL 5", "DM 2" and "CAD 2019" are no sums: codes that are other words too ask for a comma or
    point."""
    code = match["code"]
    return code in CURRENCY_CODES and (
        code not in _OTHER_WORDS or _GROUPED.search(match.group()) is not None
    )


def _is_money_after(match: re.Match[str]) -> bool:
    name = match["name"]
    return name in CURRENCY_CODES or name.lower() in CURRENCY_NAMES


def _is_large(match: re.Match[str]) -> bool:
    return match["name"] in LARGE_UNITS


_FORMS = (
    form(rf"[$€£¥₹₽₺₪₩](?<!\w.) ?{_AMOUNT}{_SCALE}", MONEY, "a sum of money"),
    form(
        rf"(?P<code>[A-Z](?<!\w[A-Z])[A-Za-zčł]{{1,2}})\.?\s{_AMOUNT}{_SCALE}",
        MONEY,
        "a sum of money after its currency",
        check=_is_money_before,
    ),
    form(
        rf"{_FIRST}{_REST}{_SCALE}\s?(?:[€£$](?!\w)|(?:[A-Z][a-z]{{2,11}}\s)?(?P<name>[^\W\d_]{{2,10}})"
        rf"(?:\ssterling)?(?:\s\([A-Z]{{3}}\))?)",
        MONEY,
        "a sum of money before its currency",
        check=lambda match: match["name"] is None or _is_money_after(match),
    ),
    form(
        rf"{_FIRST}{_REST}{_SCALE}\s(?P<name>[^\W\d_]{{2,11}}²?)(?!\w)",
        LARGE,
        "a large quantity",
        check=_is_large,
    ),
    form(rf"{_FIRST}{_REST}\s{_SQUARE.pattern}", LARGE, "an area"),
)


_ABOUT_BEFORE = re.compile(
    r"(?<!\w)(?:approximately|about|around|nearly|almost|some|over)\s\Z", re.IGNORECASE
)
_COUNTED = re.compile(
    r"[cdsbga](?<= [cdsbga])(?:(?<=c)hildren|(?<=d)aughters|(?<=s)ons|(?<=s)iblings|(?<=b)rothers|(?<=s)isters|"
    r"(?<=g)randchildren|(?<=d)efendants|(?<=a)pplicants)(?!\w)"
)
_COUNT_BEFORE = re.compile(
    rf"(?<![\w.,-])(?:\d{{1,3}}|{WORD}) (?:other |minor |small |young |adult )?\Z", re.IGNORECASE
)


class Quantities:
    """Money, areas and the like. A person's weight, dose or measurement is medicine and not looked
    for."""

    name = "quantities"

    def bid(self, document: Document) -> Iterable[Bid]:
        for bid in bids_of(_FORMS, document, ReferenceKind.QUANTITY, self.name):
            about = _ABOUT_BEFORE.search(document.text, max(0, bid.start - 16), bid.start)
            yield replace(bid, start=about.start()) if about else bid
        for match in _COUNTED.finditer(document.text):
            count = _COUNT_BEFORE.search(document.text, max(0, match.start() - 30), match.start())
            if count:
                reason = "how many relatives or parties there are"
                yield Bid(
                    count.start(), match.end(), ReferenceKind.QUANTITY, COUNTED, self.name, reason
                )


DECLARATION = DetectorDeclaration(
    key="quantities",
    doc="sums of money and large quantities; they score low",
    kinds=(ReferenceKind.QUANTITY,),
    basis=Basis.FORM,
    make=Quantities,
    order=200,
    gives_way_below=ALWAYS,
)
