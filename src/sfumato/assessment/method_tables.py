"""The method in tables: every parameter, version, digest and treatment, so that others can account
for the numbers."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import sfumato
from sfumato.hierarchies import BUILDERS
from sfumato.report import counted, percent

from .case import Case
from .five_safes import treatments
from .page.facts import MethodTable
from .request import called

LIBRARIES = (
    "numpy",
    "duckdb",
    "sqlglot",
    "highspy",
    "scipy",
    "scikit-learn",
    "rapidfuzz",
    "altair",
)


def accounts(
    case: Case, *, created: str, limits: Sequence[tuple[str, ...]]
) -> tuple[MethodTable, ...]:
    """The measurements and their methods; how the release was made; what was done to each field;
    versions."""
    out = [
        MethodTable(
            caption="This assessment",
            headings=("Parameter", "Value"),
            rows=tuple(_parameters(case, created)),
        ),
        MethodTable(
            caption="Limits of the verdicts",
            headings=("Measure", "Amber", "Red"),
            rows=tuple(limits),
        ),
    ]
    if case.opened.facts:
        out += _of_manifest(case)
    out.append(
        MethodTable(caption="Versions", headings=("Part", "Version"), rows=tuple(_versions()))
    )
    return tuple(account for account in out if account.rows)


def _parameters(case: Case, created: str) -> Iterator[tuple[str, str]]:
    subject, asked, found = case.subject, case.asked, case.opened
    yield "Assessed on", created
    yield "Release", found.title + (f", table {found.seen.table}" if found.seen.table else "")
    yield "Rows of it", f"{subject.release.count_rows():,}"
    yield "Source", _of(subject.source, called(asked.source) if asked.source is not None else "")
    yield "Population", _of(subject.population, case.population_title)
    yield (
        "Control group",
        _of(subject.control, called(asked.control) if asked.control is not None else ""),
    )
    yield "Policy", found.found.came_from if found.found is not None else "none"
    yield "Known of a person", ", ".join(subject.known)
    yield "Sensitive", ", ".join(subject.sensitive) or "none"
    yield (
        "Counted in",
        f"people, by {subject.person}" if subject.person else "rows, one for each person",
    )
    yield (
        "Null",
        "matches anything" if subject.nulls == "matches-anything" else "a value of its own",
    )
    for name in ("weight", "household", "sampling_fraction", "population_size"):
        given = getattr(subject, name)
        yield name.replace("_", " ").capitalize(), "none" if given is None else f"{given}"
    yield "Attacks", "run" if asked.attacks else "not run"
    yield "Seed", str(subject.seed)


def _of(engine: Any, title: str) -> str:
    return (
        "none"
        if engine is None
        else f"{title}, {counted(engine.count_rows(), 'row')}, read by {engine.name}"
    )


def _of_manifest(case: Case) -> Iterator[MethodTable]:
    facts = case.opened.facts
    solver, recoding = facts.get("solver", {}), facts.get("recoding", {})
    levels = recoding.get("level_names", {})
    made = {
        "Made on": said_time(facts["created"]),
        "Made with": f"Sfumato {facts['sfumato']}",
        "Recipient profile": facts["recipient"],
        "Engine": facts.get("engine", ""),
        "Solver": f"{solver.get('name', '')}, seed {solver.get('seed', '')}",
        "Recoding": f"{recoding.get('kind', '')}"
        + (
            ": " + ", ".join(_raised(name, level) for name, level in levels.items())
            if levels
            else ""
        ),
        "Most rows that may be suppressed": percent(
            facts["policy"].get("require", {}).get("max_suppression", 0)
        ),
    }
    tables = facts["tables"].values()
    files = tuple((str(table["file"]), str(table["sha256"])) for table in tables if "file" in table)
    yield MethodTable(
        caption="How the release was made",
        headings=("Parameter", "Value"),
        rows=tuple(made.items()),
    )
    yield MethodTable(
        caption="What was done to each field",
        headings=("Field", "What was done"),
        rows=tuple(treatments(case).items()),
    )
    yield MethodTable(
        caption="Steps that changed cells or rows before they were counted",
        headings=("Technique", "Fields", "Parameters", "What it does"),
        rows=tuple(_step(step) for step in facts.get("steps", ())),
    )
    yield MethodTable(
        caption="Hierarchies",
        headings=("Field", "Made by", "Levels", "SHA-256 digest"),
        rows=tuple(_hierarchy(name, said) for name, said in facts.get("hierarchies", {}).items()),
    )
    yield MethodTable(caption="Files", headings=("File", "SHA-256 digest"), rows=files)


def _step(step: Mapping[str, Any]) -> tuple[str, ...]:
    """A step with the parameters that are numbers; others could name values."""
    numbers = {
        name: value for name, value in step["parameters"].items() if isinstance(value, int | float)
    }
    told = "; ".join(f"{name} {value}" for name, value in numbers.items()) or "–"
    return str(step["technique"]), ", ".join(step["fields"]) or "all", told, str(step["summary"])


def said_time(stamp: str) -> str:
    """A time as a person reads it."""
    return str(stamp).replace("T", " ").replace("+00:00", " UTC")


def _raised(name: str, level: str) -> str:
    return f"{name} as it was" if level == "value" else f"{name} to {level}"


def _hierarchy(name: str, said: Mapping[str, Any]) -> tuple[str, ...]:
    """How a hierarchy was made. Where its parameters are values, only its kind is named."""
    made = said["made_by"]
    words = f"file {made}" if isinstance(made, str) else _plain(made, _shown(made))
    return name, words, str(said["height"]), str(said["sha256"])


def _shown(made: Mapping[str, Any]) -> Collection[str]:
    """The parameters that hold no value, as the builder declares; none of a builder that is not
    installed. The digest is shown in place of the others."""
    return next((BUILDERS[key].shown for key in made if key in BUILDERS), ())


def _plain(value: Any, shown: Collection[str]) -> str:
    """Parameters as a person writes them, without those that may be values."""
    if isinstance(value, Mapping):
        return "; ".join(
            f"{key} {_plain(inner, shown)}" if key in shown else key for key, inner in value.items()
        )
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _versions() -> Iterator[tuple[str, str]]:
    yield "Sfumato", sfumato.__version__
    yield "Python", platform.python_version()
    for name in LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed"
