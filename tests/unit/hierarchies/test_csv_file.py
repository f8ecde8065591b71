"""Hierarchies in CSV files, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError, TargetError
from sfumato.hierarchies import CsvHierarchy, Hierarchy, Prefix, write_csv


def read(folder, text):
    path = folder / "zip.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return CsvHierarchy.read(path)


def test_one_row_per_value_with_its_levels(tmp_path):
    spec = read(tmp_path, "02138;0213*;*\n02141;0214*;*\n")
    assert spec.bind(["02141", "02138"]).labels == (("02141", "02138"), ("0214*", "0213*"), ("*",))


@pytest.mark.parametrize("mark", [";", ",", "\t"])
def test_the_usual_separators_are_found(tmp_path, mark):
    assert read(tmp_path, f"a{mark}x{mark}*\nb{mark}y{mark}*\n").bind(["a"]).height == 2


def test_a_comma_inside_a_value_does_not_make_it_the_separator(tmp_path):
    assert read(tmp_path, "1,5,2,1;low;*\n3;high;*\n").bind(["1,5,2,1"]).height == 2


def test_a_byte_order_mark_and_windows_lines_are_read(tmp_path):
    assert read(tmp_path, b"\xef\xbb\xbfa;*\r\nb;*\r\n").bind(["a"]).labels[0] == ("a", "b")


def test_an_empty_first_cell_is_the_row_of_null(tmp_path):
    assert read(tmp_path, ";unknown;*\na;known;*\n").bind([None, "a"]).labels[1] == (
        "unknown",
        "known",
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("a;x;*\nb;*\n", "same number of levels"),
        ("a\nb\n", "same number of levels"),
        ("a;x\nb;y\n", "does not end in one value"),
        ("a;x;*\na;y;*\n", "two different rows"),
        ("a;x;1;*\nb;x;2;*\n", "share every coarser label"),
        (b"\xff\xfe", "is not UTF-8"),
        ("a;" + "x" * 200_000 + ";*\n", "is not CSV"),
    ],
)
def test_a_broken_file_is_refused_without_its_cells(tmp_path, text, complaint):
    with pytest.raises(HierarchyError, match=complaint):
        read(tmp_path, text)


@pytest.mark.parametrize("name", ["none.csv", "", "a\0b"])
def test_a_name_that_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(HierarchyError, match="cannot be read"):
        CsvHierarchy.read(tmp_path / name)


def test_values_without_a_row_are_counted_and_the_command_is_named(tmp_path):
    spec = read(tmp_path, "a;*\n")
    with pytest.raises(HierarchyError, match="1 of 2 distinct values have no row") as caught:
        spec.bind(["a", "Alice"])
    assert "sfumato hierarchy SOURCE FIELD" in str(caught.value)
    assert "Alice" not in str(caught.value) + repr(spec)


def test_a_built_hierarchy_is_saved_in_the_same_form(tmp_path):
    write_csv(Prefix((3,)).bind(["02138", None]), tmp_path / "zip.csv")
    assert (tmp_path / "zip.csv").read_text() == "02138;021**;*\n;;*\n"


def test_a_hierarchy_with_an_empty_text_is_not_saved(tmp_path):
    with pytest.raises(HierarchyError, match="empty text from null"):
        write_csv(Hierarchy.from_rows([("", "*")]), tmp_path / "x.csv")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_does_not_exist_is_a_target_error(tmp_path):
    with pytest.raises(TargetError, match="cannot be written"):
        write_csv(Hierarchy.from_rows([("a", "*")]), tmp_path / "none" / "x.csv")


# The byte order mark at the start of a file is not part of its first cell.
cells = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff"), min_size=1, max_size=5
)


@given(st.dictionaries(cells, st.integers(0, 3), min_size=1, max_size=8), st.booleans())
def test_what_is_saved_is_read_back(tmp_path_factory, groups, null):
    rows = [(value, f"group; {group}\r\n", "*") for value, group in groups.items()]
    rows += [(None, None, "*")] if null else []
    hierarchy = Hierarchy.from_rows(rows)
    path = tmp_path_factory.mktemp("csv") / "h.csv"
    write_csv(hierarchy, path)
    assert CsvHierarchy.read(path).bind(hierarchy.labels[0]).labels == hierarchy.labels


def test_a_file_of_one_column_has_no_level(tmp_path):
    with pytest.raises(HierarchyError, match="The first row has a value and no level"):
        read(tmp_path, "a\nb\n")
