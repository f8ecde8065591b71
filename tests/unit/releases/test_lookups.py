"""Replacements as lookups that an engine joins, and the way back for who holds the key or the
file."""

from __future__ import annotations

import pytest

from sfumato.errors import PolicyError
from sfumato.policy.records import Field, Method, Replacement, Role
from sfumato.releases.identifiers import Key, made_up, replacement_lookup, reveal, reveal_by_search

KEY = Key(bytes(range(32)))
ROWS = [
    {"ssn": ssn} for ssn in ("123-45-6789", None, "234-56-7890", "123-45-6789", "345-67-8901", "4")
]
METHODS = [Method.MASK, Method.HASH, Method.LOOKUP, Method.MADE_UP, Method.SURROGATE]


def field(method: Method | None, kind: str = "name") -> Field:
    replace = Replacement(method=method, kind=kind) if method else None
    return Field(name="ssn", role=Role.DIRECT, replace=replace)


def entries(lookup) -> dict[str | None, str | None]:
    out = {}
    for batch in lookup.batches():
        assert list(batch) == ["key:ssn", "new:ssn"]
        assert all(column.dtype == object for column in batch.values())
        pairs = list(zip(batch["key:ssn"].tolist(), batch["new:ssn"].tolist(), strict=True))
        assert not out.keys() & dict(pairs).keys()
        out.update(pairs)
    return out


@pytest.mark.parametrize("with_key", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_every_value_and_null_has_one_entry(engine_of, tmp_path, method, with_key):
    key, file = (KEY, tmp_path / "ssn.lookup") if with_key else (None, None)
    lookup, replacer = replacement_lookup(engine_of(ROWS), field(method), key=key, lookup_file=file)
    assert (lookup.keys, lookup.fields, lookup.portions) == (("ssn",), ("ssn",), False)
    found = entries(lookup)
    assert set(found) == {row["ssn"] for row in ROWS}
    assert found.pop(None) is None
    assert not set(found) & set(found.values())
    assert len(set(found.values())) == (1 if method is Method.MASK else 4)
    assert {None: None, **found} == entries(lookup)  # a second pass says the same
    assert replacer.describe()


@pytest.mark.parametrize("method", METHODS)
def test_a_field_of_nulls_is_no_trouble(engine_of, method):
    lookup, _ = replacement_lookup(
        engine_of([{"ssn": None}]), field(method), key=None, lookup_file=None
    )
    assert entries(lookup) == {None: None}


@pytest.mark.parametrize("method", [Method.HASH, Method.MADE_UP, Method.SURROGATE, Method.LOOKUP])
def test_a_shared_domain_links_fields(engine_of, tmp_path, method):
    shared = {"key": KEY, "lookup_file": tmp_path / "people.lookup", "domain": "person"}
    other = [{"ssn": "123-45-6789"}]
    one, _ = replacement_lookup(engine_of(ROWS), field(method), **shared)
    two, _ = replacement_lookup(engine_of(other), field(method), **shared)
    apart, _ = replacement_lookup(engine_of(other), field(method), **{**shared, "domain": None})
    assert (
        entries(one)["123-45-6789"] == entries(two)["123-45-6789"] != entries(apart)["123-45-6789"]
    )


def test_made_up_values_are_no_originals_of_any_batch(engine_of):
    rows = [{"ssn": str(n)} for n in range(100_000, 108_000)]
    lookup, _ = replacement_lookup(
        engine_of(rows, batch=1000), field(Method.MADE_UP), key=KEY, lookup_file=None
    )
    found = entries(lookup)
    assert not set(found) & set(found.values())


@pytest.mark.parametrize("method", [Method.REMOVE, None])
def test_a_removed_field_has_no_lookup(engine_of, method):
    with pytest.raises(PolicyError, match=r"fields\.ssn\.replace"):
        replacement_lookup(engine_of(ROWS), field(method), key=KEY, lookup_file=None)


@pytest.mark.parametrize("method", [Method.HASH, Method.MADE_UP, Method.SURROGATE])
def test_who_holds_key_and_source_can_reveal(engine_of, method):
    rows = [{"ssn": str(n)} for n in range(150)] + [{"ssn": None}]  # crowded: many are drawn again
    lookup, _ = replacement_lookup(
        engine_of(rows, batch=7), field(method), key=KEY, lookup_file=None
    )
    for original, new in entries(lookup).items():
        if new is not None:
            assert (
                reveal_by_search(new, engine_of(rows, batch=7), field=field(method), key=KEY)
                == original
            )
            break
    assert reveal_by_search("nobody's", engine_of(rows), field=field(method), key=KEY) is None
    other = Key(bytes(range(1, 33)))
    assert reveal_by_search("c" * 64, engine_of(rows), field=field(method), key=other) is None


def test_every_redrawn_value_is_revealed(engine_of, monkeypatch):
    monkeypatch.setattr(made_up, "LARGEST_CYCLE", 0)
    rows = [{"ssn": f"{n}{c}"} for n in range(1, 10) for c in "ab"]
    lookup, replacer = replacement_lookup(
        engine_of(rows), field(Method.MADE_UP), key=KEY, lookup_file=None
    )
    found = entries(lookup)
    assert replacer.redrawn
    for original, new in found.items():
        assert (
            reveal_by_search(new, engine_of(rows), field=field(Method.MADE_UP), key=KEY) == original
        )


def test_who_holds_the_lookup_file_can_reveal(engine_of, tmp_path):
    path = tmp_path / "ssn.lookup"
    lookup, _ = replacement_lookup(
        engine_of(ROWS), field(Method.LOOKUP), key=None, lookup_file=path
    )
    for original, new in entries(lookup).items():
        assert new is None or reveal(new, lookup_file=path) == original
    assert reveal("0" * 32, lookup_file=path) is None


@pytest.mark.parametrize("method", [Method.MASK, Method.LOOKUP, Method.REMOVE, None])
def test_what_no_key_can_go_back_on_is_said(engine_of, method):
    with pytest.raises(PolicyError, match="cannot be gone back on"):
        reveal_by_search("XXXXXX", engine_of(ROWS), field=field(method), key=KEY)
