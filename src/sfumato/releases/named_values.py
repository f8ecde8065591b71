"""Values that a rule names, and that no cell has: a rule about values that nobody has protects nobody, and one about
another spelling of them neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from unicodedata import category, normalize

from sfumato.bins import Bins
from sfumato.engines import Engine
from sfumato.errors import Problem
from sfumato.policy import LooksAt, Policy, Role
from sfumato.wording import agreeing, counted

from .person_keys import number_readings

MOST_SPELLINGS = 100_000
"""Fields of more values are hardly judged by values."""


def spelled_alike(value: str) -> str:
    """A value without what two spellings of it may differ in.

    Example:
        >>> spelled_alike("Flu ") == spelled_alike("flu")
        True
    """
    visible = "".join(sign for sign in normalize("NFKC", value) if category(sign) != "Cf")
    return " ".join(visible.casefold().split())


def misspelled_values(
    engine: Engine, where: str, values: Sequence[str], fields: Sequence[str]
) -> Iterator[Problem]:
    """A problem for named values of a rule that no cell of its fields has, though cells have them in
    another spelling."""
    for labels in _labels(engine, fields):
        spelled = _as_number if all(map(number_readings, labels)) else spelled_alike
        alike = Counter(map(spelled, labels))
        missing = [value for value in values if value not in labels]
        found = sum(alike[spelled(value)] for value in missing)
        if found:
            yield Problem(
                where=f"{where}.values",
                found=f"{counted(len(missing), 'named value')} {agreeing(len(missing), 'occurs', 'occur')} in no "
                f"cell, and {counted(found, 'value')} of the source {agreeing(found, 'differs', 'differ')} from "
                "such a one only in case, blanks, invisible characters or the form of a number. The rule would "
                "limit none of them.",
                attempt="each value as the source writes it, or one spelling in the source.",
            )


def absent_value_warnings(engine: Engine, policy: Policy, kept: Sequence[str]) -> Iterator[str]:
    """Values that a rule names, and that occur in none of the fields it judges."""
    sensitive = [name for name in kept if policy.fields[name].role is Role.SENSITIVE]
    for declared, asked in policy.require.looking_at(LooksAt.SENSITIVE):
        values = getattr(asked, "values", ())
        fields = judged_fields(policy, asked, sensitive)
        if not values or not fields:
            continue
        labels = set().union(*_labels(engine, fields))
        missing = sum(value not in labels for value in values)
        if missing:
            yield (
                f"{declared.key} limits {counted(len(values), 'value')}, and {missing} of them "
                f"{agreeing(missing, 'occurs', 'occur')} in no cell of {', '.join(fields)}: the rule says nothing "
                "about other values."
            )


def _as_number(value: str) -> str:
    """Codes such as 401 and 401.0 are one value only in a field of numbers."""
    return next(iter(number_readings(value)), value)


def judged_fields(policy: Policy, asked: object, fields: Sequence[str]) -> list[str]:
    """Those of the fields that a rule judges by the values that it names."""
    named = getattr(asked, "fields", ())
    return [
        name
        for name in fields
        if (not named or name in named) and not policy.fields[name].value_steps
    ]


def _labels(engine: Engine, fields: Sequence[str]) -> Iterator[frozenset[str]]:
    for name in fields:
        if engine.profile(name).distinct <= MOST_SPELLINGS:
            labels = Bins.count(engine, (name,)).labels[0]
            yield frozenset(label for label in labels if label is not None)
