"""Reading and writing `[synthesis]`: the decisions about a private synthetic table."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar

from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import is_list
from sfumato.parts import ParameterKind, parameter

from .decided_fields import (
    FieldDecisions,
    decisions_of,
    extended,
    names_in,
    read_decisions,
)
from .parameter_section import read_values
from .table_cursor import Reader, joined

DELTA = 1e-9
Domain = TypeVar("Domain")
_OFFER = 'domain = ["F", "M"] or { least = 0, most = 110 }'


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredDomain:
    """The values that a field may have, independent of the rows: those listed, or numbers or days
    from `least` to `most` in steps."""

    values: tuple[str, ...] = field(default=(), repr=False)
    least: float = 0.0
    most: float = 0.0
    step: float = 1.0
    days: bool = False

    @property
    def is_range(self) -> bool:
        return not self.values


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SynthesisPolicy:
    """A private synthetic table: its privacy cost to a person, and the domains of its fields.

    `domains` are declared, `select` names fields whose values are selected privately, `leave_out`
    those that are not synthesised. `entity` identifies the person of a row; of each person
    `rows_per_person` are counted. `never` are combinations that cannot be. `account` is a file that
    continues from release to release, up to `limit`, an epsilon for all of them."""

    epsilon: float = parameter(
        "the most that the rows cost a person", least=1e-6, most=100.0, example="1.0"
    )
    delta: float = parameter("the delta of that", default=DELTA, least=1e-15, most=1e-3)
    entity: str = parameter(
        "whose a row is; without it, each row is a person", default="", kind=ParameterKind.FIELD
    )
    rows_per_person: int = parameter(
        "rows of a person that are counted", default=1, least=1, most=1_000
    )
    people: int | None = parameter(
        "about how many people there are, where that is public", default=None, least=1
    )
    domains: Mapping[str, DeclaredDomain] = parameter(
        "the values or the range of each field", default_factory=dict, kind=ParameterKind.TABLE
    )
    select: tuple[str, ...] = parameter(
        "fields whose values are selected privately", default=(), kind=ParameterKind.FIELDS
    )
    leave_out: tuple[str, ...] = parameter(
        "fields that are not synthesised", default=(), kind=ParameterKind.FIELDS
    )
    never: tuple[Mapping[str, tuple[str, ...]], ...] = parameter(
        "combinations that cannot be", default=(), kind=ParameterKind.TABLES
    )
    account: str = parameter(
        "the file that adds up what several releases cost", default="", kind=ParameterKind.FILE
    )
    limit: float | None = parameter(
        "the epsilon of all of them", default=None, least=1e-6, most=1_000.0
    )
    name: str = "policy"
    folder: Path = field(default_factory=Path)

    @property
    def fields(self) -> tuple[str, ...]:
        return (*self.domains, *self.select)


def read_synthesis(
    source: str | Path | Mapping[str, object], *, name: str = "", folder: Path | None = None
) -> SynthesisPolicy:
    """The policy in a TOML file, or in a dict of the same form; every problem is reported at once.

    Example:
        >>> read_synthesis({"synthesis": {"epsilon": 1, "domains": {"sex": ["F", "M"]}}}).fields
        ('sex',)
    """
    reader, problems, found = opened_section(source, folder=folder)
    name = name or found
    if folder is None:
        folder = Path() if isinstance(source, Mapping) else Path(source).parent
    if reader is None:
        raise PolicyError(problems, name=f"Policy {name}")
    policy = _policy(reader, name=name, folder=folder)
    reader.close()
    problems.extend(_contradictions(policy) if not problems else ())
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return policy


def opened_section(
    source: str | Path | Mapping[str, object], *, folder: Path | None = None
) -> tuple[Reader | None, list[Problem], str]:
    """The section of a file or a dict, the list for its problems, and the policy's name.

    A whole policy may have the section: its fields that name people are left out, and its declared
    domains are taken, where the section does not mention them."""
    path = None if isinstance(source, Mapping) else Path(source)
    table = source if isinstance(source, Mapping) else parsed_file(Path(source), Path(source).name)
    folder = folder or (Path() if path is None else path.parent)
    problems: list[Problem] = []
    top = Reader(table, where="", problems=problems)
    reader = top.table("synthesis")
    if reader is None:
        top.report("synthesis", "It is missing.", attempt="[synthesis] with epsilon = 1.0.")
    decided = read_decisions(top, folder=folder)
    top.close()
    if reader is not None:
        whole = _with_decisions(reader.raw, decided, top, folder=folder)
        problems.extend(_copied_names(whole, decided))
        reader = Reader(whole, where="synthesis", problems=problems)
    return reader, problems, "policy" if path is None else path.name


def _with_decisions(
    section: Mapping[str, object], decided: FieldDecisions, top: Reader, *, folder: Path
) -> dict[str, object]:
    """A section with what the rest of the policy decides about fields that it does not mention."""
    out = dict(section)
    tables = section.get("tables")
    if isinstance(tables, Mapping):
        out["tables"] = {
            name: _table_with_decisions(given, name, top, folder=folder)
            for name, given in tables.items()
        }
        return out
    method = section.get("method", "private")
    if method == "private" and decided.entity:
        out.setdefault("entity", decided.entity)
    named = names_in(out, "domains", "select", "leave_out", "entity", "fields", "keep")
    if method != "domains":
        extended(out, "leave_out", decided.left_out(named))
    if method != "trees":
        _add_domains(out, decided, named)
    return out


def _table_with_decisions(given: object, name: str, top: Reader, *, folder: Path) -> object:
    """The same for one of several tables."""
    others = top.raw.get("tables")
    beside = others.get(name) if isinstance(others, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(beside, Mapping):
        return given
    inner = Reader(beside, where=joined("tables", name), problems=top.problems)
    decided = decisions_of(inner, folder=folder, entity="")
    out = dict(given)
    named = names_in(given, "domains", "select", "leave_out", "key", "link")
    extended(out, "leave_out", decided.left_out(named))
    _add_domains(out, decided, named)
    return out


def _add_domains(section: dict[str, object], decided: FieldDecisions, named: list[str]) -> None:
    given = section.get("domains", {})
    further = decided.domains_beside(named)
    if further and isinstance(given, Mapping):
        section["domains"] = {**given, **further}


def _copied_names(section: Mapping[str, object], decided: FieldDecisions) -> list[Problem]:
    """Fields that name people, of which trees would copy values."""
    if section.get("method") != "trees":
        return []
    return [
        problem
        for key in ("fields", "keep")
        for problem in decided.naming_problems(
            f"synthesis.{key}", names_in(section, key), "trees copy values of real rows"
        )
    ]


def parsed_file(path: Path, name: str) -> Mapping[str, object]:
    """The table in a TOML file; PolicyError where it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        found = f"{error.strerror}." if isinstance(error, OSError) else "It is not TOML in UTF-8."
        raise PolicyError([Problem(where=name, found=found)], name=f"Policy {name}") from None


def _policy(reader: Reader, *, name: str, folder: Path) -> SynthesisPolicy:
    reader.word("method", ("private",), "private")
    values = read_values(reader, SynthesisPolicy, folder=folder, own=own_readers())
    return SynthesisPolicy(**values, name=name, folder=folder)


def own_readers() -> dict[str, Callable[[Reader], object]]:
    """How the parameters are read that no kind describes."""
    return {"domains": read_domains, "never": read_never}


def read_domains(reader: Reader) -> dict[str, DeclaredDomain]:
    return domains_of(
        reader,
        _values,
        _range,
        found="It is no list of values, all different, and no range whose least is below its most.",
        offer=_OFFER,
    )


def domains_of(
    reader: Reader,
    listed: Callable[[object], Domain | None],
    otherwise: Callable[[object], Domain | None],
    *,
    found: str,
    offer: str,
) -> dict[str, Domain]:
    """The table `domains`: a list of values for a field, or a table of its own. What neither reads
    is reported."""
    section = reader.table("domains")
    out: dict[str, Domain] = {}
    for name in section.raw if section is not None else ():
        assert section is not None
        given = section.get(name)
        domain = listed(given) if is_list(given) else otherwise(given)
        if domain is None:
            section.report(name, found, attempt=f"{offer}.")
        else:
            out[name] = domain
    return out


def _values(given: object) -> DeclaredDomain | None:
    assert isinstance(given, list | tuple)
    texts = tuple(value_text(each) for each in given)
    if not texts or len(set(texts)) < len(texts) or {"*", ""} & set(texts):
        return None
    return DeclaredDomain(values=texts)


def value_text(value: object) -> str:
    """A value as canonical text, as cells are."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _range(given: object) -> DeclaredDomain | None:
    if not isinstance(given, Mapping) or not {"least", "most"} <= given.keys() <= {
        "least",
        "most",
        "step",
    }:
        return None
    least, most, step = given["least"], given["most"], given.get("step", 1)
    days = isinstance(least, date | str)
    numbers = [_number(each) for each in (least, most, step)]
    if any(each is None for each in numbers) or days != isinstance(most, date | str):
        return None
    low, high, by = (each for each in numbers if each is not None)
    if not (low < high and 0 < by <= high - low and (high - low) / by < 2**40):
        return None
    return DeclaredDomain(least=low, most=high, step=by, days=days)


def _number(value: object) -> float | None:
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, date):
        return float(value.toordinal())
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return float(value)
    return None


def read_never(reader: Reader) -> tuple[Mapping[str, tuple[str, ...]], ...]:
    given = reader.get("never")
    if given is None:
        return ()
    out = []
    for each in given if is_list(given) else (None,):
        fits = isinstance(each, Mapping) and all(is_list(values) for values in each.values())
        if not fits or not isinstance(each, Mapping):
            reader.report(
                "never",
                "It is no list of tables.",
                attempt='never = [{ sex = ["M"], ill = ["y"] }].',
            )
            return ()
        out.append({name: tuple(map(value_text, values)) for name, values in each.items()})
    return tuple(out)


def _contradictions(policy: SynthesisPolicy) -> list[Problem]:
    out = []
    if not policy.fields:
        out.append(
            Problem(
                where="synthesis.domains",
                found="No field is synthesised.",
                attempt=f"[synthesis.domains] with a field, as {_OFFER}.",
            )
        )
    named = [*policy.domains, *policy.select, *policy.leave_out, *filter(None, [policy.entity])]
    out += [
        Problem(where=joined("synthesis", name), found=f"{name} is named twice.")
        for name in sorted({name for name in named if named.count(name) > 1})
    ]
    out += never_problems(policy.never, policy.domains)
    if policy.limit is not None and (not policy.account or policy.limit < policy.epsilon):
        out.append(
            Problem(
                where="synthesis.limit",
                found="A limit is the epsilon of an account, and at least that of this release.",
                attempt='account = "people.account" and a higher limit.',
            )
        )
    return out


def never_problems(
    rules: tuple[Mapping[str, tuple[str, ...]], ...], domains: Mapping[str, DeclaredDomain]
) -> list[Problem]:
    """The values in rules that no listed domain has."""
    out = []
    for number, rule in enumerate(rules):
        where = f"synthesis.never[{number}]"
        if not 2 <= len(rule) <= 3:
            out.append(Problem(where=where, found="A rule is about two or three fields."))
        for name, values in rule.items():
            known = domains.get(name)
            if known is None or known.is_range or not set(values) <= set(known.values):
                out.append(
                    Problem(
                        where=f"{where}.{name}",
                        found="It names values that are not in a listed domain.",
                        attempt=f"a list of all values under synthesis.domains.{name}.",
                    )
                )
    return out


def synthesis_as_table(policy: SynthesisPolicy) -> dict[str, object]:
    """The policy in the form of the file, without defaults and without paths."""
    out: dict[str, object] = {"epsilon": policy.epsilon, "delta": policy.delta}
    if policy.entity:
        out["entity"] = policy.entity
    out["rows_per_person"] = policy.rows_per_person
    if policy.people is not None:
        out["people"] = policy.people
    for key in ("select", "leave_out"):
        if getattr(policy, key):
            out[key] = list(getattr(policy, key))
    out["domains"] = domains_as_table(policy.domains)
    if policy.never:
        out["never"] = [{name: list(v) for name, v in rule.items()} for rule in policy.never]
    return {"synthesis": out}


def domains_as_table(domains: Mapping[str, DeclaredDomain]) -> dict[str, object]:
    return {name: _domain_as_table(each) for name, each in domains.items()}


def _domain_as_table(domain: DeclaredDomain) -> object:
    if not domain.is_range:
        return list(domain.values)
    ends = (domain.least, domain.most)
    shown: list[object] = (
        [date.fromordinal(int(each)).isoformat() for each in ends] if domain.days else list(ends)
    )
    return {"least": shown[0], "most": shown[1], "step": domain.step}
