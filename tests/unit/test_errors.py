"""The exception tree: what is whose mistake, how a message is made, and that the drawing is the
code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from sfumato import errors
from sfumato.errors import (
    Bug,
    MissingExtra,
    Mistake,
    PolicyError,
    Problem,
    SfumatoError,
    SourceError,
)


def test_a_message_says_what_was_asked_found_and_to_try() -> None:
    error = SourceError(
        "people.csv was asked for.", found="It is not there.", attempt="another name."
    )
    assert str(error) == "people.csv was asked for.\n  It is not there.\n  Try another name."
    assert (error.asked, error.found, error.attempt) == (
        "people.csv was asked for.",
        "It is not there.",
        "another name.",
    )


def test_parts_may_be_missing() -> None:
    assert str(SourceError("No.")) == "No."


def test_a_policy_error_tells_all_problems_at_once() -> None:
    one = Problem(where="fields.zip", found="no role.", attempt="a role.")
    two = Problem(where="require.k", found="k is 1.")
    assert (
        str(PolicyError([one], name="x.toml"))
        == "x.toml has 1 problem:\n1. fields.zip: no role. Try a role."
    )
    both = PolicyError(iter([one, two]))
    assert str(both).startswith("The policy has 2 problems:\n1. ")
    assert both.problems == (one, two)


def test_a_missing_extra_says_how_to_get_it() -> None:
    error = MissingExtra("An assessment", extra="assess")
    assert (error.extra, "pip install 'sfumato[assess]'" in str(error)) == ("assess", True)


def test_a_bug_is_not_the_callers_mistake() -> None:
    assert not isinstance(Bug("x"), Mistake)
    assert "nothing was released" in str(Bug("x"))


def _classes() -> dict[str, type[SfumatoError]]:
    return {
        name: c
        for name, c in vars(errors).items()
        if isinstance(c, type) and issubclass(c, SfumatoError)
    }


@pytest.mark.parametrize("name", list(_classes()))
def test_every_class_has_an_exit_code_and_a_docstring(name: str) -> None:
    assert _classes()[name].exit_code in (1, 2, 70)
    assert _classes()[name].__doc__


def test_the_tree_at_the_top_is_the_tree() -> None:
    drawn = re.findall(r"^ *[│├└─ ]*([A-Z]\w+)(?:  |$)", errors.__doc__ or "", re.MULTILINE)
    assert sorted(drawn) == sorted(_classes())
    for name, error in _classes().items():
        indented = re.search(
            rf"^ *((?:│   )*)(?:[├└]── )?{name}\b", errors.__doc__ or "", re.MULTILINE
        )
        assert indented is not None
        assert len(indented[1]) // 4 == max(0, error.__mro__.index(SfumatoError) - 1)


def test_problems_of_a_policy_never_follow_its_bare_name() -> None:
    """A message that starts with the stem of a file does not say what has the problems."""
    package = Path(errors.__file__).parent
    bare = [
        f"{path.relative_to(package)}:{node.lineno}"
        for path in sorted(package.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "PolicyError"
        for given in node.keywords
        if given.arg == "name" and isinstance(given.value, ast.Name | ast.Attribute)
    ]
    assert bare == []
