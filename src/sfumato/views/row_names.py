"""Names of a person's rows that several releases share: by the pseudonym of a visit, whoever holds two releases
joins them visit by visit. The joint verdict compares people by the rows of each release, not by rows so joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.errors import Mistake
from sfumato.policy import Field, Method, Policy
from sfumato.wording import some_of

_MOST_NAMED = 3


def check_rows_apart(policy: Policy, group: Sequence[str], *, has_key: bool, request: str) -> None:
    """Refuse several profiles of linked tables whose rows below the person have one name in all of them."""
    names = list(shared_row_names(policy, has_key=has_key)) if len(group) > 1 else []
    if names:
        raise Mistake(
            f"{request}: {', '.join(group)}.",
            found=f"{some_of(names, _MOST_NAMED)} would be the same in each release. Whoever holds two of them joins "
            "the rows of a person one by one, which nobody judges.",
            attempt='role = "direct" with replace = "number", which differs in each release, removing the field, or '
            "--apart for recipients who share nothing.",
        )


def shared_row_names(policy: Policy, *, has_key: bool) -> Iterator[str]:
    """The fields that name rows below the person's, and that are alike in each release."""
    person, _, key = (policy.entity or "").partition(".")
    for name in _tables_below(policy, person):
        table = policy.tables[name]
        of_person = {each.field for each in table.links if (each.table, each.key) == (person, key)}
        for field, decided in table.fields.items():
            if field not in of_person and _is_shared(decided, has_key=has_key):
                yield f"{name}.{field}"


def _tables_below(policy: Policy, person: str) -> Iterator[str]:
    """The tables whose rows link to the person's, over other tables too; those of nobody are not among them."""
    reached, found = {person}, True
    while found:
        found = False
        for name, table in policy.tables.items():
            if name not in reached and any(each.table in reached for each in table.links):
                reached.add(name)
                found = True
                yield name


def _is_shared(decided: Field, *, has_key: bool) -> bool:
    """Whether a key has one name in each release. Policies release no key as it is."""
    method = decided.replace.method if decided.replace is not None else Method.REMOVE
    keyed = (Method.HASH, Method.MADE_UP, Method.SURROGATE)
    return method is Method.LOOKUP or (has_key and method in keyed)
