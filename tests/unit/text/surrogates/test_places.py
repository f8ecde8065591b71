"""Places become others of like size, and an address still hangs together; or they are cut to their
region."""

from __future__ import annotations

from itertools import islice

import pytest

from sfumato.keys import KeyedDraws
from sfumato.text.lexicons import countries, folded, regions, towns, zip_codes
from sfumato.text.surrogates.bodies import body_surrogates
from sfumato.text.surrogates.places import STATES, Atlas, region_of, whole_degrees

DRAW = KeyedDraws(bytes(range(32)))
ATLAS = Atlas(DRAW)


def test_town_state_and_zip_code_move_together():
    state = next(ATLAS.regions("MA"))
    assert state != "MA"
    assert STATES[state] == next(ATLAS.regions("Massachusetts"))
    assert towns()[folded(next(ATLAS.towns("Boston")))] == f"US-{state} 6"
    assert zip_codes()[next(ATLAS.postcodes("02151"))] == state


def test_no_two_states_become_one():
    assert len({next(ATLAS.regions(code)) for code in STATES}) == len(STATES)


@pytest.mark.parametrize("town", ["Lyon", "Heidelberg", "Osaka"])
def test_large_towns_elsewhere_stay_in_their_country_with_a_digit_fewer(town):
    country, size = towns()[folded(town)].split()
    for new in islice(ATLAS.towns(town), 5):
        assert towns()[folded(new)] == f"{country} {int(size) - 1}"


def test_small_towns_elsewhere_keep_their_size():
    assert towns()["rothenburg ob der tauber"] == "DE 5"
    for new in islice(ATLAS.towns("Rothenburg ob der Tauber"), 5):
        assert towns()[folded(new)] == "DE 5"
        assert "Rothenburg" not in new


def test_regions_with_names_in_two_languages_leave_their_country():
    assert regions()[folded(next(ATLAS.regions("Bavaria")))] != "DE"
    assert regions()[folded(next(ATLAS.regions("Yorkshire")))] == regions()["yorkshire"]


def test_a_country_never_becomes_itself_under_another_name():
    assert countries()["ivory coast"] == countries()["cote d'ivoire"]
    new = {folded(name) for name in ATLAS.countries("Ivory Coast")}
    assert "cote d'ivoire" not in new
    assert "france" in new


def test_an_unknown_town_becomes_a_made_up_one():
    new = next(ATLAS.towns("Grimsditch Parva"))
    assert folded(new) not in towns()
    assert new[0].isupper()


def test_real_states_are_passed_over():
    real = {"TX", "Texas"}
    atlas = Atlas(DRAW, is_real=real.__contains__)
    assert "TX" not in {new for code in STATES for new in atlas.regions(code)}


@pytest.mark.parametrize(
    ("street", "kept"),
    [("12 Baker Street", "Street"), ("PO Box 1234", "PO Box"), ("rue Monge 7", "rue")],
)
def test_streets_keep_the_word_for_a_street(street, kept):
    for new in islice(ATLAS.streets(street), 20):
        assert kept in new
        assert not {"Baker", "Monge", "1234"} & set(new.split())


@pytest.mark.parametrize("code", ["SW1A 2AA", "80331", "K1A 0B1"])
def test_postcodes_keep_their_shape(code):
    new = next(ATLAS.postcodes(code))
    assert new != code
    assert [c.isdecimal() for c in new] == [c.isdecimal() for c in code]


def test_cut_to_the_region():
    assert region_of("Boston") == "Massachusetts"
    assert region_of("02151-1234") == "021**"
    assert region_of("Grimsditch Parva") is None
    assert whole_degrees("three words") is None


def test_bodies_keep_their_general_words():
    new = next(body_surrogates("St. John's Hospital", DRAW))
    assert new.startswith("St. ")
    assert new.endswith("'s Hospital")
    assert "John" not in new
    assert len(next(body_surrogates("MGH", DRAW))) == 3
