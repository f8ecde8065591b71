"""Reading and writing `[tables_of_counts]`: the decisions about contingency tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import is_list, is_number

from .decided_fields import FieldDecisions, names_in, read_decisions
from .parameter_section import plain, read_values
from .synthesis_section import domains_of, parsed_file, read_never, value_text
from .table_cursor import Reader, joined
from .tabulation_methods import TABULATION_METHODS, TabulationMethod

TOTAL: Final = "Total"
"""The label of a sum over a field, and of the whole area."""
OTHER: Final = "*"
AREAS_FILE: Final = "areas.csv"
_COMMON: Final = frozenset(
    {"method", "fields", "tables", "levels", "areas", "entity", "rows_per_person", "domains"}
)
_NAMES: Final = "a table of counts would show who is in it"
PRIVATE_COUNTS: Final = "private"
"""The method in place of one that could not be read."""
_PATHS: Final = frozenset({"account", "limit", "key"})
"""Parameters of the holder's files, which are not in the policy that a manifest repeats."""
COUNTED_DOMAIN_EXAMPLE: Final = 'sex = ["F", "M"] or age = { cuts = [15, 30, 65] }'


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
    row, and `rows_per_person` is how many rows of each are counted. `settings` is the record of the
    method's own parameters."""

    method: str
    settings: Any = field(repr=False)
    fields: tuple[str, ...] = ()
    tables: tuple[tuple[str, ...], ...] = ()
    levels: tuple[str, ...] = ()
    areas: str = ""
    entity: str = ""
    rows_per_person: int = 1
    domains: Mapping[str, CountedDomain] = field(default_factory=dict, repr=False)
    name: str = "policy"
    folder: Path = field(default_factory=Path)

    @property
    def declaration(self) -> TabulationMethod:
        return TABULATION_METHODS[self.method]

    @property
    def measure(self) -> str:
        """The field that is summed; empty where rows are counted."""
        return str(getattr(self.settings, "measure", ""))

    @property
    def decimals(self) -> int:
        """The decimals of sums."""
        return int(getattr(self.settings, "decimals", 0))

    @property
    def never(self) -> tuple[Mapping[str, tuple[str, ...]], ...]:
        """Combinations of classes that cannot be, which everybody knows."""
        return tuple(getattr(self.settings, "never", ()))


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
    methods = tuple(TABULATION_METHODS)
    if "method" not in reader.raw:
        reader.report("method", "It is missing.", attempt=f"one of {', '.join(methods)}.")
    method = TABULATION_METHODS[reader.word("method", methods, PRIVATE_COUNTS)]
    domains = domains_of(
        reader,
        _listed,
        _cut,
        found="It has no listed values and no cuts.",
        offer=COUNTED_DOMAIN_EXAMPLE,
    )
    tables = _tables(reader)
    crossed = dict.fromkeys(name for fields in tables for name in fields)
    fields = reader.names("fields") or tuple(crossed) or tuple(domains)
    policy = TablesOfCounts(
        method=method.key,
        settings=method.record(**_parameters(reader, method, folder=folder)),
        fields=fields,
        tables=tables or ((fields,) if fields else ()),
        levels=reader.names("levels"),
        areas=reader.text("areas"),
        entity=reader.text("entity"),
        rows_per_person=reader.whole("rows_per_person", least=1, most=1_000) or 1,
        domains=domains,
        name=name,
        folder=folder,
    )
    for key in _of_other_methods(reader.raw, method):
        reader.get(key)
    return policy


def _parameters(reader: Reader, method: TabulationMethod, *, folder: Path) -> dict[str, Any]:
    """The method's own parameters. Where no method was named, none of them is missing."""
    own = {"never": read_never, "dominance": _dominance}
    before = len(reader.problems)
    out = read_values(reader, method.record, folder=folder, own=own)
    if reader.raw.get("method") != method.key:
        del reader.problems[before:]
    return out


def _of_other_methods(
    raw: Mapping[str, object], method: TabulationMethod
) -> dict[str, tuple[str, ...]]:
    """The parameters in a section that this method does not have, each with the methods that do."""
    out = {}
    for key in raw.keys() - _COMMON - method.parameter_names:
        owners = tuple(
            each.key for each in TABULATION_METHODS.all().values() if key in each.parameter_names
        )
        if owners:
            out[key] = owners
    return out


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
    for key, owners in sorted(_of_other_methods(raw, policy.declaration).items()):
        yield Problem(
            where=joined(here, key),
            found=f"The method {policy.method} has no use for it; {' and '.join(owners)} "
            f"{'has' if len(owners) == 1 else 'have'}.",
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
    if policy.declaration.one_row and policy.rows_per_person > 1:
        yield Problem(
            where=f"{here}.rows_per_person",
            found=f"The method {policy.method} counts each person once.",
            attempt="rows_per_person = 1.",
        )
    yield from _rule_problems(policy)
    yield from policy.declaration.check(policy)


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
    own = policy.settings
    apart = _PATHS | {"dominance", "shares", "never"}
    for key in sorted(policy.declaration.parameter_names - apart):
        value = getattr(own, key)
        if value not in (None, "", ()):
            out[key] = plain(value)
    if policy.never:
        out["never"] = [{name: list(own) for name, own in rule.items()} for rule in policy.never]
    if getattr(own, "shares", None):
        out["shares"] = dict(own.shares)
    if getattr(own, "dominance", None) is not None:
        out["dominance"] = {"n": own.dominance[0], "k": own.dominance[1]}
    out["domains"] = {name: _domain_as_table(each) for name, each in policy.domains.items()}
    return {"tables_of_counts": out}


def _domain_as_table(domain: CountedDomain) -> object:
    if domain.values:
        return [*domain.values, *([OTHER] if domain.other else [])]
    return {"cuts": list(domain.cuts), **({"other": True} if domain.other else {})}
