"""The attacker of synthetic rows is proven: rows that copy the source are red, rows that were made
with an account are not, and rows of other people are not either."""

from __future__ import annotations

import csv
import json
from contextlib import ExitStack

import numpy as np
import pytest

import sfumato as sf
from sfumato.assessment.synthetic.coded_rows import CodedRows, coded_rows
from sfumato.assessment.synthetic.marginal_distance import marginal_distances
from sfumato.assessment.synthetic.membership import membership_gap
from sfumato.assessment.synthetic.partial_copies import partial_copies
from sfumato.assessment.synthetic.reencoded_fields import reencoded_fields
from sfumato.assessment.synthetic.row_copies import copies
from sfumato.assessment.synthetic.synthetic_judgements import (
    about_compared_fields,
    about_copies,
    about_membership,
    about_partial_copies,
    about_shared_values,
)
from sfumato.cli import main
from sfumato.engines import open_source

FIELDS = ("age", "zip", "work", "ill", "salary", "size")


def people(count, seed):
    """Near-unique people: fields go together a little."""
    chance = np.random.default_rng(seed)
    age = chance.integers(18, 90, count)
    zips = chance.integers(0, 40, count)
    work = (age // 15 + chance.integers(0, 4, count)) % 9
    ill = (age + chance.integers(0, 60, count) > 95).astype(int)
    salary = (work * 700 + chance.normal(2000, 900, count)).astype(int)
    return np.column_stack([age, zips, work, ill, salary, chance.integers(0, 30, count)])


def written(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        writer.writerows(rows.tolist())
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthetic")
    return {
        "source": written(folder / "source.csv", people(1500, 1)),
        "control": written(folder / "control.csv", people(1500, 2)),
        "strangers": written(folder / "strangers.csv", people(1500, 3)),
    }


def assessed(tables, made, **more):
    return sf.assess(
        made, source=tables["source"], control=tables["control"], sensitive=["ill"], **more
    )


def test_rows_that_copy_the_source_are_red(tables):
    found = assessed(tables, tables["source"], synthetic=True)
    assert found.outcome == "fail"
    assert found.membership.low > 0.9
    assert found.copies.of_source == 1
    assert [one.outcome for one in found.judgements[1:4]] == ["fail", "fail", "fail"]
    singled = found.attacks["singling out:several fields"]
    assert singled.risk.low > 0.2


JITTER = np.array([1, 1, 0, 0, 20, 1])
DISGUISES = {
    "nothing": lambda rows: rows,
    "shifted and scaled": lambda rows: rows * 3 + 1000,
    "rounded": lambda rows: np.column_stack(
        [rows[:, 0] // 5 * 5, rows[:, 1:4], rows[:, 4:] // 10 * 10]
    ),
    "jittered": lambda rows: rows + np.random.default_rng(4).integers(-1, 2, rows.shape) * JITTER,
    "a tenth of the rows": lambda rows: np.concatenate([rows[:150], people(1350, 3)]),
    "twelve rows": lambda rows: rows[:12],
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_copies_in_disguise_are_no_pass(tables, disguise):
    """Each evades one comparison; another meets it."""
    source, control = people(1500, 1), people(1500, 2)
    made = DISGUISES[disguise](source)
    found = judged(made, source, control)
    assert "fail" in found
    assert set(judged(people(1500, 3), source, control)) == {"pass"}


@pytest.mark.long("an assessment for each share; one stays", but=("0.3",))
@pytest.mark.parametrize("kept", [0.3, 0.7])
def test_people_copied_in_part_are_no_pass(kept):
    """Each cell is replaced by another one of its column, but for some: few rows are near anybody,
    and over many people their own combinations are met too often."""
    chance = np.random.default_rng(8)
    tables = []
    for seed in (1, 2, 3):
        rows = people(6000, seed)
        more = chance.integers(0, 12, (6000, 4)) // chance.integers(1, 4, (6000, 4))
        tables.append(np.column_stack([rows[:, 0] // 3, rows[:, 1:4], rows[:, 5] // 4, more]))
    source, control, strangers = (table.astype(np.int32) for table in tables)
    made = np.where(chance.random(source.shape) < kept, source, chance.permuted(source, axis=0))
    sizes = tuple(int(column.max()) + 1 for column in source.T)
    for rows, outcomes in ((made, {"review", "fail"}), (strangers, {"pass"})):
        coded = CodedRows(
            fields=tuple(map(str, range(source.shape[1]))),
            sizes=sizes,
            ordered=(False,) * len(sizes),
            made=rows,
            source=source,
            control=control,
            ranked=(rows, source, control),
        )
        (judged,) = about_partial_copies(partial_copies(coded, seed=0))
        assert judged.outcome in outcomes


def test_copies_in_capitals_with_blanks_and_other_dtypes_are_met(tmp_path):
    source, control = people(1500, 1), people(1500, 2)
    words = [f" Ward {n}" for n in range(100)]
    plain = [[words[row[0]].strip().lower(), *row[1:]] for row in source.tolist()]
    odd = [[words[row[0]].upper(), *map(float, row[1:])] for row in source.tolist()]
    others = [[words[row[0]].strip().lower(), *row[1:]] for row in control.tolist()]
    assert judged(odd, plain, others)[:2] == ("fail", "fail")


def judged(made, source, control):
    tables = [
        [dict(zip(FIELDS, row, strict=True)) for row in rows] for rows in (made, source, control)
    ]
    with ExitStack() as stack:
        rows = coded_rows(
            *(stack.enter_context(open_source(one, engine="reference")) for one in tables)
        )
    told = [
        *about_membership(membership_gap(rows, seed=0), epsilon=None),
        *about_copies(copies(rows)),
        *about_shared_values(rows.shared_values, control=True),
        *about_compared_fields(rows.left_out, reencoded_fields(rows)),
    ]
    return tuple(one.outcome for one in told)


@pytest.mark.long(
    "an assessment of copied numbers and of copied texts; the texts stay", but=("texts",)
)
@pytest.mark.parametrize("digits", [True, False], ids=["numbers", "texts"])
def test_numbers_and_names_that_were_copied_are_red(tables, tmp_path, digits):
    """In rows that are otherwise strangers': no row is a copy, and each number is somebody's."""
    ids = {}
    for name, first in (("source", 10_000_000), ("control", 20_000_000)):
        rows = tables[name].read_text(encoding="utf-8").splitlines()
        ids[name] = [f"{'' if digits else 'id'}{first + 7 * n}" for n in range(len(rows) - 1)]
        with_ids = [f"{rows[0]},number", *map(",".join, zip(rows[1:], ids[name], strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(with_ids) + "\n", encoding="utf-8")
    rows = tables["strangers"].read_text(encoding="utf-8").splitlines()
    made = [f"{rows[0]},number", *map(",".join, zip(rows[1:], ids["source"], strict=True))]
    (tmp_path / "made.csv").write_text("\n".join(made) + "\n", encoding="utf-8")
    found = sf.assess(
        tmp_path / "made.csv",
        source=tmp_path / "source.csv",
        control=tmp_path / "control.csv",
        sensitive=["ill"],
        synthetic=True,
    )
    assert found.copies.of_source == 0
    copied = next(one for one in found.judgements if "few people have" in one.question)
    assert copied.outcome == "fail"
    assert "number" in copied.answer


def test_a_field_that_nothing_was_compared_with_is_a_question(tables, tmp_path):
    rows = tables["strangers"].read_text(encoding="utf-8").splitlines()
    made = [f"{rows[0]},remark", *(f"{row},x{n}" for n, row in enumerate(rows[1:]))]
    (tmp_path / "made.csv").write_text("\n".join(made) + "\n", encoding="utf-8")
    found = assessed(tables, tmp_path / "made.csv", synthetic=True)
    copied = next(one for one in found.judgements if "every field" in one.question)
    assert copied.outcome == "review"
    assert "remark" in copied.answer


def test_rows_of_other_people_give_nobody_away(tables):
    found = assessed(tables, tables["strangers"], synthetic=True)
    assert found.membership.low < 0.01
    assert found.copies.of_source < 0.02
    assert {one.outcome for one in found.judgements[1:]} == {"pass"}
    assert found.judgements[0].outcome == "review"  # No account came with them.
    pairs = found.distances[1]
    assert 0.5 * pairs.floor < pairs.to_source < 2 * pairs.floor


def test_rows_with_an_account_are_assessed_from_their_folder(tables, tmp_path, capsys):
    domains = {
        "age": {"least": 0, "most": 110},
        "zip": {"least": 0, "most": 40},
        "work": [str(n) for n in range(9)],
        "ill": ["0", "1"],
        "salary": {"least": -5000, "most": 15000},
        "size": {"least": 0, "most": 30},
    }
    made = sf.synthesize(tables["source"], epsilon=3, domains=domains, to=tmp_path / "made")
    found = assessed(tables, made)
    assert found.judgements[0].outcome == "pass"
    assert found.membership.low < 0.01
    told = ["assess", str(made.folder), "--source", str(tables["source"])]
    told += ["--control", str(tables["control"]), "--sensitive", "ill"]
    told += ["--to", str(tmp_path / "page.html"), "--json", str(tmp_path / "numbers.json")]
    assert main(told) in (0, 3)
    numbers = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    assert numbers["outcome"] == found.outcome
    assert numbers["distances"][0]["to_source"] == found.distances[0].to_source
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "In short" in page
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_distances_are_those_of_the_definition(tables):
    """Recounted by hand over one field and over two, of values that are not cut into classes."""
    with (
        open_source(tables["strangers"]) as made,
        open_source(tables["source"]) as source,
    ):
        rows = coded_rows(made, source, None)
        found = marginal_distances(rows, seed=0)
    raw = [np.loadtxt(tables[name], delimiter=",", skiprows=1) for name in ("strangers", "source")]
    for columns in ((0,), (1,), (2, 3)):
        counted = []
        for table in raw:
            keys, counts = np.unique(table[:, columns], axis=0, return_counts=True)
            counted.append({tuple(k): n / len(table) for k, n in zip(keys, counts, strict=True)})
        cells = counted[0].keys() | counted[1].keys()
        by_hand = sum(abs(counted[0].get(c, 0) - counted[1].get(c, 0)) for c in cells) / 2
        worst = dict(found[len(columns) - 1].worst)
        name = ", ".join(FIELDS[c] for c in columns)
        assert name not in worst or worst[name] == pytest.approx(by_hand)
    assert found[0].to_source <= found[1].to_source <= found[2].to_source


def test_what_is_not_looked_at_is_refused(tables):
    with pytest.raises(sf.errors.Mistake, match="population"):
        assessed(tables, tables["strangers"], synthetic=True, population=tables["control"])
    with pytest.raises(sf.errors.Mistake, match="without its source"):
        sf.assess(tables["strangers"], synthetic=True)
    with pytest.raises(sf.errors.Mistake, match="colour is no field"):
        sf.assess(
            tables["strangers"], source=tables["source"], sensitive=["colour"], synthetic=True
        )
