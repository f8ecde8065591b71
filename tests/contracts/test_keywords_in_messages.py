"""Messages name options of the command line; a caller from Python reads the keyword of the same
name. So each option that a message outside the command line names must be such a keyword, and each
text that names one must be an error's, or pass through `as_caller_writes`."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import Mistake, as_caller_writes, options_of_shell, with_keywords

ROOT = Path(sf.__file__).parent
VERBS = (
    "release",
    "survey",
    "assess",
    "intrude",
    "sweep",
    "scrub",
    "verify",
    "synthesize",
    "refresh_views",
    "tabulate",
)
SOURCE_OPTIONS = {"table", "schema", "encoding", "separator", "header=False", "rename_headers"}
SOURCE_OPTIONS |= {"null_words", "memory", "master", "scratch", "engine"}
# Rooms that Python has no verb for: their messages are for people at a shell.
SHELL_ONLY = ("cli", "register", "gate")
# Printed by `sfumato survey` alone; and an option of Java.
OTHERS = {
    "surveys/survey_summary.py",
    "engines/spark/cluster.py",
    "text/formats/optical_reading.py",
}


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """The files that name an option of the shell somewhere."""
    return tuple(
        (path.relative_to(ROOT).as_posix(), ast.parse(text))
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] not in SHELL_ONLY
        and re.search("--[a-z]", text := path.read_text())
    )


def texts_below(nodes: Iterable[ast.AST]) -> Iterator[ast.Constant]:
    for leaf in (leaf for node in nodes for leaf in ast.walk(node)):
        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str):
            yield leaf


def called(node: ast.AST) -> str:
    return getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""


@cache
def messages() -> tuple[tuple[str, str], ...]:
    """Every literal text that is handed to an error as what was found or what to try, or that is
    written as its caller writes."""
    out: list[tuple[str, str]] = []
    for place, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                given = [each.value for each in node.keywords if each.arg in ("found", "attempt")]
                given += node.args if called(node) == "as_caller_writes" else []
                out += ((place, literal.value) for literal in texts_below(given))
    return tuple(out)


def reads_as_written(node: ast.AST) -> bool:
    """Whether a caller from Python reads keywords in the texts below: those of an error, or of
    `as_caller_writes`. A check has a `found` too, and is no error."""
    if isinstance(node, ast.Assign):
        return "attempt" in {getattr(each, "id", "") for each in ast.walk(node.targets[0])}
    if not isinstance(node, ast.Call) or called(node) == "Check":
        return False
    of_error = {"found", "attempt"} & {each.arg for each in node.keywords}
    return bool(of_error) or called(node) == "as_caller_writes"


def test_each_text_that_names_an_option_reads_as_its_caller_writes():
    left = []
    for place, tree in modules():
        nodes = list(ast.walk(tree))
        fine = {id(text) for text in texts_below(node for node in nodes if reads_as_written(node))}
        fine |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # Docstrings.
        left += [
            (place, text.value)
            for text in texts_below([tree])
            if id(text) not in fine and with_keywords(text.value) != text.value
        ]
    assert [each for each in left if each[0] not in OTHERS] == []


def test_each_option_in_a_message_is_a_keyword_of_python():
    keywords = {name for verb in VERBS for name in inspect.signature(getattr(sf, verb)).parameters}
    keywords |= SOURCE_OPTIONS
    named = [
        (place, name)
        for place, text in messages()
        if "--" in text
        for name in re.findall(r"`([a-z_=F]+)`", with_keywords(text))
    ]
    assert len(named) > 40
    assert [each for each in named if each[1] not in keywords] == []


def test_no_message_shows_an_option_to_python():
    left = [text for _, text in messages() if re.search(r"--[a-z]", with_keywords(text))]
    assert all("sfumato " in text for text in left)


def test_a_message_reads_as_its_caller_writes():
    error = Mistake("There is a release.", attempt="another folder with --to, or --replace.")
    assert str(error).endswith("Try another folder with `to`, or `replace`.")
    with options_of_shell():
        assert str(error).endswith("Try another folder with --to, or --replace.")
    assert error.attempt == "another folder with --to, or --replace."


def test_advice_reads_as_its_caller_writes():
    assert as_caller_writes("Assess again without --quick.") == "Assess again without `quick`."
    with options_of_shell():
        assert as_caller_writes("Assess again without --quick.") == "Assess again without --quick."


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Try --keep-people FILE too.", "Try `keep_people` FILE too."),
        ("Try --format csv or parquet.", "Try `file_format` csv or parquet."),
        ("Try sfumato key FILE, and --key FILE.", "Try sfumato key FILE, and `key` FILE."),
        ("Try `sfumato key --sign FILE`.", "Try `sfumato key --sign FILE`."),
        ("a -- b", "a -- b"),
    ],
)
def test_options_become_keywords_and_commands_stay(text, read):
    assert with_keywords(text) == read
