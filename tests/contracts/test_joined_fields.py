"""What every engine promises about a field that is made of others: as one text, and different where
they differ."""

from __future__ import annotations

from ways import Open, Rows

from sfumato.engines.joined_fields import as_one

FIELDS = ("hospital", "patient", "zip")
ROWS: Rows = (
    ("north", "a", "x"),
    ("north", "b", "x"),
    ("north+a", "b", "x"),
    ("north", "a+b", "y"),
    ("north~", "0", "y"),
    ("north", "~0", "y"),
    ("north~1a", "b", "z"),
    ("süd", "a", "z"),
    ("süd", None, "z"),
    (None, "a", "z"),
)


def test_a_joined_field_is_one_text_from_which_its_parts_can_be_told(opened: Open) -> None:
    engine = opened(FIELDS, ROWS).with_joined({"person": ("hospital", "patient")})
    assert [info.name for info in engine.fields()] == [*FIELDS, "person"]
    found = [value for batch in engine.distinct(("person",)) for value in batch["person"].tolist()]
    expected = {as_one((hospital, patient)) for hospital, patient, _ in ROWS}
    assert set(found) == expected
    assert len(expected) == 9
    assert engine.count_rows() == len(ROWS)


def test_bins_count_people_by_a_joined_field(opened: Open) -> None:
    engine = opened(FIELDS, ROWS).with_joined({"person": ("hospital", "patient")})
    counted = engine.frequencies(("zip",), person="person")
    people = dict(
        zip(
            (counted.values[0][code] for code in counted.codes[:, 0]),
            counted.counts.tolist(),
            strict=True,
        )
    )
    assert people["x"] == 3
    assert people["y"] == 3
