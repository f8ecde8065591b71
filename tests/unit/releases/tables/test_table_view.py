"""How tables are seen: over which links rows hang on others, what is counted with them, and what
the release shows."""

import pytest

from sfumato.policy import policy_from_table
from sfumato.releases.tables import as_tables
from sfumato.releases.tables.recoding import raw_view
from sfumato.releases.tables.table_view import known_in, links_on, sights, tolerates

NUMBER = {"role": "direct", "replace": "number"}


def policy(*, stay_person="number", visit_person="remove", test_links=("visit",), **top):
    """People, their stays, the visits of a stay, and tests that link to what is said; each with one
    quasi field."""

    def link(how):
        return "direct" if how == "remove" else {"role": "direct", "replace": how}

    targets = {"visit": "visits.id", "stay": "stays.id", "person": "people.id"}
    tables = {
        "tests": {
            "links": {name: targets[name] for name in test_links},
            "fields": dict.fromkeys(test_links, NUMBER) | {"found": "quasi"},
        },
        "visits": {
            "key": "id",
            "links": {"stay": "stays.id", "person": "people.id"},
            "fields": {"id": NUMBER, "stay": NUMBER, "person": link(visit_person), "ward": "quasi"},
        },
        "stays": {
            "key": "id",
            "links": {"person": "people.id", "house": "houses.id"},
            "fields": {"id": NUMBER, "person": link(stay_person), "house": NUMBER, "year": "quasi"},
        },
        "people": {"key": "id", "fields": {"id": NUMBER, "sex": "quasi"}},
        "houses": {"key": "id", "fields": {"id": NUMBER, "town": "insensitive"}},
    }
    return policy_from_table({"entity": "people.id", "tables": tables, "require": {"k": 2}} | top)


def path(sight):
    return [link.table for link in sight.path]


def test_parents_come_first_and_bins_span_all_that_is_above():
    seen = sights(policy())
    assert list(seen) == ["people", "houses", "stays", "visits", "tests"]
    assert [item.called for item in seen["tests"].quasi] == [
        "people.sex",
        "stays.year",
        "visits.ward",
        "found",
    ]
    assert [item.name for item in seen["tests"].own] == ["tests.found"]
    assert path(seen["tests"]) == ["visits", "stays", "people"]
    assert (seen["people"].is_unique, seen["houses"].person, seen["houses"].quasi) == (
        True,
        None,
        (),
    )


def test_the_person_is_the_link_itself_or_is_brought():
    seen = sights(policy())
    assert (seen["people"].person, seen["stays"].person) == ("id", "person")
    assert seen["visits"].person == seen["tests"].person == "people.id"


def test_of_released_links_the_longest_way_is_gone():
    """So that rows hang on all that they link to, and what is known of any of it is counted with
    them."""
    seen = sights(policy(visit_person="number", test_links=("person", "stay", "visit")))
    assert path(seen["visits"]) == ["stays", "people"]
    assert path(seen["tests"]) == ["visits", "stays", "people"]
    assert {link.table for link in seen["tests"].beside} == {"people", "stays"}
    assert [item.called for item in seen["tests"].quasi] == [
        "people.sex",
        "stays.year",
        "visits.ward",
        "found",
    ]


def test_removed_links_are_gone_only_where_no_other_is_there():
    seen = sights(policy(visit_person="remove"))
    assert path(seen["visits"]) == ["stays", "people"]
    assert seen["visits"].beside == ()


@pytest.mark.parametrize(("how", "shows"), [("number", True), ("remove", False)])
def test_what_a_release_shows_of_whose_rows_these_are(how, shows):
    seen = sights(policy(stay_person=how))
    assert [seen[name].linkable for name in ("people", "stays", "visits", "tests")] == [
        True,
        shows,
        shows,
        shows,
    ]


def test_a_raw_view_has_the_names_of_the_view_over_stages():
    for sight in sights(policy(test_links=("visit", "stay"))).values():
        if sight.person is None:
            continue
        brought = {called for join in sight.view.joins for called in join.bring.values()}
        raw = {called for join in raw_view(sight).joins for called in join.bring.values()}
        assert brought <= raw


def test_a_single_table_is_the_person_s_but_not_unique():
    one = policy_from_table(
        {"entity": "who", "fields": {"who": NUMBER, "zip": "quasi"}, "require": {"k": 2}}
    )
    [sight] = sights(as_tables(one)).values()
    assert (sight.is_person, sight.is_unique, sight.person, sight.linkable) == (
        True,
        False,
        "who",
        True,
    )


def test_what_a_recipient_knows_is_said_by_field_or_by_table_and_field():
    profile = {
        "linking": {"sex": 0.0, "visits.ward": 0.25, "stays.year": 0.0},
        "distortion": {"stays.year": 0.9},
    }
    decided = policy(recipient={"me": profile}, release_to="me")
    assert known_in(decided, "people") == ()
    assert (known_in(decided, "visits"), links_on(decided, "visits", "ward")) == (("ward",), 0.25)
    assert (known_in(decided, "stays"), tolerates(decided, "stays", "year")) == ((), 0.9)
    assert [item.called for item in sights(decided)["tests"].quasi] == ["visits.ward", "found"]
