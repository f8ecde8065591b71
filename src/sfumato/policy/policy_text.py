"""A policy as a table, as the text of a file, and as a file; each is read back as the same
policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sfumato.errors import TargetError
from sfumato.files import write_whole
from sfumato.hierarchies import CsvHierarchy
from sfumato.parts import ParameterKind

from .channel_section import channels_as_tables
from .file_format import FORMAT
from .parameter_section import plain, record_as_table
from .profiles import BUILT_IN
from .records import Field, Policy, RecipientProfile, Replacement
from .require_section import require_as_table
from .solve_section import solve_as_table
from .source_section import source_as_table
from .step_section import steps_as_table
from .table_records import Orphans, RowCountPolicy, TablePolicy
from .text_section import scrubbing_as_table
from .toml_text import comment_lines, document

Comments = Mapping[str, Sequence[str]]
Place = tuple[str, ...]

_NONE: Comments = MappingProxyType({})


def policy_as_table(policy: Policy) -> dict[str, object]:
    """The policy in the form of its file: plain dicts, lists, texts and numbers, also for a
    manifest.

    The chosen recipient profile is always written out, so that its assumptions can be read years
    later."""
    out: dict[str, object] = {"format": FORMAT}
    if policy.proposed:
        out["proposed"] = True
    if policy.entity is not None:
        out["entity"] = policy.entity
    if policy.household is not None:
        out["household"] = policy.household
    if policy.row_counts != RowCountPolicy():
        out["row_counts"] = record_as_table(policy.row_counts)
    source = source_as_table(policy.source)
    if source:
        out["source"] = source
    if policy.quote_formulas:
        out["quote_formulas"] = True
    out["nulls"] = policy.nulls.value
    out["order"] = policy.order.value
    out["other_fields"] = policy.other_fields
    if policy.membership is not None:
        out["membership"] = policy.membership.value
    if policy.keep:
        out["keep"] = list(policy.keep)
    out["release_to"] = policy.recipient
    if policy.tables:
        out["tables"] = {name: _table(table) for name, table in policy.tables.items()}
    else:
        out["fields"] = {name: _field(field) for name, field in policy.fields.items()}
    if policy.steps:
        out["steps"] = steps_as_table(policy.steps)
    if policy.channels is not None:
        out |= channels_as_tables(policy.channels, out["fields"])
    out["require"] = require_as_table(policy.require)
    profiles = {
        name: _profile(profile)
        for name, profile in policy.recipients.items()
        if name == policy.recipient or BUILT_IN.get(name) != profile
    }
    if profiles:
        out["recipient"] = profiles
    out["solve"] = solve_as_table(policy.solve)
    if policy.documentation:
        out["documentation"] = dict(policy.documentation)
    return {**out, **policy.made_tables}


def _table(table: TablePolicy) -> dict[str, object]:
    out: dict[str, object] = {"key": table.key} if table.key else {}
    if table.links:
        out["links"] = {link.field: f"{link.table}.{link.key}" for link in table.links}
    if table.row_counts != RowCountPolicy():
        out["row_counts"] = record_as_table(table.row_counts)
    if table.orphans is not Orphans.REFUSE:
        out["orphans"] = table.orphans.value
    source = source_as_table(table.source)
    if source:
        out["source"] = source
    return out | {"fields": {name: _field(field) for name, field in table.fields.items()}}


def _field(field: Field) -> dict[str, object]:
    out: dict[str, object] = {"role": field.role.value}
    if field.open:
        out["open"] = True
    if field.replace is not None:
        out["replace"] = _replacement(field.replace)
    if field.hierarchy is not None:
        out["hierarchy"] = plain(field.hierarchy.describe())
    if field.finest is not None:
        out["finest"] = field.finest
    if field.coarsest is not None:
        out["coarsest"] = field.coarsest
    if field.rank != 1:
        out["rank"] = field.rank
    if field.follows:
        out["follows"] = field.follows
    if field.null_words:
        out["null_words"] = list(field.null_words)
    if field.domain is not None:
        span = {"least": field.domain.least, "most": field.domain.most}
        out["domain"] = span if field.domain.least is not None else list(field.domain.values)
    if field.made_of:
        out["made_of"] = list(field.made_of)
    if field.value_steps:
        out["value_steps"] = (
            field.value_steps[0] if len(field.value_steps) == 1 else list(field.value_steps)
        )
    if field.may_tell:
        out["may_tell"] = list(field.may_tell)
    if field.constant_per_person:
        out["constant_per_person"] = True
    if field.public:
        out["public"] = True
    if field.scrub is not None:
        out["scrub"] = scrubbing_as_table(field.scrub)
    if field.shift is not None:
        shift = field.shift
        out["shift"] = {
            "days": shift.days,
            "per": shift.per,
            "intervals": shift.intervals.value,
            **({"weekdays": True} if shift.weekdays else {}),
            **({"holidays": list(shift.holidays)} if shift.holidays else {}),
        }
    return out


def _replacement(replacement: Replacement) -> object:
    method = replacement.method.value
    more = {"kind": replacement.kind, "word": replacement.word}
    said = {key: text for key, text in more.items() if text}
    return {"method": method, **said} if said else method


def _profile(profile: RecipientProfile) -> dict[str, object]:
    out: dict[str, object] = {"description": profile.description} if profile.description else {}
    if profile.access is not None:
        out["access"] = profile.access.value
    if profile.linking:
        out["linking"] = dict(profile.linking)
    if profile.distortion:
        out["distortion"] = dict(profile.distortion)
    return out | {
        "default_linking": profile.default_linking,
        "default_distortion": profile.default_distortion,
    }


def policy_as_toml(
    policy: Policy, *, comments: Comments = _NONE, header: Sequence[str] = ()
) -> str:
    """The policy as the text of its file.

    `comments` are written above their subject: the name of a field, of a section ("require",
    "solve", "recipient.public") or of a setting ("order"); with several tables, a table or a field
    as TABLE.FIELD. `header` is at the top."""
    table = policy_as_table(policy)
    profiles = table.get("recipient", {})
    assert isinstance(profiles, Mapping)
    fields = _field_paths(policy)
    sections: list[Place] = [
        ("fields",),
        ("recipient",),
        ("require",),
        ("solve",),
        ("tables",),
        ("source",),
        *((name,) for name in policy.made_tables),
    ]
    sections += [("recipient", name) for name in profiles] + [
        place[:3] for place in fields.values()
    ]
    sections += [*fields.values(), *(("tables", name) for name in policy.tables)]
    notes = {_place(policy, fields, name): lines for name, lines in comments.items()}
    lines = [*comment_lines(header), *([""] if header else [])]
    lines += document(table, sections=sections, comments=notes)
    return "\n".join(lines) + "\n"


def _field_paths(policy: Policy) -> dict[str, Place]:
    """Where each field is in the file, by the name that a comment calls it."""
    out: dict[str, Place] = {name: ("fields", name) for name in policy.fields}
    for name, table in policy.tables.items():
        out |= {f"{name}.{field}": ("tables", name, "fields", field) for field in table.fields}
    return out


def _place(policy: Policy, fields: Mapping[str, Place], name: str) -> Place:
    if name in fields:
        return fields[name]
    if name in policy.tables:
        return "tables", name
    head, _, rest = name.partition(".")
    return (head, rest) if rest else (head,)


def write_policy(
    policy: Policy,
    path: Path,
    *,
    comments: Comments = _NONE,
    header: Sequence[str] = (),
    overwrite: bool = False,
) -> None:
    """Write the policy's file, whole or not at all. An existing policy is a person's work and is
    not overwritten."""
    path = Path(path)
    if path.exists() and not overwrite:
        raise TargetError(f"{path} exists already.", attempt="another name, or moving it away.")
    tables = [policy.fields, *(table.fields for table in policy.tables.values())]
    hierarchies = [field.hierarchy for fields in tables for field in fields.values()]
    for declared, asked in policy.require.items():
        hierarchies += [getattr(asked, name) for name in declared.of_kind(ParameterKind.HIERARCHY)]
    files = [hierarchy for hierarchy in hierarchies if isinstance(hierarchy, CsvHierarchy)]
    beside = any(not Path(file.written_as).is_absolute() for file in files)
    if beside and path.parent.resolve() != policy.folder.resolve():
        raise TargetError(
            f"{path} is not in the folder of the hierarchy files that the policy names.",
            found=f"They are named from {policy.folder.resolve()}.",
            attempt="writing the policy there.",
        )
    write_whole(path, policy_as_toml(policy, comments=comments, header=header))
