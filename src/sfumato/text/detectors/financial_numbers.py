"""Financial numbers: payment cards (Luhn), IBAN (mod 97), BIC, bank accounts and sort codes after
their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..checksums import luhn, mod_97, weighted
from ..documents import Code, Document
from ..kinds import ReferenceKind
from .cued import CuedNumbers, cues
from .declaration import Basis, DetectorDeclaration
from .forms import bids_of, form
from .shapes import characters_of

IBAN_LENGTHS = {
    country: int(length)
    for length, countries in {
        "15": "NO", "16": "BE", "18": "DK FI FO GL NL", "19": "MK SI", "20": "AT BA EE KZ LT LU XK MN",
        "21": "CH HR LI LV", "22": "BG BH CR DE GB GE IE ME RS VA", "23": "AE GI IL IQ TL OM SO",
        "24": "AD CZ ES MD PK RO SA SE SK TN VG", "25": "LY PT ST", "26": "IS TR", "27": "BI DJ FR GR IT MC MR SM",
        "28": "AL AZ BY CY DO EG GT HU LB NI PL SV", "29": "BR PS QA UA", "30": "JO KW MU YE", "31": "MT SC",
        "32": "LC", "33": "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip
"""How long an IBAN of each country is (ISO 13616 registry)."""

_CARD = re.compile(r"\d(?<![\w.,/+-]\d)(?:[ -]?\d){11,18}(?![\w]|[-.,/]\d)")
_IBAN = re.compile(r"[A-Z](?<!\w[A-Z])[A-Z]\d\d(?:[ -]?[A-Z0-9]{1,4}){3,8}(?!\w)")
_CARD_WORDS = frozenset(
    "card cards credit debit visa mastercard amex american express maestro discover cc "
    "kreditkarte karte carte "
    "tarjeta carta cartão creditcard kort diners payment".split()
)
_BANK = CuedNumbers(
    name="financial numbers",
    kind=ReferenceKind.FINANCIAL_NUMBER,
    cues=cues(
        """
        0.92: iban, bank account, checking account, savings account, kontonummer, konto, routing, aba, sort code, blz
        0.92: bankleitzahl, bsb, clabe, rib, numéro de compte, número de cuenta, conto corrente, rekeningnummer
        0.92: bankgiro, credit card, debit card, card, kreditkarte, carte bancaire, tarjeta, carta di credito, wire
        0.92: transit, ifsc
        0.8: cc, cvv, cvc, pin, transaction, bitcoin, wallet, ethereum, sepa, mandate, depot
        """
    ),
    reason="follows the name of a bank account or card",
    digits=5,
)
_FORMS = (
    form(
        r"[A-Z](?<!\w[A-Z])[A-Z]{3}(?:AD|AE|AT|AU|BE|BG|BR|CA|CH|CN|CY|CZ|DE|DK|EE|ES|FI|FR|GB|GR|HK|HR|HU|IE|IL|IN"
        r"|IS|IT|JP|"
        r"KR|LI|LT|LU|LV|MC|MT|MX|NL|NO|NZ|PL|PT|RO|RU|SE|SG|SI|SK|TR|UA|US|ZA)(?:[A-Z]\d"
        r"|\d[A-Z0-9])(?:[A-Z0-9]{3})?(?!\w)",
        0.6,
        "the shape of a BIC",
    ),
    form(
        r"[BS](?<!\w\w)(?:IC|WIFT|IC/SWIFT|WIFT/BIC)(?:[- ]?[Cc]ode)?\s{0,2}[:#]?\s{0,3}"
        r"(?P<found>[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)(?!\w)",
        0.95,
        "follows BIC or SWIFT",
        needs="BIC|SWIFT",
    ),
    form(r"[13](?<!\w\w)[1-9A-HJ-NP-Za-km-z]{25,33}(?!\w)", 0.6, "the shape of a Bitcoin address"),
    form(r"0(?<!\w0)x[0-9a-fA-F]{40}(?!\w)", 0.9, "the shape of an Ethereum address", needs="0x"),
    form(
        r"b(?<!\wb)c1[02-9ac-hj-np-z]{25,60}(?!\w)",
        0.9,
        "the shape of a Bitcoin address",
        needs="bc1",
    ),
    form(
        r"[*xX•](?<![\w*•].)(?:[*xX•]{3}[ -]?){1,4}(?P<found>\d{4})(?!\w)",
        0.7,
        "the last digits of a card",
    ),
    form(
        r"[ceCE](?<!\w\w)(?:nds?|NDS?|ard|ARD|nding)(?: (?:in|ending in|ending"
        r"|ends in))[ :]{1,2}(?P<found>\d{4})(?!\w)",
        0.7,
        "the last digits of a card",
    ),
)


class FinancialNumbers:
    """Cards and IBANs by their check digits; the rest by the words before them."""

    name = "financial numbers"

    def bid(self, document: Document) -> Iterable[Bid]:
        yield from self._cards(document)
        yield from self._ibans(document.text)
        yield from self._routing(document)
        yield from _BANK.bid(document)
        yield from bids_of(_FORMS, document, ReferenceKind.FINANCIAL_NUMBER, self.name)

    def _cards(self, document: Document) -> Iterator[Bid]:
        for match in _CARD.finditer(document.text):
            digits = characters_of(match.group())
            before = document.text[max(0, match.start() - 40) : match.start()].lower()
            named = not _CARD_WORDS.isdisjoint(re.split(r"\W+", before))
            if (
                len(digits) > 11
                and luhn(digits)
                and (named or (digits[0] in "23456" and len(digits) >= 13))
            ):
                yield Bid(
                    *match.span(),
                    ReferenceKind.FINANCIAL_NUMBER,
                    0.97,
                    self.name,
                    "a card number, check digit agrees",
                )
            elif named:
                yield Bid(
                    *match.span(),
                    ReferenceKind.FINANCIAL_NUMBER,
                    0.85,
                    self.name,
                    "follows a word for a card",
                )

    def _ibans(self, text: str) -> Iterator[Bid]:
        for match in _IBAN.finditer(text):
            length = IBAN_LENGTHS.get(match.group()[:2])
            end = _end_of(text, match.start(), match.end(), length) if length else None
            if end is not None:
                agrees = mod_97(characters_of(text[match.start() : end]))
                reason = "an IBAN, check digits agree" if agrees else "the shape of an IBAN"
                yield Bid(
                    match.start(),
                    end,
                    ReferenceKind.FINANCIAL_NUMBER,
                    0.99 if agrees else 0.8,
                    self.name,
                    reason,
                )

    def _routing(self, document: Document) -> Iterator[Bid]:
        for code in document.codes:
            if len(code.text) == 9 and _is_routing(code):
                yield Bid(
                    code.start,
                    code.end,
                    ReferenceKind.FINANCIAL_NUMBER,
                    0.95,
                    self.name,
                    "a bank's routing number",
                )


def _is_routing(code: Code) -> bool:
    named = not frozenset(("routing", "aba", "rtn")).isdisjoint(code.before)
    return named and code.text.isdecimal() and weighted(code.text, (3, 7, 1) * 3) % 10 == 0


def _end_of(text: str, start: int, end: int, length: int) -> int | None:
    """Where an IBAN of its country's length ends; the pattern may have taken the next words with
    it."""
    seen = 0
    for place in range(start, end):
        seen += text[place].isalnum()
        if seen == length:
            return place + 1 if place + 1 >= len(text) or not text[place + 1].isalnum() else None
    return None


DECLARATION = DetectorDeclaration(
    key="financial numbers",
    doc="payment cards, IBAN, BIC and bank accounts",
    kinds=(ReferenceKind.FINANCIAL_NUMBER,),
    basis=Basis.FORM,
    make=FinancialNumbers,
    order=130,
    gives_way_below=0.6,
)
