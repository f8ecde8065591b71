"""mu-Argus: what is checked, which cells are blanked, and the session in which a person chooses
levels."""

from __future__ import annotations

import doctest
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins
from sfumato.cli import main
from sfumato.errors import HierarchyError, Mistake
from sfumato.hierarchies import Hierarchy, Label
from sfumato.policy import policy_as_toml, policy_from_table
from sfumato.protection import Combinations
from sfumato.releases import release
from sfumato.solvers.mu_argus import MuArgus, count_unsafe
from sfumato.solvers.mu_argus_session import MuArgusSession

PAGE = Path(__file__).parents[3] / "docs" / "solvers" / "mu-argus.md"
FIELDS = ("zip", "sex", "job")
RANKS = {"zip": 3, "sex": 2, "job": 1}
VALUES = {
    "zip": ["02138", "02139", "02141", None],
    "sex": ["f", "m"],
    "job": ["Bäcker", "医者", None, "smith"],
}
tables = st.lists(
    st.tuples(*(st.sampled_from(VALUES[name]) for name in FIELDS)), min_size=1, max_size=25
)


def bins_of(rows: list[tuple[Label, ...]]) -> Bins:
    return Bins.of(FIELDS, Counter(rows))


def bound(bins: Bins) -> dict[str, Hierarchy]:
    ladders = {
        "zip": lambda v: (v, v and v[:4] + "*", "*"),
        "sex": lambda v: (v, "*"),
        "job": lambda v: (v, "*"),
    }
    return {
        n: Hierarchy.from_rows([ladders[n](v) for v in bins.labels[f]])
        for f, n in enumerate(FIELDS)
    }


def released(rows: list[tuple[Label, ...]], **settings: object) -> tuple[Bins, Bins]:
    bins = bins_of(rows)
    solution = MuArgus(k=2, ranks=RANKS, **settings).solve(bins, bound(bins))
    return bins, solution.recoding.apply(bins, bound(bins))


def test_what_is_checked_follows_the_ranks():
    solver = MuArgus(k=2, ranks={"a": 3, "b": 2, "c": 1, "d": 1, "e": 0})
    checked = set(solver.combinations(("a", "b", "c", "d", "e")))
    assert {("a",), ("b",), ("c",), ("d",)} <= checked
    assert ("c", "d") not in checked
    assert {("a", "b"), ("a", "c"), ("b", "d")} <= checked
    assert {("a", "b", "c"), ("a", "b", "d")} <= checked
    assert ("a", "c", "d") not in checked
    assert not any("e" in combination for combination in checked)


def test_a_required_size_that_ranks_choose_none_of_is_checked_whole():
    """Nobody ranked the fields, or none as most identifying: then no pair, or triple, is left
    out."""
    unranked = MuArgus(k=2, ranks={}, sizes=(2,)).combinations(FIELDS)
    assert set(combinations(FIELDS, 2)) <= set(unranked)
    assert FIELDS not in unranked
    assert FIELDS in MuArgus(k=2, ranks={"zip": 2}, sizes=(2, 3)).combinations(FIELDS)
    ranked = MuArgus(k=2, ranks=RANKS, sizes=(2, 3)).combinations(FIELDS)
    assert ranked == MuArgus(k=2, ranks=RANKS).combinations(FIELDS)


def test_max_size_bounds_the_combinations():
    assert max(map(len, MuArgus(k=2, ranks=RANKS, max_size=2).combinations(FIELDS))) == 2
    assert max(map(len, MuArgus(k=2, ranks=RANKS, max_size=1).combinations(FIELDS))) == 1


def test_one_cell_is_blanked_where_one_cell_is_enough():
    rows = [("02138", "f", "smith")] * 3 + [("02139", "f", "smith")]
    _, after = released(rows)
    assert after.sizes() == {("02138", "f", "smith"): 3, ("*", "f", "smith"): 1}


def cells_of(bins: Bins, solver: MuArgus) -> dict[tuple[Label, ...], tuple[Label, ...]]:
    """Each source tuple with its released cells."""
    labels, codes = solver.solve(bins, bound(bins)).recoding.cells(bins, bound(bins))
    cells = [
        tuple(names[code] for names, code in zip(labels, row, strict=True))
        for row in codes.tolist()
    ]
    return dict(zip(bins.tuples(), cells, strict=True))


def test_precedence_goes_to_the_value_in_most_outliers():
    # (zip, sex) is rare on both men's rows; "m" is in two outliers, each ZIP in one.
    women = [("02138", "f", "smith")] * 3 + [("02141", "f", "smith")] * 3
    men = [("02138", "m", "smith"), ("02141", "m", "smith")]
    cells = cells_of(bins_of(women + men), MuArgus(k=2, ranks={"zip": 2, "sex": 2, "job": 0}))
    assert [cells[row] for row in men] == [("02138", "*", "smith"), ("02141", "*", "smith")]


def test_counting_once_can_leave_unsafe_combinations_and_repeating_does_not():
    # The first row's ZIP is blanked, and so the second is the only one left with this ZIP and job.
    rows = [("02139", "f", "smith"), ("02139", "m", "smith")] + [("02139", "m", "Bäcker")] * 2
    rows += [("02138", "f", "smith")] * 2 + [("02138", "m", "smith")] * 2
    left = []
    for repeat in (False, True):
        bins = bins_of(rows)
        solver = MuArgus(k=2, ranks={"zip": 2, "sex": 2, "job": 1}, repeat=repeat)
        solution = solver.solve(bins, bound(bins))
        left.append(count_unsafe(solution.recoding.apply(bins, bound(bins)), solver.model(FIELDS)))
    assert left == [1, 0]


@given(tables, st.integers(1, 4), st.booleans())
@settings(max_examples=example_count(80), deadline=None)
def test_a_recount_finds_nothing_unsafe_and_no_row_is_lost(
    rows: list[tuple[Label, ...]], k: int, zips_first: bool
):
    bins = bins_of(rows)
    session = MuArgusSession(bins, bound(bins), MuArgus(k=k, ranks=RANKS))
    if zips_first:
        session.recode("zip", 1)
    recoding = session.solve().recoding
    after = recoding.apply(bins, bound(bins))
    assert after.rows == bins.rows
    assert recoding.bin_of.tolist() == list(range(len(bins)))
    model = Combinations(k=k, combinations=MuArgus(k=k, ranks=RANKS).combinations(FIELDS))
    assert not model.failing(after).any()
    at = np.array([1 if zips_first else 0, 0, 0])
    tops = np.array([bound(bins)[name].height for name in FIELDS])
    assert ((recoding.levels == at) | (recoding.levels == tops)).all()


@given(tables, st.integers(2, 3))
@settings(max_examples=example_count(60), deadline=None)
def test_the_first_round_blanks_a_smallest_cover(rows: list[tuple[Label, ...]], k: int):
    bins = bins_of(rows)
    solver = MuArgus(k=k, ranks=RANKS, repeat=False)
    model = solver.model(FIELDS)
    blank, _ = solver.blanked(bins)
    for b in range(len(bins)):
        unsafe = [set(c) for c in model.combinations if model.unsafe(bins, c)[b]]
        covers = [
            set(chosen)
            for size in range(len(FIELDS) + 1)
            for chosen in combinations(FIELDS, size)
            if all(set(chosen) & combination for combination in unsafe)
        ]
        mine = {name for name, gone in zip(FIELDS, blank[b], strict=True) if gone}
        assert mine in covers
        assert len(mine) == min(map(len, covers))


def test_the_notes_say_how_far_from_k_anonymous_it_is():
    rows = [("02138", "f", "smith")] * 2 + [("02139", "m", "smith")] * 2 + [("02138", "m", "smith")]
    bins = bins_of(rows)
    notes = MuArgus(k=2, ranks={"zip": 1, "sex": 1, "job": 1}).solve(bins, bound(bins)).notes
    assert notes[0] == "0 cells are blanked; 0 values of checked combinations occur under 2 times."
    assert "hold 1 row read strict and 1 row read wildcard, of 5" in notes[1]


def test_a_hierarchy_that_does_not_end_in_a_star_is_refused():
    bins = bins_of([("02138", "f", "smith")])
    hierarchies = bound(bins) | {"sex": Hierarchy.from_rows([("f", "person")])}
    with pytest.raises(HierarchyError, match="must end in") as caught:
        MuArgus(k=2, ranks=RANKS).solve(bins, hierarchies)
    assert caught.value.found == "That of sex does not."


def test_one_row_and_no_row():
    _, after = released([("02138", "f", "医者")])
    assert after.sizes() == {("*", "*", "*"): 1}
    bins = bins_of([])
    hierarchies = {name: Hierarchy.from_rows([(None, "*")]) for name in FIELDS}
    assert len(MuArgus(k=2, ranks=RANKS).solve(bins, hierarchies).recoding.bin_of) == 0


def test_the_example_on_the_page_runs():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0


class TestSession:
    rows = (
        ("02138", "f", "smith"),
        ("02139", "f", "smith"),
        ("02138", "m", "smith"),
        ("02139", "m", "smith"),
    )

    def session(self) -> MuArgusSession:
        bins = bins_of(list(self.rows))
        return MuArgusSession(bins, bound(bins), MuArgus(k=2, ranks={"zip": 2, "sex": 2, "job": 1}))

    def test_a_preview_counts_and_changes_nothing(self):
        session = self.session()
        effect = session.preview("zip", 1)
        assert (effect.unsafe_before, effect.unsafe_after) == (4, 0)
        assert (effect.distinct_before, effect.distinct_after) == (2, 1)
        assert effect.cells_before > effect.cells_after == 0
        assert session.levels == {"zip": 0, "sex": 0, "job": 0}

    def test_recoding_can_be_undone_and_redone(self):
        session = self.session()
        session.recode("zip", 1)
        session.recode("sex", 1)
        session.undo()
        assert session.levels == {"zip": 1, "sex": 0, "job": 0}
        session.redo()
        assert session.levels["sex"] == 1
        session.undo()
        session.recode("job", 1)
        with pytest.raises(Mistake, match="redo"):
            session.redo()

    def test_there_must_be_something_to_undo(self):
        with pytest.raises(Mistake, match="undo"):
            self.session().undo()

    @pytest.mark.parametrize(("field", "level"), [("name", 1), ("zip", 3), ("zip", -1)])
    def test_unknown_fields_and_levels_are_mistakes(self, field: str, level: int):
        with pytest.raises(Mistake, match=r"There is no (field|level)"):
            self.session().recode(field, level)

    def test_the_recoding_starts_from_the_bins_the_session_was_given(self):
        session = self.session()
        session.recode("zip", 1)
        recoding = session.solve().recoding
        assert recoding.levels.tolist() == [[1, 0, 0]] * 4
        assert recoding.apply(session.bins, session.hierarchies).sizes() == {
            ("0213*", "f", "smith"): 2,
            ("0213*", "m", "smith"): 2,
        }


def chosen_session():
    bins = Bins.of(
        ("zip", "sex", "job"),
        {
            ("02138", "f", "smith"): 3,
            ("02138", "m", "smith"): 2,
            ("02139", "m", "smith"): 2,
            ("02141", "f", "baker"): 1,
        },
    )
    hierarchies = {
        "zip": Hierarchy.from_rows([(z, z[:4] + "*", "*") for z in ("02138", "02139", "02141")]),
        "sex": Hierarchy.from_rows([("f", "*"), ("m", "*")]),
        "job": Hierarchy.from_rows([("smith", "*"), ("baker", "*")]),
    }
    solver = MuArgus(k=2, ranks={"zip": 2, "sex": 2, "job": 1})
    return MuArgusSession(bins, hierarchies, solver), bins, hierarchies


def test_rare_combinations_are_listed_blanked_and_undone():
    session, bins, hierarchies = chosen_session()
    assert [rare.rows for rare in session.rare()] == [1] * 5
    session.blank(2, "job")
    assert {rare.fields for rare in session.rare()} == {("zip",), ("zip", "sex")}
    cells = list(session.solve().recoding.apply(bins, hierarchies).sizes())
    assert ("*", "f", "*") in cells
    session.undo()
    assert len(session.rare()) == 5
    session.redo()
    assert [cell.field for cell in session.blanked] == ["job"]


@pytest.mark.parametrize(("number", "field", "why"), [(99, "zip", "99"), (1, "sex", "not in")])
def test_what_is_not_rare_is_not_blanked(number, field, why):
    session, *_ = chosen_session()
    with pytest.raises(Mistake, match=why):
        session.blank(number, field)


def test_choices_are_kept_in_a_file_and_released(tmp_path, capsys, monkeypatch):
    """What a person blanks by hand is blank in the release, and no value of it travels."""
    rows = ["02138,f", "02138,f", "02138,m", "02138,m", "02139,f", "02139,f", "02139,m"]
    (tmp_path / "rows.csv").write_text("zip,sex\n" + "\n".join(rows), encoding="utf-8")
    policy = tmp_path / "argus.toml"
    text = (
        '[fields]\nzip = {{ role = "quasi", rank = 2 }}\nsex = {{ role = "quasi", rank = 2 }}\n'
        '[require]\ncombinations = {{ k = 2, sizes = [2] }}\n[solve]\nsolver = "mu_argus"\n{}'
    )
    policy.write_text(text.format(""), encoding="utf-8")
    lines = iter(["rare zip", "blank 1 sex", "done"])
    monkeypatch.setattr("builtins.input", lambda *_: next(lines))
    words = [str(tmp_path / "rows.csv"), "--policy", str(policy)]
    assert main(["explore", *words]) == 0
    said = capsys.readouterr().out
    assert 'blanks = "argus.blanks.csv"' in said
    assert (tmp_path / "argus.blanks.csv").read_text() == "zip,sex,blank\n02139,m,sex\n"
    policy.write_text(text.format('blanks = "argus.blanks.csv"\n'), encoding="utf-8")
    made = release(tmp_path / "rows.csv", policy, to=tmp_path / "out")
    assert made.outcome == "pass"
    assert "02139,*" in made.table.read_text(encoding="utf-8")
    assert main(["verify", str(made.folder)]) == 0
    assert not list(made.folder.glob("*.blanks.csv"))
    (tmp_path / "argus.blanks.csv").unlink()
    with pytest.raises(Mistake, match=r"argus\.blanks\.csv"):
        release(tmp_path / "rows.csv", policy, to=tmp_path / "again")


@pytest.mark.parametrize(
    ("require", "words"),
    [
        ({"k": 3, "max_suppression": 0.2}, "rows in bins under k = 3 over all known fields"),
        ({"combinations": {"k": 3, "sizes": [2]}}, "does not promise k-anonymity"),
    ],
)
def test_check_states_what_is_kept(tmp_path, capsys, require, words):
    policy = policy_from_table(
        {
            "fields": {"zip": "quasi", "sex": "quasi"},
            "require": require,
            "solve": {"solver": "mu_argus"},
        }
    )
    (tmp_path / "policy.toml").write_text(policy_as_toml(policy), encoding="utf-8")
    assert main(["check", str(tmp_path / "policy.toml")]) == 0
    assert words in " ".join(capsys.readouterr().out.split())
