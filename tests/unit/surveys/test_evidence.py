from __future__ import annotations

from sfumato.engines import FieldKind
from sfumato.surveys.evidence import GLANCE


def test_the_kind_is_what_every_value_is(evidence):
    assert evidence("x", ["1", "2", None]).kind is FieldKind.INTEGER
    assert evidence("x", ["1", "2.5"]).kind is FieldKind.REAL
    assert evidence("x", ["1965-09-20", "1964-02-29"]).kind is FieldKind.DATE
    assert evidence("x", ["1", "two"]).kind is FieldKind.TEXT
    assert evidence("x", ["02138", "90210"]).kind is FieldKind.TEXT
    assert evidence("x", [None, None]).kind is FieldKind.TEXT


def test_a_hopeless_test_is_not_run_on_every_value(evidence):
    asked: list[str] = []
    field = evidence("x", [str(n) for n in range(500)])
    assert field.share(lambda text: bool(asked.append(text))) == 0
    assert len(asked) == GLANCE
    assert field.share(str.isdigit) == 1


def test_shares_count_blank_values_out(evidence):
    assert evidence("x", ["1", "  ", "2"]).share(str.isdigit) == 1
    assert evidence("x", ["  ", None]).share(str.isdigit) == 0


def test_no_value_is_in_the_repr(evidence):
    field = evidence("diagnosis", ["xyzzy", "plugh"])
    assert "xyzzy" not in repr(field)
    assert "plugh" not in str(field)
