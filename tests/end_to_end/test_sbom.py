"""Bills of materials: what CycloneDX requires is there, and no licence is unknown or too strict."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _load():
    spec = importlib.util.spec_from_file_location("sfumato_sbom", ROOT / "tools" / "sbom.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["sfumato_sbom"] = module
    spec.loader.exec_module(module)
    return module


sbom = _load()
PARTS = ("", *sbom.extras())
MILD = re.compile(
    r"MIT(-0|-CMU)?|0BSD|BSD.*|ISC|Apache.*|PSF-2\.0|Zlib|CC0-1\.0|MPL-2\.0|LGPL-3\.0-only",
    re.IGNORECASE,
)
UUID = r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def test_each_extra_that_people_name_has_a_bill():
    assert {"gate", "text", "assess", "spark", "postgres", "excel", "docs"} <= set(PARTS)
    assert not {"dev", "report"} & set(PARTS)


@pytest.mark.parametrize("extra", PARTS)
def test_a_bill_has_what_cyclonedx_requires(extra):
    bill = json.loads(json.dumps(sbom.bill(extra)))
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(UUID, bill["serialNumber"])
    own = bill["metadata"]["component"]
    assert (own["type"], own["name"]) == ("application", "sfumato")
    for component in (own, *bill["components"]):
        assert component["type"] in ("application", "library", "machine-learning-model")
        assert component["name"]
        assert component["version"]
        assert component["purl"] == f"pkg:pypi/{component['name']}@{component['version']}"
        (licence,) = component["licenses"]
        assert ("expression" in licence) != ("license" in licence)
        if "license" in licence:
            assert ("id" in licence["license"]) != ("name" in licence["license"])
    refs = [each["bom-ref"] for each in bill["components"]]
    assert len(refs) == len(set(refs))
    edges = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}
    assert edges.keys() == {own["bom-ref"], *refs}
    assert all(len(needs) == len(set(needs)) for needs in edges.values())
    reached, waiting = set(), [own["bom-ref"]]
    while waiting:
        if (ref := waiting.pop()) not in reached:
            reached.add(ref)
            waiting += edges[ref]
    assert reached == edges.keys(), "every component is there because something needs it"


@pytest.mark.parametrize("extra", PARTS)
def test_every_licence_is_known_and_mild(extra):
    for component in sbom.components(extra):
        words = re.split(r" (?:AND|OR|WITH) |, ", component.licence.strip("()"))
        strict = [
            word for word in words if not MILD.fullmatch(word) and "dependency lic" not in word
        ]
        assert strict == [], f"{component.name}: {component.licence}"


def test_an_extra_has_all_of_the_core_and_its_own():
    core = {each.name for each in sbom.components()}
    assert {"duckdb", "numpy"} <= core
    assert not {"starlette", "pyspark"} & core
    gate = {each.name for each in sbom.components("gate")}
    assert core | {"starlette", "uvicorn", "h11", "cffi"} <= gate
    assert "shapely" in {each.name for each in sbom.components("tables")}
    model = [each for each in sbom.bill("text")["components"] if "model" in each["type"]]
    assert [(each["name"], each["licenses"]) for each in model] == [
        ("sfumato-text-model", [{"expression": "MIT AND Apache-2.0"}])
    ]


def test_the_command_writes_the_same_bytes_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for name in ("one", "two"):
        words = [sys.executable, str(ROOT / "tools" / "sbom.py"), "--to", str(tmp_path / name)]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == sorted(
        [f"sfumato-{part or 'core'}.cdx.json" for part in PARTS] + ["licences.md"]
    )
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert "2023-11-14T" in (tmp_path / "one" / "sfumato-core.cdx.json").read_text(encoding="utf-8")
    assert "| numpy | " in (tmp_path / "one" / "licences.md").read_text(encoding="utf-8")


def test_an_extra_with_a_gap_gets_no_bill_and_is_named(tmp_path, monkeypatch, capsys):
    real = sbom.distribution

    def without(name):
        if name == "openpyxl":
            raise sbom.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(sbom, "distribution", without)
    monkeypatch.setattr(sys, "argv", ["sbom.py", "--to", str(tmp_path)])
    assert sbom.main() == 1
    assert not (tmp_path / "sfumato-excel.cdx.json").exists()
    assert (tmp_path / "sfumato-core.cdx.json").exists()
    assert "left out: sfumato-excel.cdx.json, because openpyxl is not" in capsys.readouterr().out
