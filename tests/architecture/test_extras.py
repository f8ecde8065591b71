"""Extras: every one that a message or a page names exists, and brings the package that is asked
for."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "sfumato").rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OLD = {"report", "transformer", "documents"}
"""Names of 0.1, which stay and are no longer named."""
NAMED = re.compile(r"(?:sfumato|['\"]\.)\[([\w,-]+)\]")


def brought(extra: str) -> set[str]:
    """The packages that an extra brings, also through others."""
    packages: set[str] = set()
    for text in EXTRAS[extra]:
        through = re.match(r"sfumato\[([\w,-]+)\]", text)
        if through:
            packages |= {each for name in through[1].split(",") for each in brought(name)}
        else:
            packages.add(re.split(r"[\s<>=!~;\[]", text)[0].lower())
    return packages


def missing_extras(tree: ast.AST) -> list[tuple[int, str]]:
    """Lines that raise `MissingExtra`, and the extra that each names."""
    return [
        (node.lineno, keyword.value.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtra"
        for keyword in node.keywords
        if keyword.arg == "extra" and isinstance(keyword.value, ast.Constant)
    ]


def test_what_people_do_has_an_extra():
    assert {"gate", "text", "assess", "spark", "postgres", "excel", "docs"} <= EXTRAS.keys()


@pytest.mark.parametrize(
    "name", ["transformer", "report", "documents", "surrogates", "icd", "encrypt", "geo"]
)
def test_names_of_0_1_stay(name):
    assert brought(name)


def test_pdf_files_need_no_model():
    assert brought("documents") == {"pypdfium2"} < brought("text")


def test_the_extra_of_the_transformer_names_the_model_that_is_here():
    model = tomllib.loads((ROOT / "packages/text-model/pyproject.toml").read_text("utf-8"))
    assert model["project"]["name"] in brought("text") & brought("transformer")
    assert model["project"]["version"].startswith("1.0.")
    assert "sfumato-text-model>=1.0.2,<1.1" in EXTRAS["text"]


def test_every_extra_that_a_message_or_a_page_names_exists():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/**/*.md")]
    files = [*(ROOT / "src").rglob("*"), *pages, ROOT / "Makefile"]
    found = {
        (file.name, name)
        for file in files
        if file.suffix in (".py", ".js", ".html", ".md", ".toml", "") and file.is_file()
        for names in NAMED.findall(file.read_text(encoding="utf-8"))
        for name in names.split(",")
    }
    assert len(found) > 5
    assert [each for each in found if each[1] not in EXTRAS] == []
    assert [each for each in found if each[1] in OLD and each[0] != "CHANGELOG.md"] == []


def test_every_missing_extra_exists_and_is_named_as_it_is_now():
    found = [
        (f"{path.name}:{line}", extra)
        for path in SOURCES
        for line, extra in missing_extras(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert len(found) > 15
    assert [each for each in found if each[1] not in EXTRAS.keys() - OLD] == []


def test_an_extra_brings_the_package_whose_import_failed():
    """`try: import x … except ImportError: raise MissingExtra(extra=e)`: e has the package of x."""
    homes = packages_distributions()
    checked = 0
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Try):
                continue
            for _, extra in missing_extras(ast.Module(list(node.handlers), [])):
                for module in _imported(node.body):
                    names = {name.lower() for name in homes.get(module, [module])}
                    assert names & brought(extra), f"{path.name}: {module} is not in '{extra}'"
                    checked += 1
    assert checked > 10


def _imported(body: list[ast.stmt]) -> set[str]:
    """The packages outside of the standard library and Sfumato that statements import."""
    import sys

    modules: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                modules.add(node.module.split(".")[0])
    return {name for name in modules if name != "sfumato"} - sys.stdlib_module_names


def test_the_demo_installs_the_core_alone_and_the_model_is_named_by_its_folder():
    """Otherwise pip would ask an index for it, which may have none, or somebody else's."""
    rules = dict(
        re.findall(
            r"^(\S+):.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE
        )
    )
    core = [line for line in rules["$(VENV)/.core"].splitlines() if "$(PIP)" in line]
    assert core == ["\t$(PIP) -e ."]
    for rule in ("$(VENV)/.installed", "lowest"):
        (line,) = (line for line in rules[rule].splitlines() if "'.[" in line)
        assert "-e $(MODEL) -e '.[" in line
    assert (
        "$(VENV)/.core" in (ROOT / "Makefile").read_text("utf-8").split("\ndemo:")[1].split("\n")[0]
    )
