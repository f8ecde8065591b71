"""Reading a policy: a file, a text or a dict in, a Policy out, every problem reported at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from sfumato.errors import PolicyError, Problem

from .channel_section import read_channels
from .checks import problems_in
from .documentation_section import read_documentation
from .field_section import read_fields
from .file_format import reads_format
from .limits import (
    BYTES,
    DEPTH,
    NUMBER,
    limit_problems,
    shorten_numbers,
    size_problems,
    too_deep,
    within_limits,
)
from .made_table_sections import read_sections, section_problems
from .profiles import BUILT_IN
from .records import OTHER_FIELDS, AccessClass, Membership, Order, Policy, RecipientProfile
from .require_section import read_requirements, with_usual_limit
from .roles import NullRule
from .solve_section import read_solve
from .source_section import read_source
from .step_section import read_steps
from .table_cursor import Reader, kind_of, plain_values
from .table_names import split_name
from .table_records import Link, Orphans, RowCountMerging, RowCountPolicy, TablePolicy

_PLACE = re.compile(r" \(at (line \d+, column \d+|end of document)\)$")


def read_policy(given: Policy | Mapping[str, object] | str | Path) -> Policy:
    """Read and check a policy: a file, the text of one, a dict in its form, or a finished policy.

    Files of hierarchies are looked for beside the policy's file, else in the current folder. Raises
    PolicyError with every problem, not only the first.

    Example:
        >>> read_policy({"fields": {"zip": "quasi"}, "require": {"k": 5}}).require.k
        5
        >>> read_policy('fields.zip = "quasi"\\nrequire.k = 5').require.k
        5
    """
    if isinstance(given, Policy):
        return given
    if isinstance(given, Mapping):
        return policy_from_table(given)
    if isinstance(given, str) and _is_text(given):
        return policy_from_table(_read_toml(lambda: given, where="The text"))
    if not isinstance(given, str | Path):
        found = f"It must be a file, a text, a dict or a Policy, and is {_class_of(given)}."
        attempt = "quasi=[…] for the names of fields that others may know."
        raise PolicyError([Problem(where="policy", found=found, attempt=attempt)], name="Policy")
    path = Path(given)
    table = _read_toml(lambda: _text(path), where=path.name, name=path.stem)
    return policy_from_table(table, folder=path.parent, name=path.stem)


def _is_text(given: str) -> bool:
    """Whether a text is a policy by itself: it has several lines, or sets a key."""
    return "\n" in given or ("=" in given and not given.endswith(".toml"))


def _class_of(given: object) -> str:
    kind = kind_of(given)
    return kind if kind != "something else" else f"an object of the class {type(given).__name__}"


def _read_toml(read: Callable[[], str], *, where: str, name: str = "policy") -> dict[str, object]:
    """The table of a text; where it cannot be read, the obstacle, without any of its content."""
    try:
        text = read()
        if too_deep(text):
            raise RecursionError
        return _parsed(text)
    except OSError as error:
        why = f"The file cannot be read: {error.strerror}."
        raise _unreadable(where, why, name=name, attempt="checking the path.") from None
    except UnicodeDecodeError:
        raise _unreadable(
            where, "The file is not UTF-8.", name=name, attempt="saving it as UTF-8."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(where, str(error), name=name) from None
    except RecursionError:
        said = f"It is nested deeper than {DEPTH} levels, which is the limit."
        raise _unreadable(where, said, name=name, attempt="fewer tables within tables.") from None
    except ValueError:
        said = f"A number is beyond {NUMBER:,}, which is the limit."
        raise _unreadable(where, said, name=name, attempt="a smaller one.") from None


def _parsed(text: str) -> dict[str, object]:
    """The table of a text. A number too long for Python is reported with its place, as any number
    beyond the limit."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        return tomllib.loads(shorten_numbers(text))


def _text(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(BYTES + 1)
    if len(content) > BYTES:
        found = f"The file is larger than {BYTES >> 20} MiB, which is the limit."
        attempt = "hierarchies in CSV files of their own."
        raise _unreadable(path.name, found, name=path.stem, attempt=attempt)
    return content.decode("utf-8-sig")


def policy_from_table(
    table: Mapping[str, object],
    *,
    folder: Path = Path(),
    name: str = "policy",
    undeclared: bool = False,
) -> Policy:
    """The policy that a table in the form of the file describes; the inverse of `policy_as_table`.

    `undeclared` keeps requirements of undeclared models, for a release that was made elsewhere.

    Example:
        >>> policy = policy_from_table({"fields": {"zip": {"role": "quasi"}}, "require": {"k": 5}})
        >>> policy.fields["zip"].hierarchy, policy.require.k, policy.recipient
        (Suppression(label='*'), 5, 'public')
    """
    beyond = limit_problems(table)
    if size_problems(table):
        raise PolicyError(beyond, name=f"Policy {name}")
    table = plain_values(within_limits(table) if beyond else table)
    problems: list[Problem] = []
    top = Reader(table, where="", problems=problems)
    if not reads_format(
        top
    ):  # The keys of another format may mean anything else, so nothing is said of them.
        raise PolicyError(problems, name=f"Policy {name}")
    entity = top.text("entity") or None
    fields, unclear = read_fields(top, folder=folder, entity=entity)
    tables, unread = read_tables(top, folder=folder, entity=entity)
    unclear |= unread
    require, solve = read_requirements(top, folder=folder, undeclared=undeclared), read_solve(top)
    policy = Policy(
        fields=fields,
        tables=tables,
        require=with_usual_limit(require, table.get("require")),
        recipients={**BUILT_IN, **_recipients(top)},
        recipient=top.text("release_to", "public"),
        solve=solve,
        entity=entity,
        household=top.text("household") or None,
        row_counts=read_row_counts(top),
        channels=read_channels(top),
        steps=read_steps(top, folder=folder),
        source=read_source(top),
        quote_formulas=top.flag("quote_formulas"),
        nulls=top.choice("nulls", NullRule, NullRule.VALUE),
        order=top.choice("order", Order, Order.SCRAMBLE),
        other_fields=top.word("other_fields", OTHER_FIELDS, "refuse"),
        membership=_membership(top),
        keep=top.names("keep"),
        documentation=read_documentation(top),
        made_tables=read_sections(top),
        proposed=top.flag("proposed"),
        name=name,
        folder=folder,
    )
    top.close()
    problems.extend(section_problems(table, folder=folder))
    places = {problem.where for problem in beyond}
    problems[:] = [*beyond, *(problem for problem in problems if problem.where not in places)]
    problems.extend(_further(policy, unclear, problems))
    if problems:
        raise PolicyError(problems, name=f"Policy {name}")
    return policy


def _further(policy: Policy, unclear: frozenset[str], told: list[Problem]) -> list[Problem]:
    """The contradictions, without those that only follow from a reported one."""
    places = [problem.where for problem in told]
    return [
        problem
        for problem in problems_in(policy, unclear=unclear)
        if not any(
            place == problem.where or place.startswith(f"{problem.where}.") for place in places
        )
    ]


def _membership(top: Reader) -> Membership | None:
    word = top.word("membership", ("", *Membership), "")
    return Membership(word) if word else None


def _access(reader: Reader) -> AccessClass | None:
    word = reader.word("access", ("", *AccessClass), "")
    return AccessClass(word) if word else None


def _recipients(top: Reader) -> dict[str, RecipientProfile]:
    given = top.get("recipient")
    if isinstance(given, str):
        top.report(
            "recipient",
            "It must be a table of profiles, and is a text.",
            attempt="release_to for the choice of one.",
        )
        return {}
    section = top.table("recipient")
    out: dict[str, RecipientProfile] = {}
    for name in section.raw if section else ():
        reader = section.table(name) if section else None
        if reader is None:
            continue
        out[name] = RecipientProfile(
            name=name,
            description=reader.text("description"),
            linking=reader.shares("linking"),
            distortion=reader.shares("distortion"),
            default_linking=reader.share("default_linking", 1.0),
            default_distortion=reader.share("default_distortion", 0.5),
            access=_access(reader),
        )
        reader.close()
    return out


def _unreadable(where: str, found: str, *, name: str, attempt: str) -> PolicyError:
    return PolicyError([Problem(where=where, found=found, attempt=attempt)], name=f"Policy {name}")


def _not_toml(where: str, said: str, *, name: str) -> PolicyError:
    """The place and the parser's reason, which names keys at most."""
    place = _PLACE.search(said)
    problem = Problem(
        where=f"{where}, {place[1]}" if place else where,
        found=f"{'The text' if where == 'The text' else 'The file'} is not TOML: "
        f"{_PLACE.sub('', said)}.",
        attempt="text in quotes, one key per line, each table once.",
    )
    return PolicyError([problem], name=f"Policy {name}")


# Reading `[tables.NAME]`: the fields of a table, its key, its links and what its number of rows
# may tell.


def read_tables(
    top: Reader, *, folder: Path, entity: str | None
) -> tuple[dict[str, TablePolicy], frozenset[str]]:
    """The tables in the order of the file, and what could not be read: names of tables, and fields
    as TABLE.FIELD."""
    section = top.table("tables")
    if section is None:
        return {}, frozenset({"tables"} if "tables" in top.raw else ())
    tables: dict[str, TablePolicy] = {}
    unclear: set[str] = set()
    names = _names_in(section.raw)
    for name in section.raw:
        reader = section.table(name)
        if reader is None:
            unclear.add(name)
            continue
        told = len(top.problems)
        # Where the entity is missing, that is told once, and not again for each shift.
        fields, roles = read_fields(reader, folder=folder, entity=entity or "entity")
        unclear.update(f"{name}.{field}" for field in roles)
        tables[name] = TablePolicy(
            name=name,
            fields=fields,
            key=reader.text("key"),
            links=_links(reader, names),
            row_counts=read_row_counts(reader),
            orphans=reader.choice("orphans", Orphans, Orphans.REFUSE),
            source=read_source(reader),
        )
        reader.close()
        places = [problem.where for problem in top.problems[told:]]
        whole = reader.at("fields"), reader.at("key"), reader.at("links")
        if any(place in whole or place.startswith(f"{whole[2]}.") for place in places):
            unclear.add(name)
    return tables, frozenset(unclear)


def _names_in(tables: Mapping[str, object]) -> dict[str, Collection[str]]:
    """The field names of each table as far as the file has them; only to decide which dot separates
    a table from a field."""
    out: dict[str, Collection[str]] = {}
    for name, table in tables.items():
        fields = table.get("fields") if isinstance(table, Mapping) else None
        out[name] = tuple(fields) if isinstance(fields, Mapping) else ()
    return out


def _links(reader: Reader, names: Mapping[str, Collection[str]]) -> tuple[Link, ...]:
    inner = reader.table("links")
    if inner is None:
        return ()
    out: list[Link] = []
    for field in inner.raw:
        target = inner.text(field)
        if target:
            table, key = split_name(target, names)
            # What has no dot is taken for the name of a table: `patients` for
            # `patients.patient_id`.
            out.append(
                Link(field=field, table=table, key=key)
                if table
                else Link(field=field, table=key, key="")
            )
        elif isinstance(inner.raw[field], str):
            inner.report(field, "A link leads to the key of a table.", attempt='"TABLE.KEY".')
    return tuple(out)


def read_row_counts(reader: Reader) -> RowCountPolicy:
    """The decision about the number of rows that a person has, under the key `row_counts`."""
    inner = reader.table("row_counts")
    if inner is None:
        return RowCountPolicy()
    out = RowCountPolicy(
        bin_size=inner.whole("bin_size", least=2),
        linking=inner.number("linking", most=1.0),
        merging=inner.choice("merging", RowCountMerging, RowCountMerging.FEWEST_ROWS),
        together=inner.flag("together"),
    )
    inner.close()
    return out
