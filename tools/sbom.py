"""Write what is installed with Sfumato, for the core and for each extra: a software bill of materials
(CycloneDX 1.6, JSON) and a table of licences.

    python tools/sbom.py --to dist/sbom

Versions are those of the environment that runs it; nothing is looked up elsewhere. The files are the
same for the same environment, so that two of them can be compared; SOURCE_DATE_EPOCH dates them."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
MODEL = "sfumato-text-model"
NOT_PARTS = ("dev", "all", "report", "transformer", "documents")
"""Extras for development, of several others, and names that others had in 0.1."""
SPDX = (
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "LGPL-3.0-only", "MIT", "MIT-0", "MPL-2.0", "PSF-2.0",
)  # fmt: skip
"""Identifiers that packages write into `License`, from before `License-Expression`."""
NAMES = {
    "MIT License": "MIT",
    "MIT Licence": "MIT",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
UNKNOWN = "not declared"


@dataclass(frozen=True, slots=True)
class Component:
    """One installed package: its name, version and licence, and the packages that it needs."""

    name: str
    version: str
    licence: str
    website: str
    needs: tuple[str, ...]

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


@cache
def project() -> Mapping[str, Any]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)["project"]
    return found


def extras() -> list[str]:
    """The extras that have a file of their own."""
    return [name for name in project()["optional-dependencies"] if name not in NOT_PARTS]


def direct(extra: str = "") -> list[Requirement]:
    """What the core, or an extra, asks for by name; an extra that names others has theirs."""
    texts = project()["optional-dependencies"][extra] if extra else project()["dependencies"]
    found: list[Requirement] = []
    for requirement in map(Requirement, texts):
        if requirement.name == "sfumato":
            found += [each for name in sorted(requirement.extras) for each in direct(name)]
        else:
            found.append(requirement)
    return found


def components(extra: str = "") -> list[Component]:
    """The core's packages, or those of the core with an extra, and all that they need, by name."""
    found: dict[str, Component] = {}
    waiting = [*direct(), *(direct(extra) if extra else ())]
    asked: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        if (words := str(requirement)) in asked:
            continue
        asked.add(words)
        package = _installed(requirement.name)
        needs = list(_needs(package, requirement.extras))
        waiting += needs
        name = canonicalize_name(requirement.name)
        known = found[name].needs if name in found else ()
        names = {canonicalize_name(each.name) for each in needs}
        found[name] = _component(package, tuple(sorted({*known, *names} - {name})))
    return [found[name] for name in sorted(found)]


def _installed(name: str) -> Distribution:
    """An installed package; the model of this clone, which may not be installed, by its folder."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        if canonicalize_name(name) != MODEL:
            raise
        return _ModelFolder()


class _ModelFolder(Distribution):
    """The package of the model, read from its project in this clone."""

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        text = (ROOT / "packages" / "text-model" / "pyproject.toml").read_text(encoding="utf-8")
        facts = tomllib.loads(text)["project"]
        return (
            f"Metadata-Version: 2.4\nName: {facts['name']}\nVersion: {facts['version']}\n"
            f"License-Expression: {facts['license']}\n"
        )

    def locate_file(self, path: Any) -> Path:
        return ROOT / "packages" / "text-model" / path


def _needs(package: Distribution, wanted: Iterable[str]) -> Iterator[Requirement]:
    for text in package.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *wanted)):
            yield requirement


def _component(package: Distribution, needs: tuple[str, ...]) -> Component:
    facts = package.metadata
    website = facts["Home-page"] or next(
        (line.split(",", 1)[1].strip() for line in facts.get_all("Project-URL") or ()), ""
    )
    name = canonicalize_name(facts["Name"])
    return Component(name, facts["Version"], licence_of(package), website, needs)


def licence_of(package: Distribution) -> str:
    """The licence that a package declares: its expression, or an older field, or a classifier."""
    facts = package.metadata
    if facts["License-Expression"]:
        return str(facts["License-Expression"])
    lines = (facts["License"] or "").strip().splitlines()
    given = lines[0].strip() if lines else ""
    classified = [
        each.split(" :: ")[-1]
        for each in facts.get_all("Classifier") or ()
        if each.startswith("License ::")
    ]
    for name in (given, *classified):
        if name in SPDX or name in NAMES:
            return NAMES.get(name, name)
    short = given if 0 < len(given) < 60 and given != "UNKNOWN" else ""
    own_words = "" if short.startswith("Copyright") else short
    return own_words or ", ".join(classified) or UNKNOWN


def bill(extra: str = "") -> dict[str, Any]:
    """The bill of materials of the core, or of the core with an extra."""
    found = components(extra)
    refs = {each.name: each.purl for each in found}
    own = Component("sfumato", _own_version(), project()["license"], "", ())
    asked = {
        canonicalize_name(each.name) for each in (*direct(), *(direct(extra) if extra else ()))
    }
    parts = [_as_component(each) for each in found]
    edges = [{"ref": own.purl, "dependsOn": sorted(refs[name] for name in asked)}]
    edges += [
        {"ref": each.purl, "dependsOn": [refs[name] for name in each.needs]} for each in found
    ]
    content = json.dumps([extra, parts, edges], sort_keys=True)
    metadata: dict[str, Any] = {
        "component": {
            **_as_component(own),
            "type": "application",
            "description": f"with the extra '{extra}'" if extra else "the core",
        },
        "tools": {"components": [{"type": "application", "name": "tools/sbom.py"}]},
    }
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        metadata["timestamp"] = datetime.fromtimestamp(int(epoch), UTC).strftime(
            "%Y-%m-%dT%H:%M:%SZ"
        )
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": metadata,
        "components": parts,
        "dependencies": edges,
    }


def _own_version() -> str:
    text = (ROOT / "src" / "sfumato" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "(.+)"', text)
    assert found is not None
    return found[1]


def _as_component(component: Component) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "machine-learning-model" if component.name == MODEL else "library",
        "bom-ref": component.purl,
        "name": component.name,
        "version": component.version,
        "purl": component.purl,
        "licenses": [_as_licence(component.licence)],
    }
    if component.website.startswith(("http://", "https://")):
        made["externalReferences"] = [{"type": "website", "url": component.website}]
    return made


def _as_licence(licence: str) -> dict[str, Any]:
    if licence in SPDX:
        return {"license": {"id": licence}}
    if re.fullmatch(r"[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)+", licence):
        return {"expression": licence}
    return {"license": {"name": licence}}


def licence_table(bills: Mapping[str, list[Component]]) -> str:
    """Every package once, with its licence and the parts that bring it, as Markdown."""
    parts: dict[Component, list[str]] = {}
    core = {each.name for each in bills.get("", [])}
    for extra, found in bills.items():
        for each in found:
            if not extra or each.name not in core:
                parts.setdefault(
                    Component(each.name, each.version, each.licence, "", ()), []
                ).append(extra or "core")
    lines = ["| package | version | licence | brought by |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {each.name} | {each.version} | {each.licence} | {', '.join(names)} |"
        for each, names in sorted(parts.items(), key=lambda item: item[0].name)
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Write bills of materials and a table of licences."
    )
    parser.add_argument("--to", type=Path, default=ROOT / "dist" / "sbom", help="the folder")
    folder: Path = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    bills: dict[str, list[Component]] = {}
    left_out = 0
    for extra in ("", *extras()):
        name = f"sfumato-{extra or 'core'}.cdx.json"
        try:
            text = json.dumps(bill(extra), indent=2, sort_keys=True) + "\n"
            bills[extra] = components(extra)
        except PackageNotFoundError as missing:
            left_out += 1
            print(f"left out: {name}, because {missing.name} is not installed")  # noqa: T201
            continue
        (folder / name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(bills[extra])} packages")  # noqa: T201
    (folder / "licences.md").write_text(licence_table(bills), encoding="utf-8")
    return 1 if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
