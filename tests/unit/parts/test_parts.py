"""Declared parts: parameters from records, reading by them, registries that refuse doubles and
broken packages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import Mistake, Problem
from sfumato.parts import (
    Direction,
    ParameterKind,
    Registry,
    parameter,
    parameters_of,
    schema_of,
    table_of,
)
from sfumato.policy.parameter_section import read_record
from sfumato.policy.table_cursor import Reader


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    k: int = parameter("people", least=2, example="5", stricter=Direction.UP)
    share: float = parameter("of rows", default=0.5, above=0, most=1)
    size: Size = parameter("how large", default=Size.SMALL)
    fields: tuple[str, ...] = parameter("which", default=(), kind=ParameterKind.FIELDS)

    def conflicts(self, given: frozenset[str]) -> Iterator[tuple[str, str, str]]:
        if "share" in given and self.size is Size.LARGE:
            yield "share", "A large one has no share.", "leaving it out."


def read(raw: dict[str, object]) -> tuple[Toy, list[Problem]]:
    problems: list[Problem] = []
    return read_record(
        Reader(raw, where="require.toy", problems=problems), Toy, folder=Path()
    ), problems


def test_parameters_come_from_the_record() -> None:
    found = {each.name: each for each in parameters_of(Toy)}
    assert [found[name].needed for name in found] == [True, False, False, False]
    assert found["size"].words == ("small", "large")
    assert found["share"].span == "above 0 to 1"
    assert found["k"].stricter is Direction.UP


def test_a_table_is_read_as_its_record() -> None:
    assert read({"k": 3, "size": "large", "fields": ["a"]}) == (
        Toy(k=3, size=Size.LARGE, fields=("a",)),
        [],
    )


def test_all_problems_of_a_table_are_told_at_once() -> None:
    _, problems = read({"share": 0, "size": "huge", "fields": "a", "strange": 1})
    assert {each.where for each in problems} == {
        f"require.toy.{name}" for name in ("k", "share", "size", "fields", "strange")
    }


def test_parameters_that_do_not_fit_each_other() -> None:
    _, problems = read({"k": 2, "size": "large", "share": 0.1})
    assert [each.found for each in problems] == ["A large one has no share."]


def test_schema_and_table_follow_the_record() -> None:
    schema = schema_of(Toy)
    assert schema["required"] == ["k"]
    assert schema["properties"]["share"] == {
        "type": "number",
        "description": "of rows",
        "exclusiveMinimum": 0,
        "maximum": 1,
        "default": 0.5,
    }
    assert "| `k` | whole number, 2 or more | needed | people |" in table_of(Toy)


@dataclass(frozen=True)
class Declared:
    key: str
    doc: str = ""


def registry() -> Registry[Declared]:
    return Registry("toy", room="sfumato.parts", group="sfumato.no_such_group")


def test_two_parts_of_one_name_are_refused() -> None:
    toys = registry()
    toys.declare(Declared("a"), origin="one 1.0")
    with pytest.raises(Mistake, match='Two toys are called "a"'):
        toys.declare(Declared("a", doc="another"), origin="two 2.0")


def test_parts_from_python_are_known_for_one_call() -> None:
    toys = registry()
    with toys.including(Declared("mine")):
        assert "mine" in toys
        assert toys.origin("mine") == "Python"
    assert "mine" not in toys


def test_a_thread_that_comes_second_waits_for_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import ThreadPoolExecutor, wait
    from threading import Event
    from types import SimpleNamespace

    from sfumato.parts import registry as module

    started, go_on = Event(), Event()

    def slow(room: str) -> Iterator[Any]:
        started.set()
        go_on.wait(600)
        yield SimpleNamespace(DECLARATION=Declared("late"), __name__="late")

    monkeypatch.setattr(module, "_modules", slow)
    toys = registry()
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(toys.all)
        started.wait(600)
        second = threads.submit(lambda: "late" in toys)
        wait(
            [second], timeout=0.5
        )  # one that does not wait for the first is done by then, with the wrong answer
        go_on.set()
        assert second.result(600)
        assert set(first.result(600)) == {"late"}
