"""Reading and writing `[synthesis]` without privacy: rows by trees (`method = "trees"`), and test rows
of declared domains alone (`method = "domains"`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import PolicyError, Problem
from sfumato.parts import ParameterKind, parameter

from .parameter_section import read_values
from .synthesis_methods import SYNTHESIS_METHODS
from .synthesis_section import (
    DeclaredDomain,
    domains_as_table,
    never_problems,
    opened_section,
    own_readers,
)
from .table_cursor import Reader, joined

PRIVATE, TREES, DOMAINS = "private", "trees", "domains"
SAMPLE, POPULATION = "sample", "population"
MOST_COPIES = 100
LEAST_ROWS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TreePolicy:
    """Rows by trees, which are not private.

    `fields` are synthesised, `keep` stay as they are in each row, and `leave_out` are not released.
    `draws` is the kind of a copy: the sample replaced, or a population drawn anew. `rows` is the
    size of a copy, by default that of the source; a tree's leaf has at least `least_rows` rows."""

    fields: tuple[str, ...] = parameter(
        "fields that are synthesised", default=(), kind=ParameterKind.FIELDS
    )
    keep: tuple[str, ...] = parameter(
        "fields whose cells stay as they are", default=(), kind=ParameterKind.FIELDS
    )
    leave_out: tuple[str, ...] = parameter(
        "fields that are not released", default=(), kind=ParameterKind.FIELDS
    )
    copies: int = parameter("how many copies are made", default=1, least=1, most=MOST_COPIES)
    draws: str = parameter(
        "what a copy replaces: the sample, or its population",
        default=SAMPLE,
        words=(SAMPLE, POPULATION),
    )
    rows: int | None = parameter(
        "rows of a copy; as many as the source has by default", default=None, least=1, most=10**9
    )
    least_rows: int = parameter(
        "rows of the source in a leaf, at least", default=LEAST_ROWS, least=5, most=10**6
    )
    name: str = "policy"

    @property
    def released(self) -> tuple[str, ...]:
        return (*self.keep, *self.fields)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DomainRowsPolicy:
    """Test rows of declared domains: no source is read."""

    rows: int = parameter("rows of a copy", least=1, most=10**8, example="1000")
    domains: Mapping[str, DeclaredDomain] = parameter(
        "the values or the range of each field", default_factory=dict, kind=ParameterKind.TABLE
    )
    never: tuple[Mapping[str, tuple[str, ...]], ...] = parameter(
        "combinations that cannot be", default=(), kind=ParameterKind.TABLES
    )
    copies: int = parameter("how many copies are made", default=1, least=1, most=MOST_COPIES)
    name: str = "policy"


def synthesis_method(
    source: str | Path | Mapping[str, object], *, folder: Path | None = None
) -> str:
    """The method that a policy names; `private` where it names none.

    Example:
        >>> synthesis_method({"synthesis": {"method": "trees"}}), synthesis_method({})
        ('trees', 'private')
    """
    section, problems, name = opened_section(source, folder=folder)
    found = (
        section.word("method", tuple(SYNTHESIS_METHODS), PRIVATE)
        if section is not None
        else PRIVATE
    )
    if section is not None and problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return found


def read_tree_synthesis(
    source: str | Path | Mapping[str, object], *, folder: Path | None = None
) -> TreePolicy:
    """A policy of trees; every problem is reported at once.

    Example:
        >>> read_tree_synthesis({"synthesis": {"method": "trees", "fields": ["age"]}}).copies
        1
    """
    reader, problems, name = _section(source, folder)
    reader.word("method", (TREES,), TREES)
    policy = TreePolicy(**read_values(reader, TreePolicy, folder=folder or Path()), name=name)
    reader.close()
    problems.extend(_tree_problems(policy) if not problems else ())
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return policy


def read_domain_rows(
    source: str | Path | Mapping[str, object], *, folder: Path | None = None
) -> DomainRowsPolicy:
    """A policy of test rows; every problem is reported at once.

    Example:
        >>> asked = {"method": "domains", "rows": 10, "domains": {"sex": ["F", "M"]}}
        >>> read_domain_rows({"synthesis": asked}).rows
        10
    """
    reader, problems, name = _section(source, folder)
    reader.word("method", (DOMAINS,), DOMAINS)
    values = read_values(reader, DomainRowsPolicy, folder=folder or Path(), own=own_readers())
    policy = DomainRowsPolicy(**values, name=name)
    reader.close()
    if not problems:
        problems.extend(never_problems(policy.never, policy.domains))
        if not policy.domains:
            problems.append(
                Problem(where="synthesis.domains", found="No field has a declared domain.")
            )
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return policy


def open_synthesis_as_table(policy: TreePolicy | DomainRowsPolicy) -> dict[str, object]:
    """The policy in the form of the file, without defaults."""
    out: dict[str, object] = {}
    if isinstance(policy, TreePolicy):
        out["method"] = TREES
        for key in ("fields", "keep", "leave_out"):
            if getattr(policy, key):
                out[key] = list(getattr(policy, key))
        out |= {"draws": policy.draws, "least_rows": policy.least_rows, "copies": policy.copies}
        if policy.rows is not None:
            out["rows"] = policy.rows
        return {"synthesis": out}
    out |= {"method": DOMAINS, "rows": policy.rows, "copies": policy.copies}
    out["domains"] = domains_as_table(policy.domains)
    if policy.never:
        out["never"] = [{name: list(v) for name, v in rule.items()} for rule in policy.never]
    return {"synthesis": out}


def _section(
    source: str | Path | Mapping[str, object], folder: Path | None
) -> tuple[Reader, list[Problem], str]:
    section, problems, name = opened_section(source, folder=folder)
    if section is None:
        raise PolicyError(problems, name=f"Policy {name}")
    return section, problems, name


def _tree_problems(policy: TreePolicy) -> list[Problem]:
    out = []
    if not policy.fields:
        out.append(
            Problem(
                where="synthesis.fields",
                found="No field is synthesised.",
                attempt='fields = ["age", "sex"].',
            )
        )
    named = [*policy.fields, *policy.keep, *policy.leave_out]
    out += [
        Problem(where=joined("synthesis", name), found=f"{name} is named twice.")
        for name in sorted({name for name in named if named.count(name) > 1})
    ]
    if policy.keep and (policy.rows is not None or policy.draws == POPULATION):
        out.append(
            Problem(
                where="synthesis.keep",
                found="Kept fields belong to the rows of the source, so a copy has these rows.",
                attempt='leaving out rows and draws = "population", or keep.',
            )
        )
    if policy.copies < 2 and (policy.keep or policy.draws == POPULATION):
        out.append(
            Problem(
                where="synthesis.copies",
                found="Errors of an analysis follow from how copies differ, and there is one.",
                attempt="copies = 5.",
            )
        )
    return out
