"""Methods of synthesis and of tables of counts that somebody else declares: read, run, written and
verified like Sfumato's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas
import pytest

import sfumato as sf
from sfumato.errors import PolicyError
from sfumato.parts import parameter
from sfumato.policy import (
    SYNTHESIS_METHODS,
    TABULATION_METHODS,
    SynthesisMethod,
    TabulationMethod,
    read_tables_of_counts,
    tables_of_counts_as_table,
)
from sfumato.releases.checks import Check
from sfumato.releases.manifest import Manifest, ReleaseShape
from sfumato.releases.synthetic.table_file import write_table
from sfumato.releases.tabulated.counted_source import count_cells
from sfumato.releases.tabulated.method_facts import MethodFacts

PEOPLE = pandas.DataFrame({"sex": ["F"] * 7 + ["M"] * 4})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tens:
    unit: int = parameter("what counts are cut to multiples of", default=10, least=2)


def in_tens(engine: Any, policy: Any) -> MethodFacts:
    counted = count_cells(engine, policy, largest=0)
    values = counted.cells.values // policy.settings.unit * policy.settings.unit
    return MethodFacts(
        table=counted.cells.released(values),
        tree=counted.cells.tree,
        outcome="review",
        statement="Counts are cut.",
        released_facts={},
    )


def tens_verified(table: Any, tree: Any, policy: Any, facts: Any) -> Any:
    strange = sum(value % policy.settings.unit != 0 for value in table.values)
    yield Check(claim="multiples", outcome="fail" if strange else "pass", found=f"{strange}")


TENS = TabulationMethod(
    key="tens",
    doc="counts are cut to multiples",
    title="counts in tens",
    record=Tens,
    statement="Counts are cut.",
    tabulate=in_tens,
    verify=tens_verified,
    one_row=True,
)


def test_a_method_of_counts_of_another_package_is_read_run_and_verified(tmp_path):
    policy = {"tables_of_counts": {"method": "tens", "fields": ["sex"], "unit": 3}}
    with TABULATION_METHODS.including(TENS):
        read = read_tables_of_counts(policy)
        assert read_tables_of_counts(tables_of_counts_as_table(read)).settings == Tens(unit=3)
        made = sf.tabulate(PEOPLE, policy, to=tmp_path / "counts")
        assert sf.verify(made.folder, digest=made.digest).outcome == "pass"
        for wrong in ({"unit": 1}, {"base": 5}, {"rows_per_person": 2}):
            with pytest.raises(PolicyError, match=next(iter(wrong))):
                read_tables_of_counts({"tables_of_counts": policy["tables_of_counts"] | wrong})
    lines = (tmp_path / "counts" / "counts.csv").read_text().split()
    assert lines == ["sex,count", "Total,9", "F,6", "M,3"]
    with pytest.raises(PolicyError, match="tens"):
        read_tables_of_counts(policy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled:
    field: str = parameter("the field that is shuffled")


def read_shuffled(source: Any, **where: Any) -> Shuffled:
    return Shuffled(field=source["synthesis"]["field"])


def shuffled_as_table(policy: Shuffled) -> dict[str, object]:
    return {"synthesis": {"method": "shuffled", "field": policy.field}}


class ShuffledRun:
    def __init__(self, policy: Shuffled, progress: Any, chance: np.random.Generator) -> None:
        self.policy, self.chance = policy, chance

    def read(self, engine: Any) -> None:
        name = self.policy.field
        self.cells = [c for batch in engine.cells([name]) for c in batch[f"cell:{name}"].tolist()]

    def write(self, folder: Any, file_format: str, created: str) -> dict[str, Any]:
        columns = {self.policy.field: self.chance.permutation(self.cells).tolist()}
        entry = write_table(folder, "synthetic", columns, kinds={}, file_format=file_format)
        sections = {
            "statement": "Cells are shuffled.",
            "tables": {"synthetic": entry},
            "synthesis": {"method": "shuffled", "private": False},
            "policy": shuffled_as_table(self.policy),
        }
        shape = ReleaseShape.SYNTHETIC
        return Manifest(shape=shape, created=created, outcome="review", sections=sections).as_dict()

    def result(self, facts: Any) -> dict[str, Any]:
        return {"manifest": facts, "rows": len(self.cells), "outcome": "review"}


def shuffled_verified(release: Any, facts: Any) -> Any:
    fits = facts["synthesis"]["method"] == "shuffled"
    yield Check(claim="the method", outcome="pass" if fits else "fail", found="")


SHUFFLED = SynthesisMethod(
    key="shuffled",
    doc="cells of one field in another order",
    record=Shuffled,
    read=read_shuffled,
    as_table=shuffled_as_table,
    run=ShuffledRun,
    verify=shuffled_verified,
)


def test_a_method_of_synthesis_of_another_package_is_read_run_and_verified(tmp_path):
    policy = {"synthesis": {"method": "shuffled", "field": "sex"}}
    with SYNTHESIS_METHODS.including(SHUFFLED):
        made = sf.synthesize(PEOPLE, policy, to=tmp_path / "rows")
        assert (made.rows, made.outcome, made.epsilon) == (11, "review", None)
        assert sf.verify(made.folder, digest=made.digest).outcome == "pass"
    with pytest.raises(PolicyError, match="shuffled"):
        sf.synthesize(PEOPLE, policy)
