"""Messages name options of the command line; a caller from Python reads the keyword of the same
name. So each option that a message outside the command line names must be such a keyword."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import Mistake, options_of_shell, with_keywords

ROOT = Path(sf.__file__).parent
VERBS = ("release", "survey", "assess", "intrude", "sweep", "scrub", "verify", "synthesize")
SOURCE_OPTIONS = {"table", "schema", "encoding", "separator", "header=False", "rename_headers"}
SOURCE_OPTIONS |= {"null_words", "memory", "scratch", "engine"}
# Rooms that Python has no verb for: their messages are for people at a shell.
SHELL_ONLY = ("cli", "register", "gate")


def messages() -> Iterator[tuple[str, str]]:
    """Every literal text that is handed to an error as what was found or what to try."""
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] in SHELL_ONLY:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                given = [each.value for each in node.keywords if each.arg in ("found", "attempt")]
                for literal in (leaf for each in given for leaf in ast.walk(each)):
                    if isinstance(literal, ast.Constant) and isinstance(literal.value, str):
                        yield str(path.relative_to(ROOT)), literal.value


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
