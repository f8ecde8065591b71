"""Reading and writing `[tables_of_counts]`: the decisions about contingency tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import is_list, is_number

from .decided_fields import FieldDecisions, names_in, read_decisions
from .synthesis_section import DELTA, domains_of, parsed_file, read_never, value_text
from .table_cursor import Reader, joined

METHODS: Final = ("private", "suppress", "round", "swap", "cell_key")
TOTAL: Final = "Total"
"""The label of a sum over a field, and of the whole area."""
OTHER: Final = "*"
AREAS_FILE: Final = "areas.csv"
_COMMON: Final = frozenset(
    {"method", "fields", "tables", "levels", "areas", "entity", "rows_per_person", "domains"}
)
_KEYS: Final = {
    "private": {
        "epsilon",
        "delta",
        "account",
        "limit",
        "people",
        "invariants",
        "shares",
        "never",
    },
    "suppress": {"threshold", "p_percent", "dominance", "measure", "decimals", "protect", "never"},
    "round": {"base", "measure", "decimals"},
    "swap": {"rate", "match", "within", "threshold"},
    "cell_key": {"largest_noise", "variance", "fewest_shown", "threshold", "key"},
}
_NAMES: Final = "a table of counts would show who is in it"
_OFFER = 'sex = ["F", "M"] or age = { cuts = [15, 30, 65] }'


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedDomain:
    """The classes of a field: values that are listed, or numbers between cuts. With `other`, all
    other values and missing ones are counted as `*`; without it, their rows are left out."""

    values: tuple[str, ...] = field(default=(), repr=False)
    cuts: tuple[float, ...] = ()
    other: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes in order.

        Example:
            >>> CountedDomain(cuts=(15, 65)).labels
            ('under 15', '15 to under 65', '65 and over')
        """
        last = (OTHER,) if self.other else ()
        if self.values:
            return (*self.values, *last)
        ends = [f"{cut:g}" for cut in self.cuts]
        inner = [f"{low} to under {high}" for low, high in pairwise(ends)]
        return (f"under {ends[0]}", *inner, f"{ends[-1]} and over", *last)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesOfCounts:
    """Contingency tables of one source: what is counted, over which areas, and how the counts are
    protected.

    `levels` name the areas from the largest to the smallest; the last is a field of the source.
    `areas` is a public file with the area that contains each area. `tables` are the fields that are
    crossed; tables that share fields are protected together. `entity` identifies the person of a
    row, and `rows_per_person` is how many rows of each are counted. `measure` is a field that is
    summed. `never` has combinations of classes that cannot be, which everybody knows."""

    method: str
    fields: tuple[str, ...] = ()
    tables: tuple[tuple[str, ...], ...] = ()
    levels: tuple[str, ...] = ()
    areas: str = ""
    entity: str = ""
    rows_per_person: int = 1
    domains: Mapping[str, CountedDomain] = field(default_factory=dict, repr=False)
    never: tuple[Mapping[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    epsilon: float = 1.0
    delta: float = DELTA
    account: str = ""
    limit: float | None = None
    people: int | None = None
    invariants: tuple[str, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)
    threshold: int = 5
    p_percent: float | None = None
    dominance: tuple[int, float] | None = None
    measure: str = ""
    decimals: int = 0
    protect: float = 0.2
    base: int = 5
    rate: float = 0.1
    match: tuple[str, ...] = ()
    within: str = ""
    largest_noise: int = 5
    variance: float = 2.0
    fewest_shown: int = 2
    key: str = ""
    name: str = "policy"
    folder: Path = field(default_factory=Path)

    @property
    def is_private(self) -> bool:
        return self.method == "private"


def read_tables_of_counts(
    source: str | Path | Mapping[str, object], *, name: str = "", folder: Path | None = None
) -> TablesOfCounts:
    """The policy in a TOML file, or in a dict of the same form; every problem is reported at once.

    Example:
        >>> given = {"method": "suppress", "fields": ["sex"], "threshold": 3}
        >>> read_tables_of_counts({"tables_of_counts": given}).tables
        (('sex',),)
    """
    if isinstance(source, Mapping):
        table, name, folder = source, name or "policy", folder or Path()
    else:
        path = Path(source)
        name, folder = name or path.name, folder or path.parent
        table = parsed_file(path, name)
    problems: list[Problem] = []
    top = Reader(table, where="", problems=problems)
    reader = top.table("tables_of_counts")
    if reader is None:
        top.report(
            "tables_of_counts",
            "It is missing.",
            attempt='[tables_of_counts] with method = "private" or "suppress".',
        )
        raise PolicyError(problems, name=f"Policy {name}")
    decided = read_decisions(top, folder=folder)
    top.close()
    given = reader.raw
    reader = Reader(_with_decisions(given, decided), where=reader.where, problems=problems)
    policy = _policy(reader, name=name, folder=folder)
    reader.close()
    named = (*policy.fields, *filter(None, [policy.measure]))
    problems.extend(decided.naming_problems("tables_of_counts", named, _NAMES))
    problems.extend(_contradictions(policy, given) if not problems else ())
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return policy


def _with_decisions(section: Mapping[str, object], decided: FieldDecisions) -> dict[str, object]:
    """A section with what the rest of the policy decides: whose a row is, and the listed values of
    fields that are counted."""
    out = dict(section)
    if decided.entity:
        out.setdefault("entity", decided.entity)
    given = section.get("domains", {})
    tables = section.get("tables")
    counted = names_in(section, "fields")
    for each in tables if is_list(tables) else ():
        counted += names_in({"fields": each}, "fields")
    listed = {
        name: values
        for name, values in decided.domains_beside(names_in(section, "domains")).items()
        if name in counted and is_list(values)
    }
    if listed and isinstance(given, Mapping):
        out["domains"] = {**given, **listed}
    return out


def _policy(reader: Reader, *, name: str, folder: Path) -> TablesOfCounts:
    if "method" not in reader.raw:
        reader.report("method", "It is missing.", attempt=f"one of {', '.join(METHODS)}.")
    if reader.raw.get("method") == "private" and "epsilon" not in reader.raw:
        reader.report("epsilon", "It is missing.", attempt="epsilon = 1.0.")
    domains = domains_of(
        reader, _listed, _cut, found="It has no listed values and no cuts.", offer=_OFFER
    )
    tables = _tables(reader)
    crossed = dict.fromkeys(name for fields in tables for name in fields)
    fields = reader.names("fields") or tuple(crossed) or tuple(domains)
    decimals = reader.whole("decimals", least=0, most=6)
    protect = reader.number("protect", least=0.01, most=1.0)
    rate = reader.number("rate", least=0.001, most=1.0)
    shown = reader.whole("fewest_shown", least=0, most=20)
    return TablesOfCounts(
        method=reader.word("method", METHODS, "private"),
        fields=fields,
        tables=tables or ((fields,) if fields else ()),
        levels=reader.names("levels"),
        areas=reader.text("areas"),
        entity=reader.text("entity"),
        rows_per_person=reader.whole("rows_per_person", least=1, most=1_000) or 1,
        domains=domains,
        never=read_never(reader),
        epsilon=reader.number("epsilon", least=1e-6, most=100.0) or 1.0,
        delta=reader.number("delta", least=1e-15, most=1e-3) or DELTA,
        account=reader.text("account"),
        limit=reader.number("limit", least=1e-6, most=1_000.0),
        people=reader.whole("people", least=1),
        invariants=reader.names("invariants"),
        shares=reader.shares("shares"),
        threshold=reader.whole("threshold", least=1, most=10_000) or 5,
        p_percent=reader.number("p_percent", least=0.1, most=100.0),
        dominance=_dominance(reader),
        measure=reader.text("measure"),
        decimals=decimals or 0,
        protect=0.2 if protect is None else protect,
        base=reader.whole("base", least=2, most=10_000) or 5,
        rate=0.1 if rate is None else rate,
        match=reader.names("match"),
        within=reader.text("within"),
        largest_noise=reader.whole("largest_noise", least=1, most=50) or 5,
        variance=reader.number("variance", least=0.1, most=400.0) or 2.0,
        fewest_shown=2 if shown is None else shown,
        key=reader.text("key"),
        name=name,
        folder=folder,
    )


def _tables(reader: Reader) -> tuple[tuple[str, ...], ...]:
    given = reader.get("tables")
    if given is None:
        return ()
    several: list[Any] = list(given) if is_list(given) else [None]
    if not all(
        is_list(each) and each and all(isinstance(n, str) for n in each) for each in several
    ):
        reader.report(
            "tables",
            "It is no list of lists of fields.",
            attempt='[["sex", "age"], ["sex", "race"]].',
        )
        return ()
    return tuple(tuple(each) for each in several)


def _dominance(reader: Reader) -> tuple[int, float] | None:
    section = reader.table("dominance")
    if section is None:
        return None
    n, k = section.whole("n", least=1, most=20), section.number("k", least=1.0, most=99.9)
    section.close()
    if n is None or k is None:
        reader.report("dominance", "A part is missing.", attempt="dominance = { n = 2, k = 85 }.")
        return None
    return n, k


def _listed(given: object) -> CountedDomain | None:
    assert isinstance(given, list | tuple)
    texts = tuple(value_text(each) for each in given)
    values = tuple(text for text in texts if text != OTHER)
    if not values or len(set(texts)) < len(texts) or {"", TOTAL} & set(texts):
        return None
    return CountedDomain(values=values, other=OTHER in texts)


def _cut(given: object) -> CountedDomain | None:
    if not isinstance(given, Mapping) or not {"cuts"} <= given.keys() <= {"cuts", "other"}:
        return None
    cuts: Any = given["cuts"]
    other = given.get("other", False)
    if (
        not is_list(cuts)
        or not cuts
        or not all(is_number(cut) for cut in cuts)
        or not isinstance(other, bool)
    ):
        return None
    numbers = tuple(float(str(each)) for each in cuts)
    if any(low >= high for low, high in pairwise(numbers)):
        return None
    return CountedDomain(cuts=numbers, other=other)


def _contradictions(policy: TablesOfCounts, raw: Mapping[str, object]) -> Iterator[Problem]:
    here = "tables_of_counts"
    allowed = _COMMON | _KEYS[policy.method]
    for key in raw:
        if key not in allowed:
            owners = " and ".join(each for each, keys in _KEYS.items() if key in keys)
            yield Problem(
                where=joined(here, key),
                found=f"The method {policy.method} has no use for it; {owners} has.",
                attempt="leaving it out.",
            )
    if not policy.fields and not policy.levels:
        yield Problem(
            where=f"{here}.fields", found="Nothing is counted.", attempt='fields = ["sex", "age"].'
        )
    named = [*policy.fields, *policy.levels, *filter(None, [policy.entity, policy.measure])]
    for name in sorted({name for name in named if named.count(name) > 1}):
        yield Problem(where=joined(here, name), found=f"{name} is named twice.")
    crossed = {name for fields in policy.tables for name in fields}
    for name in sorted(crossed ^ set(policy.fields)):
        yield Problem(
            where=f"{here}.tables", found=f"{name} is in fields or in tables, not in both."
        )
    for name in sorted(set(policy.domains) - set(policy.fields)):
        yield Problem(where=joined(f"{here}.domains", name), found="It is not among the fields.")
    if policy.areas and not policy.levels:
        yield Problem(
            where=f"{here}.areas",
            found="No levels are named.",
            attempt='levels = ["state", "county"].',
        )
    yield from _rule_problems(policy)
    yield from (_private if policy.is_private else _classical)(policy)


def _rule_problems(policy: TablesOfCounts) -> Iterator[Problem]:
    """Rules about classes that the policy does not list would rule out nothing."""
    for number, rule in enumerate(policy.never):
        where = f"tables_of_counts.never[{number}]"
        if len(rule) < 2:
            yield Problem(where=where, found="A rule is about two fields or more.")
        for name, values in rule.items():
            domain = policy.domains.get(name)
            if domain is None or not set(values) <= set(domain.labels) - {OTHER} or not values:
                yield Problem(
                    where=joined(where, name),
                    found="It names classes that are not in a declared domain.",
                    attempt=f"the classes of tables_of_counts.domains.{name}, as the table has "
                    "them.",
                )


def _private(policy: TablesOfCounts) -> Iterator[Problem]:
    here = "tables_of_counts"
    for name in policy.fields:
        if name not in policy.domains:
            yield Problem(
                where=joined(f"{here}.domains", name),
                found=f"Nobody has said which values {name} may have.",
                attempt=f"{_OFFER}; a domain that is read from the rows reveals who has a value "
                "alone.",
            )
    if policy.levels and not policy.areas:
        yield Problem(
            where=f"{here}.areas",
            found="A private table takes its areas from a public file, never from the rows.",
            attempt='areas = "areas.csv", with one column for each level.',
        )
    if len(policy.tables) > 1:
        yield Problem(
            where=f"{here}.tables",
            found="A private table is one cross of all fields, which has all their margins.",
            attempt="fields in place of tables.",
        )
    for name in policy.invariants:
        if name not in (*policy.levels, TOTAL):
            yield Problem(
                where=f"{here}.invariants",
                found=f"{name} is no level.",
                attempt=f'"{TOTAL}" or one of {", ".join(policy.levels)}.',
            )
    levels = (TOTAL, *policy.levels)
    if policy.shares and (
        set(policy.shares) != set(levels)
        or min(policy.shares.values()) <= 0
        or abs(sum(policy.shares.values()) - 1) > 1e-9
    ):
        yield Problem(
            where=f"{here}.shares",
            found="Each level has a share of the budget above 0, and together they are 1.",
            attempt=f"shares = {{ {_even_shares(levels)} }}.",
        )
    if policy.limit is not None and (not policy.account or policy.limit < policy.epsilon):
        yield Problem(
            where=f"{here}.limit",
            found="A limit is the epsilon of an account, and at least that of this release.",
            attempt='account = "people.account" and a higher limit.',
        )


def _even_shares(levels: Sequence[str]) -> str:
    """Shares that are about alike and together 1, as a policy writes them."""
    each = round(1 / len(levels), 2)
    first = round(1 - each * (len(levels) - 1), 2)
    return ", ".join(f"{name} = {first if name == levels[0] else each:g}" for name in levels)


def _classical(policy: TablesOfCounts) -> Iterator[Problem]:
    here = "tables_of_counts"
    if policy.method == "suppress" and not policy.measure:
        if policy.p_percent is not None or policy.dominance is not None:
            yield Problem(
                where=f"{here}.measure",
                found="The p % rule and dominance are about sums, and nothing is summed.",
                attempt='measure = "turnover", or threshold alone.',
            )
        if policy.threshold < 2:
            yield Problem(
                where=f"{here}.threshold", found="Every count reaches it.", attempt="threshold = 5."
            )
    if policy.method == "swap":
        if not policy.levels:
            yield Problem(
                where=f"{here}.levels",
                found="Records swap their areas, and no areas are named.",
                attempt='levels = ["state", "county"].',
            )
        if policy.within and policy.within not in policy.levels[:-1]:
            yield Problem(where=f"{here}.within", found="It is no level above the smallest areas.")
        for name in sorted(set(policy.match) - set(policy.fields)):
            yield Problem(where=f"{here}.match", found=f"{name} is not among the fields.")
    if policy.method in ("swap", "cell_key", "round") and policy.rows_per_person > 1:
        yield Problem(
            where=f"{here}.rows_per_person",
            found=f"The method {policy.method} counts each person once.",
            attempt="rows_per_person = 1.",
        )
    if policy.key and not policy.entity:
        yield Problem(
            where=f"{here}.key",
            found="A person's number follows from the key and the entity, which is missing.",
            attempt='entity = "person".',
        )


def tables_of_counts_as_table(policy: TablesOfCounts) -> dict[str, object]:
    """The policy in the form of the file, as far as its method reads it and without paths. The areas
    are those that are released beside the table."""
    out: dict[str, object] = {"method": policy.method, "fields": list(policy.fields)}
    if policy.tables and policy.tables != (policy.fields,):
        out["tables"] = [list(fields) for fields in policy.tables]
    for key in ("levels", "entity"):
        if getattr(policy, key):
            value = getattr(policy, key)
            out[key] = list(value) if isinstance(value, tuple) else value
    if policy.areas:
        out["areas"] = AREAS_FILE
    out["rows_per_person"] = policy.rows_per_person
    for key in sorted(
        _KEYS[policy.method] - {"account", "limit", "key", "dominance", "shares", "never"}
    ):
        value = getattr(policy, key)
        if value not in (None, "", ()):
            out[key] = list(value) if isinstance(value, tuple) else value
    if policy.never:
        out["never"] = [{name: list(own) for name, own in rule.items()} for rule in policy.never]
    if policy.shares:
        out["shares"] = dict(policy.shares)
    if policy.dominance is not None:
        out["dominance"] = {"n": policy.dominance[0], "k": policy.dominance[1]}
    out["domains"] = {name: _domain_as_table(each) for name, each in policy.domains.items()}
    return {"tables_of_counts": out}


def _domain_as_table(domain: CountedDomain) -> object:
    if domain.values:
        return [*domain.values, *([OTHER] if domain.other else [])]
    return {"cuts": list(domain.cuts), **({"other": True} if domain.other else {})}
