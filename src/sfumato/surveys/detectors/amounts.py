"""Amounts of money."""

from __future__ import annotations

import re

from ..records import LooksLike
from .detector import NameAndValues

_NUMBER = re.compile(
    r"[-+(]?\s?[$€£¥]?\s?\d{1,3}([,. "
    r"']?\d{3})*([.,]\d+)?\s?[$€£¥]?(k|eur|usd|gbp)?\)?|[-+]?\d+([.,]\d+)?",
    re.I,
)
_SUM = r"([$€£¥] ?\d[\d,.]*k?|\d[\d,.]* ?(k|[$€£¥]|eur|usd|gbp))"
_RANGE = re.compile(
    rf"([<>≤≥]=? ?|under |over |below |above |less than |more than )?{_SUM}"
    rf"( ?(-|–|to) ?{_SUM}| ?\+| or more| or less| and over)?",
    re.I,
)
_MONEY = re.compile(r"[-+(]?\s?([$€£¥]\s?\d[\d,. ']*|\d[\d,. ']*\s?([$€£¥]|eur|usd|gbp))\)?", re.I)


def is_amount(text: str) -> bool:
    """
    Example:
        >>> is_amount("$1,200.50"), is_amount("1.200,50 €"), is_amount("950"), is_amount("high")
        (True, True, True, False)
    """
    return _NUMBER.fullmatch(text) is not None


AMOUNT = NameAndValues(
    looks_like=LooksLike.AMOUNT,
    phrases=(
        "amount", "charge", "charges", "cost", "costs", "price", "income", "salary", "wage",
        "wages", "payment", "paid", "balance", "fee", "fees", "expense", "expenses",
        "expenditure", "spending", "budget", "wealth", "assets", "bens", "revenue", "bill",
        "billed", "loan", "debt", "tax", "rent", "pension", "capital gain", "capital loss",
        "earnings", "net worth", "coverage", "total paid", "pay", "compensation", "bonus",
        "stipend", "credit", "mortgage", "despesa", "renda", "gasto", "sueldo", "stipendio",
        "ausgaben", "gehalt", "einkommen", "lohn", "salaire", "revenu", "salario", "ingresos",
        "inkomen", "reddito", "usd", "eur", "hourly rate", "daily rate", "monthly rate",
        "pay rate", "wage rate", "salary hike", "pay raise", "stock option", "stock options",
        "shares", "dividend", "dividends", "dti", "fico", "credit score", "interest rate",
        "int rate", "installment", "instalment", "saving", "savings", "deposit", "withdrawal",
        "overdraft", "arrears", "delinquency", "delinquent", "accounts", "debit", "past due",
        "overdue", "repayment", "welfare", "benefit amount",
        "allowance", "subsidy", "scholarship", "tuition", "alimony", "child support", "premium",
        "claim amount", "refund", "purchase", "purchases", "spend", "spent", "property value",
        "home value", "house value", "turnover", "real earnings", "wealth index", "poverty",
        "vermogen", "miete", "loyer", "alquiler", "fortune", "patrimonio", "affitto",
    ),
    stems=("wage", "salar"),
    test=is_amount,
    unless=("degree", "desc", "description", "type", "method", "date", "case", "sewage", "juv", "juvenile"),
    values_are="numbers or sums of money",
    both=0.92,
    named=0.6,
    despite=0.28,
)  # fmt: skip
MONEY = NameAndValues(
    looks_like=LooksLike.AMOUNT,
    test=lambda text: _MONEY.fullmatch(text) is not None,
    values_are="sums with a currency",
    needed_alone=0.8,
    alone=0.85,
)

BRACKET = NameAndValues(
    looks_like=LooksLike.AMOUNT,
    phrases=(
        "income", "household income", "family income", "salary", "wage", "wages", "earnings",
        "wealth", "debt", "savings", "saving", "checking", "credit history", "credit rating",
        "credit standing", "bankruptcy", "bankrupt", "foreclosure", "poverty", "welfare",
        "food stamps", "loan", "mortgage", "stock option", "stock options", "einkommen",
        "gehalt", "revenu", "salaire", "ingresos", "renda", "reddito", "inkomen",
    ),
    unless=("type", "date", "source", "purpose", "number", "id"),
    named=0.66,
)  # fmt: skip
MONEY_RANGE = NameAndValues(
    looks_like=LooksLike.AMOUNT,
    test=lambda text: _RANGE.fullmatch(text.strip()) is not None,
    values_are="ranges of money",
    needed_alone=0.7,
    alone=0.75,
)

AMOUNTS = (AMOUNT, MONEY, BRACKET, MONEY_RANGE)
