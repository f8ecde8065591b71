"""The two wheels: what is in them, and a scrub in a fresh environment with and without the model."""

from __future__ import annotations

import hashlib
import json
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import pytest
from fresh_environment import MODEL, ROOT, FreshEnvironment, build_wheel

import sfumato

MB = 1_000_000
LETTER = "Dear Ms. Townsend,\n\nplease call 617-473-1214 before 06/02/1994.\n"


@pytest.fixture(scope="module")
def core(tmp_path_factory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("core"))


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return build_wheel(MODEL, tmp_path_factory.mktemp("model"))


def _metadata(wheel: Path) -> tuple[list[str], HeaderParser]:
    with ZipFile(wheel) as opened:
        names = opened.namelist()
        (place,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        return names, HeaderParser().parsestr(opened.read(place).decode("utf-8"))


def test_the_core_is_small_and_whole(core):
    assert core.stat().st_size < 6 * MB
    names, facts = _metadata(core)
    assert facts["Version"] == sfumato.__version__
    assert not [name for name in names if name.endswith((".onnx", "minilm.zip", ".pyc"))]
    assert not [name for name in names if name.split("/")[0].startswith(("tests", "packages"))]
    for needed in ("sfumato/py.typed", "sfumato/text/learned/crf.npz"):
        assert needed in names
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "sfumato").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources <= set(names)


def test_the_model_is_its_weights_and_their_licences(model):
    names, facts = _metadata(model)
    assert {name for name in names if ".dist-info" not in name} == {
        "sfumato_text_model/__init__.py",
        "sfumato_text_model/minilm.zip",
    }
    assert {name.rsplit("/", 1)[1] for name in names if "/licenses/" in name} == {
        "LICENSE",
        "LICENSE-APACHE",
        "NOTICE",
    }
    assert facts["License-Expression"] == "MIT AND Apache-2.0"
    assert facts.get_all("Requires-Dist") is None


@pytest.mark.long("two environments with large packages; the core's wheel stays in this file")
def test_a_scrub_with_and_without_the_model(core, model, tmp_path):
    environment = FreshEnvironment(tmp_path / "venv")
    environment.install(core)
    environment.link(environment.requirements("sfumato"))
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "first.txt").write_text(LETTER, encoding="utf-8")
    scrub = ("sfumato", "scrub", "letters", "--to")
    done = environment.run(*scrub, "plain", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Townsend" not in (tmp_path / "plain" / "document-0001.txt").read_text(encoding="utf-8")
    first, *others = environment.run("sfumato", "--version", cwd=tmp_path).stdout.splitlines()
    assert first == f"sfumato {sfumato.__version__}"
    (missing,) = (line for line in others if line.startswith("not installed: "))
    parts = missing.removeprefix("not installed: ").split(", ")
    assert {"gate", "text", "tables"} <= set(parts)
    assert not {"all", "dev", "report", "transformer"} & set(parts)

    with_model = ("--detectors", "transformer")
    for wheel, package in ((None, None), (None, "onnxruntime"), (model, None)):
        done = environment.run(*scrub, "full", *with_model, cwd=tmp_path)
        assert done.returncode == 2
        assert "pip install 'sfumato[text]'" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "full").exists()
        if package:
            environment.link([package])
        if wheel:
            environment.install(wheel)
    done = environment.run(*scrub, "full", *with_model, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Townsend" not in (tmp_path / "full" / "document-0001.txt").read_text(encoding="utf-8")
    weights = MODEL / "src" / "sfumato_text_model" / "minilm.zip"
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    manifest = json.loads((tmp_path / "full" / "manifest.json").read_text(encoding="utf-8"))
    assert digest in json.dumps(manifest)
