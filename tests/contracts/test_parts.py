"""The contract of declared parts: each is read, written back, in the schema, and says what it
does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema_rs import validator_for

from sfumato.cli.catalogue import REGISTRIES, registry_of
from sfumato.cli.shared_arguments import OPTIONS
from sfumato.engines import ENGINES, EngineDeclaration, FieldKind
from sfumato.engines.formats import FORMATS, released_suffixes
from sfumato.errors import Bug, Mistake
from sfumato.hierarchies import BUILDERS, HierarchySpec, builder_of, hierarchy_from_table
from sfumato.parts import ParameterKind, entries_of, parameter, parameters_of
from sfumato.policy import (
    TECHNIQUES,
    Policy,
    PolicyStep,
    TechniqueDeclaration,
    policy_as_table,
    policy_from_table,
)
from sfumato.policy.parameter_section import out_of_range
from sfumato.policy.policy_json_schema import policy_schema
from sfumato.releases.manifest_json_schema import manifest_schema
from sfumato.techniques import Cells, KeyedRandom, StepContext, StepResult, apply_step

ROWS = 24
FIELDS = ("a", "b", "c")
OWN = {
    "select": {"least": 45},
    "suppress": {"rarer_than": 2},
    "top_bottom": {"top_share": 0.2},
}
"""What a technique needs besides what its parameters say is needed."""


@pytest.fixture(scope="module")
def validator():
    return validator_for(policy_schema())


def usual(declared: TechniqueDeclaration) -> dict[str, Any]:
    """A step with the least that the technique takes, as its examples have it."""
    least, _ = declared.fields
    needed = needed_of(declared)
    names = {"fields": list(FIELDS[: max(least, 0)])} if least else {}
    return {"technique": declared.key, **names, **needed, **OWN.get(declared.key, {})}


def needed_of(declared: TechniqueDeclaration) -> dict[str, Any]:
    return {each.name: json.loads(each.example) for each in declared.parameters if each.needed}


def table_of(step: dict[str, Any]) -> dict[str, Any]:
    decided: dict[str, Any] = dict.fromkeys(FIELDS, "insensitive")
    decided["a"] = (
        {"role": "quasi", "hierarchy": {"prefix": [1]}}
        if step["technique"] == "substitute"
        else "sensitive"
    )
    return {"fields": decided, "steps": [step], "require": {"k": 2}}


def policy_of(step: dict[str, Any]) -> Policy:
    return policy_from_table(table_of(step))


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_part_says_what_it_does_and_what_each_parameter_means(kind: str) -> None:
    entries = entries_of(registry_of(kind))
    assert entries
    for entry in entries:
        assert entry.doc, entry.key
        assert not entry.doc.endswith("."), entry.key
        assert all(each.doc and not each.doc.endswith(".") for each in entry.parameters), entry.key
        assert entry.as_json()["origin"] == "sfumato"


@pytest.mark.parametrize("key", tuple(TECHNIQUES))
def test_every_technique_is_read_written_and_in_the_schema(key: str, validator: Any) -> None:
    declared = TECHNIQUES[key]
    policy = policy_of(usual(declared))
    assert policy.steps[0].declaration is declared
    assert {each.name for each in fields(declared.record)} == {
        each.name for each in declared.parameters
    }
    again = policy_from_table(policy_as_table(policy))
    assert again.steps == policy.steps
    assert repr(again.steps) == repr(policy.steps), "chance under a key is bound to this text"
    validator.validate({"steps": policy_as_table(policy)["steps"]})


@pytest.mark.parametrize("key", tuple(TECHNIQUES))
def test_what_a_technique_does_not_take_is_refused_by_the_schema_too(
    key: str, validator: Any
) -> None:
    step = usual(TECHNIQUES[key])
    assert not validator.is_valid({"steps": [step | {"nobody_knows": 1}]})
    for each in TECHNIQUES[key].parameters:
        for wrong in _wrong(each):
            with pytest.raises(Exception, match=each.name):
                policy_of(step | {each.name: wrong})
            assert not validator.is_valid({"steps": [step | {each.name: wrong}]}), each.name


def _wrong(each: Any) -> list[Any]:
    if each.words:
        return ["no such word"]
    if each.kind in (ParameterKind.WHOLE, ParameterKind.NUMBER):
        beyond = [] if each.least is None or each.least == -np.inf else [each.least - 1]
        return [
            "text",
            *beyond,
            *([each.least] if each.exclusive else []),
            *([each.most + 1] if each.most else []),
        ]
    return [3.5]


@pytest.mark.parametrize("key", tuple(TECHNIQUES))
def test_every_technique_gives_an_account_of_what_it_did(key: str, tmp_path: Any) -> None:
    policy = policy_of(usual(TECHNIQUES[key]))
    digits = np.arange(ROWS) + 40
    columns = {
        name: [str(number + at) for number in digits.tolist()] for at, name in enumerate(FIELDS)
    }
    kinds = dict.fromkeys(FIELDS, FieldKind.INTEGER)
    cells = Cells.of_columns(columns, kinds=kinds)
    around = StepContext(
        policy=policy,
        chance=KeyedRandom(bytes(32)),
        secret=lambda domain: bytes(range(32)),
        folder=tmp_path,
    )
    done = apply_step(cells, policy.steps[0], around)
    assert set(policy.steps[0].fields) <= set(done.words)
    assert all(done.words.values())
    assert (len(done.cells) == ROWS) or TECHNIQUES[key].tuples


@pytest.mark.parametrize("key", tuple(TECHNIQUES))
def test_a_step_made_in_python_is_held_to_the_ranges_too(key: str) -> None:
    for each in TECHNIQUES[key].parameters:
        if each.kind in (ParameterKind.WHOLE, ParameterKind.NUMBER) and each.least not in (
            None,
            -np.inf,
        ):
            wrong = TECHNIQUES[key].record(
                **needed_of(TECHNIQUES[key]) | {each.name: each.least - 1}
            )
            assert [name for name, _ in out_of_range(wrong)] == [each.name]


@pytest.mark.parametrize("key", tuple(BUILDERS))
def test_every_builder_of_hierarchies_is_read_written_and_in_the_schema(
    key: str, validator: Any
) -> None:
    declared = BUILDERS[key]
    spec = hierarchy_from_table(declared.example)
    assert isinstance(spec, HierarchySpec)
    assert hierarchy_from_table(spec.describe()) == spec  # type: ignore[arg-type]
    assert builder_of(spec) == key
    field = {"role": "quasi", "hierarchy": dict(declared.example)}
    validator.validate({"fields": {"x": field}})
    assert not validator.is_valid(
        {"fields": {"x": field | {"hierarchy": {**declared.example, "nobody_knows": 1}}}}
    )
    assert key in declared.example
    assert declared.inside or key in {each.name for each in parameters_of(declared.record)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubling:
    """A technique of somebody else's, in one place."""

    times: int = parameter("how often a number is taken", default=2, least=2)


def doubled(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    for name in step.fields:
        cells = cells.with_numbers(name, cells.numbers(name) * step.settings.times)
    return StepResult(
        cells=cells, words=dict.fromkeys(step.fields, f"multiplied by {step.settings.times}")
    )


TOY = TechniqueDeclaration(
    key="double", doc="numbers are multiplied", title="doubling", record=Doubling, apply=doubled
)


def test_a_technique_from_outside_needs_only_its_declaration() -> None:
    with TECHNIQUES.including(TOY):
        policy = policy_of({"technique": "double", "fields": ["b"], "times": 3})
        cells = Cells.of_columns({"b": ["1", "2"]}, kinds={"b": FieldKind.INTEGER})
        around = StepContext(
            policy=policy, chance=KeyedRandom(bytes(32)), secret=lambda domain: bytes(32)
        )
        done = apply_step(cells, policy.steps[0], around)
        assert done.cells.columns["b"].tolist() == ["3", "6"]
        assert not policy.steps[0].truthful
        assert policy.steps[0].draws
        assert validator_for(policy_schema()).is_valid({"steps": policy_as_table(policy)["steps"]})
    with pytest.raises(Exception, match='There is no technique "double"'):
        policy_of({"technique": "double", "fields": ["b"]})


def renumbered(cells: Cells) -> Cells:
    return replace(cells, rows=cells.rows + 1)


def with_another_field(cells: Cells) -> Cells:
    return replace(cells, columns={**cells.columns, "name": cells.columns["b"]})


def with_others(cells: Cells) -> Cells:
    return cells.with_texts("a", cells.columns["b"])


UNDECLARED: dict[str, tuple[Callable[[Cells], Cells], str]] = {
    "drops": (lambda cells: cells.only(np.array([True, False])), "leaves out 1 row"),
    "adds": (lambda cells: cells.with_made_up(dict(cells.columns)), "makes up 2 rows"),
    "repeats": (lambda cells: cells.only(np.array([0, 1, 1])), "repeats rows"),
    "numbers": (renumbered, "leaves out|repeats rows"),
    "brings": (with_another_field, "fields that it was not given"),
    "changes": (with_others, "changes a and gives no account"),
    "secretly": (lambda c: replace(c, columns={**c.columns, "b": c.columns["a"]}), "changes b"),
}
"""What a technique could do besides what it says."""


@pytest.mark.parametrize("what", UNDECLARED)
def test_what_a_technique_does_and_does_not_declare_is_refused(what: str) -> None:
    done, said = UNDECLARED[what]
    words = {} if what == "secretly" else {"b": "changed"}
    declared = TechniqueDeclaration(
        key="other",
        doc="something else is done",
        title="another",
        record=Doubling,
        apply=lambda cells, step, around: StepResult(cells=done(cells), words=words),
    )
    cells = Cells.of_columns({"a": ["x", "y"], "b": ["1", "2"]}, kinds={"b": FieldKind.INTEGER})
    with TECHNIQUES.including(declared):
        policy = policy_of({"technique": "other", "fields": ["b"]})
        with pytest.raises(Mistake, match=f"does not do what it declares.\\n.*({said})"):
            apply_step(cells, policy.steps[0], None)  # type: ignore[arg-type]


def test_a_technique_without_an_account_is_refused() -> None:
    silent = TechniqueDeclaration(
        key="silent",
        doc="nothing is said",
        title="silence",
        record=Doubling,
        apply=lambda cells, step, around: cells,
    )
    with TECHNIQUES.including(silent):
        policy = policy_of({"technique": "silent", "fields": ["b"]})
        with pytest.raises(Mistake, match="no account"):
            apply_step(Cells.of_columns({"b": ["1"]}, kinds={}), policy.steps[0], None)  # type: ignore[arg-type]


def test_a_part_of_ours_that_breaks_its_declaration_is_our_bug() -> None:
    assert isinstance(TECHNIQUES.fault("round", "It leaves out 1 row."), Bug)


def test_a_name_that_is_taken_is_refused() -> None:
    with (
        pytest.raises(Mistake, match='Two techniques are called "round"'),
        TECHNIQUES.including(
            TechniqueDeclaration(
                key="round", doc="another", title="another", record=Doubling, apply=doubled
            )
        ),
    ):
        pass


def test_every_declared_suffix_has_a_reader_and_every_reader_a_declared_suffix() -> None:
    from sfumato.engines.duckdb.readers import READERS

    assert {suffix for each in FORMATS.all().values() for suffix in each.suffixes} == set(READERS)


def test_releases_are_written_in_the_formats_that_say_so() -> None:
    from argparse import ArgumentParser

    from sfumato.cli import release

    parser = ArgumentParser()
    release.configure(parser)
    offered = next(
        action.choices for action in parser._actions if "--format" in action.option_strings
    )
    assert {f".{word}" for word in offered or ()} == set(released_suffixes())


def test_engines_are_data_until_they_are_opened() -> None:
    """Listing engines imports no driver, so that it works where an extra is not installed."""
    code = (
        "import sys; from sfumato.engines import ENGINES; list(ENGINES);"
        "print([name for name in ('duckdb', 'psycopg', 'pyspark') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("key", tuple(ENGINES))
def test_every_engine_takes_options_of_the_command_line_and_writes_a_declared_format(
    key: str,
) -> None:
    declared = ENGINES[key]
    assert set(declared.options) <= set(OPTIONS)
    assert not declared.usual_format or f".{declared.usual_format}" in released_suffixes()


def test_an_engine_from_outside_makes_a_release(tmp_path: Path) -> None:
    from sfumato import release
    from sfumato.engines.reference.engine import ReferenceEngine

    class Mine(ReferenceEngine):
        name = "mine"

    mine = EngineDeclaration(
        key="mine",
        doc="an engine of another package",
        can=ReferenceEngine.abilities,
        open=Mine,
        open_tables=ENGINES["reference"].open_tables,
        usual_format="csv",
    )
    rows = "zip,sex\n" + "02138,F\n" * 3 + "02139,M\n" * 3
    (tmp_path / "people.csv").write_text(rows, encoding="utf-8")
    policy = policy_from_table({"fields": {"zip": "quasi", "sex": "quasi"}, "require": {"k": 3}})
    with ENGINES.including(mine):
        made = release(tmp_path / "people.csv", policy=policy, to=tmp_path / "out", engine="mine")
    assert made.outcome == "pass"
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    validator = validator_for(manifest_schema())
    validator.validate(manifest)
    assert not validator.is_valid(manifest | {"strange": 1})
    assert not validator.is_valid(
        {key: value for key, value in manifest.items() if key != "verdicts"}
    )
    assert (tmp_path / "out" / "release.csv").read_text(encoding="utf-8").count("02138") == 3


def test_a_report_shows_no_parameter_that_a_builder_does_not_release() -> None:
    from sfumato.assessment.method_tables import _hierarchy

    facts = {"height": 2, "sha256": "0" * 64}
    told = {
        key: _hierarchy("x", facts | {"made_by": dict(each.example)})[1]
        for key, each in BUILDERS.all().items()
    }
    assert told["prefix"] == "prefix 4, 3"
    assert told["ordered"] == "ordered; widths 2"
    assert told["tree"] == "tree"
    assert _hierarchy("x", facts | {"made_by": {"of_nobody": ["Alice"]}})[1] == "of_nobody"


def test_list_and_schema_print_what_is_declared(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from sfumato.cli import main

    assert main(["list", "techniques"]) == 0
    assert "microaggregate" in capsys.readouterr().out
    assert main(["list", "techniques", "round", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["parameters"][0] == {
        "name": "base",
        "holds": "number, 1e-09 or more",
        "needed": True,
        "default": None,
        "doc": "to multiples of this",
    }
    assert main(["list", "techniques", "rond"]) == 2
    assert 'Did you mean "round"?' in capsys.readouterr().err
    assert main(["schema", "policy", "--to", str(tmp_path / "policy.json")]) == 0
    assert json.loads((tmp_path / "policy.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(policy_schema())
    )
    assert main(["schema", "manifest"]) == 0
    assert "anyOf" in json.loads(capsys.readouterr().out)
