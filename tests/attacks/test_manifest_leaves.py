"""Every leaf of a manifest, changed, retyped, removed or joined by another, one at a time: none may
end in exit 0.

Left are places that the holder tells and that no folder can refute; `verify` names them in one
line."""

from __future__ import annotations

import copy
import fnmatch
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any

import pytest
from test_tampering import TABLES, releases  # noqa: F401, the fixture

from sfumato.errors import ReleaseBroken
from sfumato.releases import finished_release, outcome_of, verification, verify
from sfumato.releases.checks import Check
from sfumato.releases.manifest_agreement import told_of
from sfumato.releases.treatments import KEPT

MADE_UP = "certified"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every table, list and leaf, by its path."""
    yield path
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, one in inside:
        yield from places(one, (*path, key))


def at(facts: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        facts = facts[key]
    return facts


def others(value: Any) -> list[Any]:
    """Other values in place of a leaf: of the same kind, and of others that compare as equal."""
    if isinstance(value, bool):
        return [not value, int(value)]
    if isinstance(value, int):
        return [value + 1, float(value), str(value)]
    if isinstance(value, float):
        return [value + 0.5, str(value)]
    if isinstance(value, str):
        return [f"{value}x", 7]
    return [7, "x"]


def changes(facts: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The manifest with one thing changed, and where."""
    for path in places(facts):
        value = at(facts, path)
        if path:
            gone = copy.deepcopy(facts)
            at(gone, path[:-1]).pop(path[-1])
            yield path, gone
        if isinstance(value, dict | list):
            more = copy.deepcopy(facts)
            there = at(more, path)
            there.update({MADE_UP: True}) if isinstance(there, dict) else there.append(MADE_UP)
            yield (*path, MADE_UP), more
            continue
        for other in others(value):
            changed = copy.deepcopy(facts)
            at(changed, path[:-1])[path[-1]] = other
            yield path, changed


def is_told(path: tuple[Any, ...], told: tuple[str, ...]) -> bool:
    """Whether a place is one that the holder tells: itself, or inside of one."""
    parts = [str(part) for part in path]
    for pattern in told:
        wanted = pattern.split(".")
        if len(parts) >= len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted)):
            return True
    return False


@pytest.fixture
def _until_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that fails decides the outcome, so that those after it need not be counted, thousands
    of times."""
    every = verification._checks

    def first(*given: Any) -> Iterator[Check]:
        for check in every(*given):
            yield check
            if check.outcome == "fail":
                return

    monkeypatch.setattr(verification, "_checks", first)


@pytest.fixture
def _tables_opened_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No change is one of a table: each is opened once, and counted whenever it is asked."""
    with ExitStack() as kept:
        for name in ("open_source", "open_database"):
            opens = _opening_once(getattr(finished_release, name), kept)
            monkeypatch.setattr(finished_release, name, opens)
        yield


def _opening_once(opens: Callable[..., Any], kept: ExitStack) -> Callable[..., Any]:
    opened: dict[str, Any] = {}

    def once(place: Path, **options: Any) -> AbstractContextManager[Any]:
        key = repr((place, sorted(options.items())))
        if key not in opened:
            opened[key] = kept.enter_context(opens(place, **options))
        return nullcontext(opened[key])

    return once


def noticed(folder: Path) -> bool:
    try:
        return outcome_of(verify(folder)) != "pass"
    except ReleaseBroken:
        return True


@pytest.mark.long(
    "every leaf of every manifest is changed; one kind of release stays", but=("single", "scrubbed")
)
@pytest.mark.usefixtures("_until_one_fails", "_tables_opened_once")
@pytest.mark.parametrize("kind", ["single", "tables", "channels", "scrubbed"])
def test_no_single_change_of_a_manifest_passes(releases, kind, tmp_path):  # noqa: F811
    folder = Path(shutil.copytree(releases[kind], tmp_path / kind))
    facts = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    told, passed = told_of(facts), []
    for path, changed in changes(facts):
        if path[0] == "policy" and path[1:2] != ("require",):
            continue  # Compared with policy.toml as a whole, as the requirements are.
        if is_told(path, told):
            continue
        (folder / "manifest.json").write_text(json.dumps(changed), encoding="utf-8")
        if not noticed(folder):
            passed.append((path, at(changed, path) if path[-1] != MADE_UP else "added"))
    assert passed == []


BY_BIN = TABLES.replace('name = "direct"', 'name = { role = "direct", replace = "hash" }').replace(
    "[require]", '[solve]\nsolver = "local"\n[require]'
)


def test_words_about_fields_are_refuted_or_named_as_the_holders(releases, tmp_path, request):  # noqa: F811
    """Bin by bin, a folder does not show whether a field was changed; nor whose key made a hash."""
    from sfumato.cli import main

    (tmp_path / "policy.toml").write_text(BY_BIN, encoding="utf-8")
    source, folder = releases["tables"].parent / "database", tmp_path / "made"
    policy = str(tmp_path / "policy.toml")
    assert main(["release", str(source), "--policy", policy, "--to", str(folder)]) == 0
    for name in ("_until_one_fails", "_tables_opened_once"):
        request.getfixturevalue(name)
    facts = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    told, words = told_of(facts), {KEPT, "removed", "generalised bin by bin"}
    words |= {said for table in facts["tables"].values() for said in table["fields"].values()}
    words |= {said.replace("holder's key", "key of somebody else") for said in words}
    named = [
        ("tables", table, "fields", name)
        for table, name in (("people", "name"), ("visits", "ward"))
    ]
    assert all(is_told(path, told) for path in named)
    for table, entry in facts["tables"].items():
        for name, said in entry["fields"].items():
            path, passed = ("tables", table, "fields", name), []
            for other in words - {said}:
                changed = copy.deepcopy(facts)
                changed["tables"][table]["fields"][name] = other
                (folder / "manifest.json").write_text(json.dumps(changed), encoding="utf-8")
                passed += [] if noticed(folder) else [other]
            assert not passed or is_told(path, told), path
            assert "removed" not in passed


def test_the_list_of_what_the_holder_tells_is_short_and_said(releases, capsys):  # noqa: F811
    from sfumato.cli import main

    for kind in ("single", "tables", "channels", "scrubbed"):
        facts = json.loads((releases[kind] / "manifest.json").read_text(encoding="utf-8"))
        told = told_of(facts)
        assert not set(told) & {
            "verdicts",
            "rows",
            "left_out",
            "files",
            "table",
            "tables",
            "fields",
            "policy",
            "outcome",
        }
        assert main(["verify", str(releases[kind]), "--json"]) == 0
        said = next(
            c
            for c in json.loads(capsys.readouterr().out)
            if c["claim"].startswith("stated by the holder")
        )
        assert all(name in said["found"] for name in told if name.split(".")[0] in facts)
