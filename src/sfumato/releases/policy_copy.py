"""The policy as it travels with a release, and whether it is the one that a person holds.

Of files that a policy names, such as a register or a hierarchy, only the name is published. Their
place on the holder's machine is private."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from sfumato.hierarchies import CsvHierarchy, HierarchySpec
from sfumato.parts import ParameterKind
from sfumato.policy import (
    MODELS,
    Field,
    OutsideNeed,
    Policy,
    PolicyStep,
    Requirements,
    ScrubPolicy,
    policy_as_table,
)

from .checks import same
from .inventory import digest_of


def policy_copy(policy: Policy) -> Policy:
    """The policy with the names of its files in place of their paths, and without what it decides
    about other releases."""
    return replace(
        policy,
        fields=_fields(policy.fields),
        tables={
            name: replace(table, fields=_fields(table.fields))
            for name, table in policy.tables.items()
        },
        require=_require(policy.require),
        steps=tuple(_step(step) for step in policy.steps),
        made_tables={},
    )


def _fields(fields: Mapping[str, Field]) -> dict[str, Field]:
    return {
        name: replace(decided, hierarchy=_hierarchy(decided.hierarchy), scrub=_scrub(decided.scrub))
        for name, decided in fields.items()
    }


def _scrub(scrub: ScrubPolicy | None) -> ScrubPolicy | None:
    if scrub is None or not scrub.words:
        return scrub
    return replace(
        scrub,
        words={
            name: replace(each, file=file_name(each.file)) for name, each in scrub.words.items()
        },
    )


def _hierarchy(spec: HierarchySpec | None) -> HierarchySpec | None:
    return (
        replace(spec, written_as=file_name(spec.written_as))
        if isinstance(spec, CsvHierarchy)
        else spec
    )


def _require(require: Requirements) -> Requirements:
    asked: dict[str, tuple[Any, ...]] = {}
    for declared, record in require.items():
        files = {
            name: file_name(getattr(record, name)) for name in declared.of_kind(ParameterKind.FILE)
        }
        specs = {
            name: _hierarchy(getattr(record, name))
            for name in declared.of_kind(ParameterKind.HIERARCHY)
        }
        asked[declared.key] = (*asked.get(declared.key, ()), replace(record, **files, **specs))
    return replace(require, asked=asked)


def _step(step: PolicyStep) -> PolicyStep:
    named = step.named_by(ParameterKind.FILE)
    files = {name: file_name(str(path)) for name, path in named.items() if path}
    return replace(step, settings=replace(step.settings, **files)) if files else step


def file_name(path: str) -> str:
    """The last part of a path as any system writes it.

    Example:
        >>> file_name("/home/ann/data/register.csv"), file_name("..\\\\register.csv"), file_name("")
        ('register.csv', 'register.csv', '')
    """
    return PureWindowsPath(PurePosixPath(path).name).name if path else ""


def policy_facts(policy: Policy) -> dict[str, Any]:
    """The policy as a manifest holds it: plain values, without paths."""
    table: dict[str, Any] = json.loads(
        json.dumps(policy_as_table(policy_copy(policy)), default=str)
    )
    return table


def hierarchy_files(policy: Policy) -> dict[str, str]:
    """Digests of the files of hierarchies, by the names that a manifest has. The policy itself names
    no more than the file."""
    return {
        name: spec.digest
        for name, spec in _specs(policy).items()
        if isinstance(spec, CsvHierarchy) and not name.startswith("release.")
    }


def register_facts(policy: Policy) -> dict[str, Any]:
    """The registers that requirements count people in, each by the name of its file and its digest;
    nothing where there is none."""
    named = {
        declared.key: asked.population
        for declared, asked in policy.require.needing(OutsideNeed.POPULATION)
    }
    found = {
        key: {"file": file_name(name), "sha256": digest_of(policy.folder / name)}
        for key, name in named.items()
        if (policy.folder / name).is_file()
    }
    return {"registers": found} if found else {}


def part_facts(policy: Policy) -> dict[str, Any]:
    """Which packages brought the protection models that Sfumato does not have itself; nothing where
    there is none."""
    brought = {
        key: MODELS.origin(key)
        for key in policy.require.keys
        if key in MODELS and MODELS.origin(key)
    }
    return {"parts": brought} if brought else {}


def differences(policy: Policy, facts: Mapping[str, Any]) -> Iterator[str]:
    """The places in which a policy is not the manifest's, as dotted names; also files of
    hierarchies that changed.

    Whether it was only proposed, and which fields were open, is left out: a person who confirms a
    policy deletes these lines and nothing else."""
    theirs = {"format": 1, **facts["policy"]}
    yield from unlike(_as_decided(policy_facts(policy)), _as_decided(theirs))
    specs = _specs(policy)
    for name, said in facts.get("hierarchies", {}).items():
        spec = specs.get(name)
        if isinstance(spec, CsvHierarchy) and spec.digest != said["sha256"]:
            yield f"the file of the hierarchy of {name}"


def _as_decided(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a policy without the marks that a person takes out."""
    plain = {key: value for key, value in table.items() if key != "proposed"}
    if "fields" in plain:
        plain["fields"] = {
            name: {key: value for key, value in decided.items() if key != "open"}
            for name, decided in plain["fields"].items()
        }
    if "tables" in plain:
        plain["tables"] = {name: _as_decided(each) for name, each in plain["tables"].items()}
    return plain


def _specs(policy: Policy) -> dict[str, HierarchySpec | None]:
    """By the names that a manifest has: FIELD of one table, TABLE.FIELD of several."""
    out = {name: decided.hierarchy for name, decided in policy.fields.items()}
    out |= {f"release.{name}": spec for name, spec in out.items()}
    for table in policy.tables.values():
        out |= {f"{table.name}.{name}": decided.hierarchy for name, decided in table.fields.items()}
    return out


def unlike(mine: object, theirs: object, place: str = "") -> Iterator[str]:
    """Places down to the hierarchies and lists, whose insides could name values."""
    inside = place.rsplit(".", 1)[-1] == "hierarchy"
    if inside or not isinstance(mine, dict) or not isinstance(theirs, dict):
        if not same(mine, theirs):
            yield place
        return
    for key in dict.fromkeys((*mine, *theirs)):
        there = f"{place}.{key}".removeprefix(".")
        if key in mine and key in theirs:
            yield from unlike(mine[key], theirs[key], there)
        else:
            yield there
