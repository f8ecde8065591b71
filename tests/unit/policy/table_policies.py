"""A small policy of several tables to change, and such policies that hold together for
Hypothesis."""

import copy
from dataclasses import replace

import policies
from hypothesis import assume
from hypothesis import strategies as st

from sfumato.policy import (
    BUILT_IN,
    DateShift,
    Field,
    Link,
    Method,
    Order,
    Orphans,
    Policy,
    RecipientProfile,
    Replacement,
    Requirements,
    Role,
    RowCountMerging,
    RowCountPolicy,
    SolveSettings,
    TablePolicy,
)
from sfumato.policy.table_names import fields_by_table, readings
from sfumato.protection import KMRequirement

NUMBER = {"role": "direct", "replace": "number"}
HOSPITAL = {
    "entity": "patients.patient_id",
    "tables": {
        "patients": {
            "key": "patient_id",
            "fields": {
                "patient_id": NUMBER,
                "name": "direct",
                "birth": "quasi",
                "blood": "sensitive",
            },
        },
        "visits": {
            "key": "visit_id",
            "links": {
                "patient_id": "patients.patient_id",
                "physician_id": "physicians.physician_id",
            },
            "fields": {
                "visit_id": NUMBER,
                "patient_id": NUMBER,
                "physician_id": NUMBER,
                "admitted": {"role": "insensitive", "shift": {"days": 30}},
            },
        },
        "diagnoses": {
            "links": {"visit_id": "visits.visit_id"},
            "fields": {"visit_id": "direct", "code": "insensitive", "grade": "insensitive"},
        },
        "physicians": {
            "key": "physician_id",
            "fields": {"physician_id": NUMBER, "specialty": "insensitive"},
        },
    },
    "require": {"k": 5},
}


def hospital(changes=(), /, **top):
    """The hospital with some of it changed: keys of `changes` are places such as
    "visits.fields.ward", None removes."""
    out = copy.deepcopy(HOSPITAL) | top
    for place, value in dict(changes).items():
        *above, last = place.split(".")
        table = out["tables"]
        for part in above:
            table = table.setdefault(part, {})
        if value is None:
            del table[last]
        else:
            table[last] = value
    return out


def told(given):
    """The only problem of a policy."""
    return policies.only_problem(given)


one_to_one = st.one_of(
    st.sampled_from([Method.HASH, Method.LOOKUP, Method.MADE_UP, Method.NUMBER]).map(
        lambda m: Replacement(method=m)
    ),
    st.builds(Replacement, method=st.just(Method.SURROGATE), kind=policies.text),
)
row_counts = st.builds(
    RowCountPolicy,
    bin_size=st.none() | st.integers(2, 50),
    linking=st.none() | policies.shares,
    merging=st.sampled_from(RowCountMerging),
    together=st.booleans(),
).filter(lambda counts: not (counts.together and counts.linking == 0))


@st.composite
def plain_fields(draw, *, roles, taken):
    """Fields of some roles, without keys and links."""
    out = {}
    for name in draw(
        st.lists(policies.names.filter(lambda name: name not in taken), max_size=3, unique=True)
    ):
        role = draw(st.sampled_from(roles))
        hierarchy = draw(policies.hierarchies) if role is Role.QUASI else None
        method = draw(one_to_one) if role is Role.DIRECT else None
        out[name] = Field(
            name=name, role=role, hierarchy=hierarchy, replace=method, open=draw(st.booleans())
        )
    return out


@st.composite
def table_of(draw, name, *, parents, roles, entity=None):
    """A table that links to each of `parents`; dates are moved where it has an `entity`."""
    key = draw(policies.names)
    fields = {key: Field(name=key, role=Role.DIRECT, replace=draw(one_to_one))}
    links = []
    for parent in parents:
        own = draw(policies.names.filter(lambda name: name not in fields))
        kept = draw(st.sampled_from([parent.fields[parent.key].replace, Replacement()]))
        fields[own] = Field(name=own, role=Role.DIRECT, replace=kept)
        links.append(Link(field=own, table=parent.name, key=parent.key))
    fields |= draw(plain_fields(roles=roles, taken=frozenset(fields)))
    for field in fields.values() if entity else ():
        if field.role is Role.INSENSITIVE and draw(st.booleans()):
            fields[field.name] = replace(field, shift=DateShift(days=9, per=entity))
    orphans = draw(st.sampled_from(Orphans)) if links else Orphans.REFUSE
    return TablePolicy(name=name, fields=fields, key=key, links=tuple(links), orphans=orphans)


@st.composite
def databases(draw):
    """Tables whose links lead to the person's or to reference tables, in any order, and the person
    key."""
    first, second, *others = draw(st.lists(policies.names, min_size=2, max_size=5, unique=True))
    kept = (Role.SENSITIVE, Role.INSENSITIVE, Role.TEXT, Role.DIRECT)
    reference = draw(table_of(first, parents=(), roles=kept))
    above = draw(st.sampled_from([(), (reference,)]))
    person = draw(table_of(second, parents=above, roles=(*kept, Role.QUASI)))
    entity = f"{second}.{person.key}"
    person = replace(
        person,
        fields={
            name: replace(field, shift=DateShift(days=9, per=entity))
            if field.role is Role.INSENSITIVE
            else field
            for name, field in person.fields.items()
        },
    )
    roles = draw(st.sampled_from([kept, (*kept, Role.QUASI)]))
    lower = [person]
    for name in others:
        parents = [draw(st.sampled_from(lower)), *draw(st.sampled_from([(), (reference,)]))]
        table = draw(table_of(name, parents=parents, roles=roles, entity=entity))
        lower.append(replace(table, row_counts=draw(row_counts)))
    tables = draw(st.permutations([reference, *lower]))
    return {table.name: table for table in tables}, second, entity


@st.composite
def sets_of_values(draw, tables, person):
    """What is asked of one field of a table below the person's, and the table with a hierarchy for
    it."""
    able = [
        (table, field)
        for table in tables.values()
        if table.name != person and table.links
        for field in table.fields.values()
        if field.role in (Role.SENSITIVE, Role.INSENSITIVE) and field.shift is None
    ]
    if not able:
        return (), tables
    table, field = draw(st.sampled_from(able))
    asked = KMRequirement(
        k=draw(st.integers(2, 9)),
        m=draw(st.integers(1, 4)),
        table=table.name,
        field=field.name,
        within_bins=draw(st.booleans()),
    )
    changed = replace(field, hierarchy=draw(policies.hierarchies))
    table = replace(table, fields=dict(table.fields) | {field.name: changed})
    return (asked,) * draw(st.integers(1, 2)), dict(tables) | {table.name: table}


@st.composite
def policies_of_tables(draw):
    tables, person, entity = draw(databases())
    k_m, tables = draw(sets_of_values(tables, person))
    everywhere = [f"{name}.{field}" for name, table in tables.items() for field in table.fields]
    shares = st.dictionaries(
        st.sampled_from(everywhere) | st.sampled_from(list(tables[person].fields)), policies.shares
    )
    profile = RecipientProfile(name="me", linking=draw(shares), distortion=draw(shares))
    policy = Policy(
        fields={},
        tables=tables,
        require=Requirements(
            k=draw(st.integers(1, 9)), k_m=k_m, max_suppression=draw(policies.shares)
        ),
        recipients={**BUILT_IN, "me": profile},
        recipient=draw(st.sampled_from(["me", "public"])),
        solve=SolveSettings(solver=draw(st.sampled_from(["anytime", "optimal"]))),
        entity=entity,
        order=draw(st.sampled_from(Order)),
        other_fields=draw(st.sampled_from(["refuse", "remove"])),
        proposed=draw(st.booleans()),
    )
    names = fields_by_table(policy)
    assume(all(len(readings(name, names)) == 1 for name in everywhere))
    own = set(tables[person].fields)
    for given in (profile.linking, profile.distortion):
        assume(
            not any(
                name in own and (readings(name, names) or f"{person}.{name}" in given)
                for name in given
            )
        )
    return policy
