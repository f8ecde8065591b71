"""The policy of keyword arguments for several tables: `release({"patients": …, "visits": …},
quasi={"patients": ["age"], "visits": ["ward"]}, k=5)`.

A survey finds keys and links. Where the link from a table to its people is uncertain, the release
is refused: a wrong link counts the wrong people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sfumato import surveys
from sfumato.engines import Database, TableView
from sfumato.errors import PolicyError, Problem
from sfumato.parts import with_question
from sfumato.policy import Method, Role, SourceFormat, policy_from_table, readings, source_as_table

from .keyword_policy import KeywordPolicy, PolicyKeywords, decide_unnamed, quasi_entries

if TYPE_CHECKING:
    from sfumato.surveys import FieldSurvey, FoundLink, TablesSurvey, TableSurvey

Names = Mapping[str, tuple[str, ...]]
"""The fields of each table."""
Named = dict[tuple[str, str], Any]
"""The role given for each field, by table and field."""

_OFFER = (
    'sfumato.survey(tables).policy.save("policy.toml"); correct its entity and links, then '
    'sfumato.release(tables, "policy.toml").'
)


def policy_of_table_keywords(
    database: Database,
    keywords: PolicyKeywords,
    *,
    format: SourceFormat,
    progress: Callable[[str], None],
) -> KeywordPolicy:
    """The policy for several tables that are open. PolicyError with every name that does not fit
    and every link that is not certain."""
    names = {
        table: tuple(info.name for info in database.view(TableView(table=table)).fields())
        for table in database.tables()
    }
    problems: list[Problem] = []
    roles = _roles(keywords, names, problems)
    hierarchies = _given_hierarchies(keywords, names, problems)
    keep = _fields("keep", keywords.keep, names, problems)
    _refuse(problems)
    found = surveys.survey_tables(database, max_combination=1, progress=progress)
    _refuse([*_wrong_entity(keywords, found), *_doubts(found, roles), *_joins_named(found, roles)])
    surveyed: dict[str, str] = {}
    tables = {
        item.name: _one_table(database, item, roles, hierarchies, surveyed)
        for item in found.released
    }
    usual = {} if keywords.models else {"k": max(1, min(surveys.K, found.person.survey.rows))}
    source = source_as_table(format)
    policy = policy_from_table(
        {
            **({} if keywords.models or keywords.records else {"proposed": True}),
            "entity": found.entity,
            **({"source": source} if source else {}),
            **({"keep": [".".join(name) for name in keep]} if keep else {}),
            "tables": tables,
            "require": {"max_suppression": surveys.MAX_SUPPRESSION, **usual, **keywords.require},
        }
    )
    return KeywordPolicy(policy=policy, surveyed=surveyed, reviews=tuple(_guessed(found)))


def _refuse(problems: list[Problem]) -> None:
    if problems:
        raise PolicyError(problems, name="The call of sfumato.release")


# ------------------------------------------------------------------------------------------------
# names of fields


def _roles(keywords: PolicyKeywords, names: Names, problems: list[Problem]) -> Named:
    out: Named = {}
    for role, given in keywords.roles.items():
        for name in _fields(role, given, names, problems):
            if out.get(name, role) != role:
                found = f"{'.'.join(name)} is named as {out[name]} too."
                problems.append(Problem(where=role, found=found, attempt="one role for a field."))
            out[name] = role
    return out


def _given_hierarchies(
    keywords: PolicyKeywords, names: Names, problems: list[Problem]
) -> dict[tuple[str, str], Any]:
    """Hierarchies by table and field: `{"patients.age": …}`, or `{"patients": {"age": …}}`."""
    out: Named = {}
    for key, value in keywords.hierarchies.items():
        nested = key in names and isinstance(value, Mapping)
        each = {f"{key}.{field}": own for field, own in value.items()} if nested else {key: value}
        for name, own in each.items():
            for place in _fields("hierarchies", [name], names, problems):
                out[place] = own
    return out


def _fields(
    where: str, given: Any, names: Names, problems: list[Problem]
) -> tuple[tuple[str, str], ...]:
    """Table and field of each name: a mapping from tables to lists, or a list of TABLE.FIELD. A
    field that only one table has needs no table."""
    if not isinstance(given, Mapping):
        return tuple(_listed(where, given, names, problems))
    out: list[tuple[str, str]] = []
    for table, fields in given.items():
        if table in names:
            out += _listed(f"{where}.{table}", fields, {table: names[table]}, problems)
        else:
            found = with_question(f'There is no table "{table}".', str(table), tuple(names))
            problems.append(
                Problem(where=where, found=found, attempt=f"one of {', '.join(names)}.")
            )
    return tuple(out)


def _listed(
    where: str, given: Any, names: Names, problems: list[Problem]
) -> Iterator[tuple[str, str]]:
    if isinstance(given, str):
        given = [part.strip() for part in given.split(",")]
    if isinstance(given, Mapping) or not hasattr(given, "__iter__"):
        found = "It must be a list of names of fields."
        problems.append(Problem(where=where, found=found, attempt=_example(names)))
        return
    for label in given:
        name = str(label)
        own = readings(name, names) or tuple(
            (table, name) for table, fields in names.items() if name in fields
        )
        if len(own) == 1:
            yield own[0]
            continue
        problems.append(_not_one(where, name, own, names))


def _not_one(where: str, name: str, own: tuple[tuple[str, str], ...], names: Names) -> Problem:
    """A name that no table has, or several."""
    if own:
        tables = " and ".join(table for table, _ in own)
        offer = " or ".join(f'"{table}.{field}"' for table, field in own)
        return Problem(where=where, found=f"{name} is a field of {tables}.", attempt=f"{offer}.")
    every = tuple(f"{table}.{field}" for table, fields in names.items() for field in fields)
    near = every if "." in name else tuple(field for fields in names.values() for field in fields)
    found = with_question(f'No table has a field "{name}".', name, near)
    return Problem(where=where, found=found, attempt="" if "mean" in found else _example(names))


def _example(names: Names) -> str:
    table, fields = next((item for item in names.items() if item[1]), ("TABLE", ("FIELD",)))
    return f'{{"{table}": ["{fields[0]}"]}}, or ["{table}.{fields[0]}"].'


# ------------------------------------------------------------------------------------------------
# whose the rows are


def _wrong_entity(keywords: PolicyKeywords, found: TablesSurvey) -> Iterator[Problem]:
    person = found.person
    if keywords.entity not in ("", found.entity, person.key):
        yield Problem(
            where="entity",
            found=f'"{keywords.entity}" was named, and the survey finds {found.entity}, which has '
            "one row for each person.",
            attempt=_OFFER,
        )


def _doubts(found: TablesSurvey, roles: Named) -> Iterator[Problem]:
    """Tables from which no link leads to a person, and links that are ambiguous."""
    for item in found.tables:
        if item.standing is surveys.RowOwner.LEFT_OUT:
            yield Problem(
                where=item.name,
                found=f"No link from {item.name} to {found.person.name} was found, so its "
                "rows belong to nobody.",
                attempt=f"the tables without {item.name}; or {_OFFER}",
            )
            continue
        for kept in item.links:
            others = [link.field for link in item.unused if _rivals(item, link, kept, roles)]
            if others:
                fields = " and ".join((kept.field, *others))
                direct = ", ".join(f'"{item.name}.{field}"' for field in others)
                yield Problem(
                    where=item.name,
                    found=f"{fields} have values of {kept.target}, so either could identify "
                    "the person of a row.",
                    attempt=f"direct=[{direct}], which makes {kept.field} the link; or {_OFFER}",
                )


def _rivals(item: TableSurvey, link: FoundLink, kept: FoundLink, roles: Named) -> bool:
    """Whether a link that was not kept could be meant; not where the caller gave its field a
    role."""
    return (
        link.target == kept.target
        and link.exact >= kept.exact
        and (item.name, link.field) not in roles
    )


def _joins_named(found: TablesSurvey, roles: Named) -> Iterator[Problem]:
    """A key or a link joins tables, so it is direct and nothing else."""
    for item in found.released:
        for name in filter(None, (item.key, *(link.field for link in item.links))):
            role = roles.get((item.name, name), Role.DIRECT.value)
            if role != Role.DIRECT.value:
                yield Problem(
                    where=role,
                    found=f"{item.name}.{name} joins the tables, and cannot be {role}.",
                    attempt=f"leaving it out of {role}: it is replaced by a random number.",
                )


def _guessed(found: TablesSurvey) -> Iterator[str]:
    """Links with no evidence but values and similar names: a person has to confirm them."""
    for item in found.released:
        for link in item.links:
            if not link.exact:
                yield (
                    f"The survey takes {item.name}.{link.field} for a link to {link.target}, by its "
                    "values and a similar name. Confirm the policy if that is right."
                )


# ------------------------------------------------------------------------------------------------
# the tables of the policy


def _one_table(
    database: Database,
    item: TableSurvey,
    roles: Named,
    hierarchies: Named,
    surveyed: dict[str, str],
) -> dict[str, Any]:
    """One table of the policy; adds to `surveyed` what was decided about fields that nobody
    named."""
    engine = database.view(TableView(table=item.name))
    links = {link.field: link.target for link in item.links}
    fields: dict[str, dict[str, Any]] = {}
    for field in item.fields:
        place = (item.name, field.name)
        joined = _joined(item, field.name, links)
        if joined:
            fields[field.name] = {"role": Role.DIRECT.value, "replace": Method.NUMBER.value}
            surveyed[".".join(place)] = joined
            continue
        entries, why = _decided(item, field, given=roles.get(place))
        if why:
            surveyed[".".join(place)] = why
        if entries["role"] == Role.QUASI.value:
            entries |= quasi_entries(engine, field, given=hierarchies.get(place))
        fields[field.name] = entries
    return {
        **({"key": item.key} if item.key else {}),
        **({"links": links} if links else {}),
        **({"orphans": "remove"} if item.orphans else {}),
        "fields": fields,
    }


def _joined(item: TableSurvey, name: str, links: Mapping[str, str]) -> str:
    """A key or a link in words; empty for other fields."""
    if name in links:
        return f"link to {links[name]}, replaced (number)"
    if name == item.key and item.standing is surveys.RowOwner.PEOPLE:
        return "person key, replaced (number): it is different in every row"
    return "key, replaced (number): others link to it" if name == item.key else ""


def _decided(
    item: TableSurvey, field: FieldSurvey, *, given: str | None
) -> tuple[dict[str, Any], str]:
    removed = {"role": Role.DIRECT.value, "replace": Method.REMOVE.value}
    if given is not None:
        return (removed if given == Role.DIRECT.value else {"role": given}), ""
    if item.standing is surveys.RowOwner.REFERENCE:
        return removed, f"left out: the rows of {item.name} belong to nobody"
    return decide_unnamed(field, is_person=False)
