"""Names become other names, part by part; what is kept is kept, and no surrogate is rare or
real."""

from __future__ import annotations

import pytest

from sfumato.keys import KeyedDraws
from sfumato.text.kinds import ReferenceKind
from sfumato.text.lexicons import first_names, last_names, name_origins
from sfumato.text.surrogates.names import Cast
from sfumato.text.surrogates.real_values import RealValues
from sfumato.text.surrogates.styles import Trait
from sfumato.text.surrogates.surrogate_choice import SurrogateChoice

DRAW = KeyedDraws(bytes(range(32)))


def cast(*names, real=(), keep=frozenset({Trait.GENDER}), known=None, drawing=DRAW):
    return Cast(names, drawing, choosing=SurrogateChoice(RealValues(real)), keep=keep, known=known)


def test_the_parts_of_a_name_go_together():
    made = cast("Virginia Townsend", "Virginia", "Mrs. Townsend", "TOWNSEND, Virginia")
    first, last = made.surrogate("Virginia Townsend").split()
    assert made.surrogate("Virginia") == first
    assert made.surrogate("Mrs. Townsend") == f"Mrs. {last}"
    assert made.surrogate("TOWNSEND, Virginia") == f"{last.upper()}, {first}"
    assert made.surrogate("Virginia's") == f"{first}'s"


@pytest.mark.parametrize(("name", "gender"), [("Virginia", "f"), ("Patrick", "m")])
def test_gender_is_kept(name, gender):
    for number in range(20):
        new = (
            cast(f"{name} Long", drawing=DRAW.derive(str(number)))
            .surrogate(f"{name} Long")
            .split()[0]
        )
        assert first_names()[new.lower()][0] == gender


def test_gender_is_not_kept_unless_asked():
    drawn = {
        cast("Virginia Long", keep=frozenset(), drawing=DRAW.derive(str(n))).part("Virginia")
        for n in range(40)
    }
    assert {first_names()[name][0] for name in drawn} >= {"f", "m"}


def test_initials_are_kept_where_asked():
    made = cast("Virginia Townsend", "Xerxes Quill", keep=frozenset({Trait.INITIALS}))
    assert [word[0] for word in made.surrogate("Virginia Townsend").split()] == ["V", "T"]
    assert [word[0] for word in made.surrogate("Xerxes Quill").split()] == ["X", "Q"]


def test_origin_is_kept_where_asked():
    """As far as the lexicons say where a name is usual; "Garcia" is usual in too many places."""
    for name in ("Kowalski", "Agostinelli"):
        new = cast(name, keep=frozenset({Trait.ORIGIN})).part(name)
        assert set(name_origins()[new].split()) <= set(name_origins()[name.lower()].split())


def test_an_initial_follows_the_one_it_stands_for():
    made = cast("Virginia Townsend", "V. Townsend")
    first, last = made.surrogate("Virginia Townsend").split()
    assert made.surrogate("V. Townsend") == f"{first[0]}. {last}"


def test_particles_titles_and_degrees_stay():
    new = cast("Prof. Ludwig van der Brugge, MD").surrogate("Prof. Ludwig van der Brugge, MD")
    assert new.startswith("Prof. ")
    assert " van der " in new
    assert new.endswith(", MD")
    assert "Ludwig" not in new
    assert "Brugge" not in new


def test_surrogates_are_usual_names_not_rare_ones():
    """A rare name would point to whoever bears it."""
    for number in range(50):
        first, last = (
            cast("Zebulon Quackenbush", drawing=DRAW.derive(str(number)))
            .surrogate("Zebulon Quackenbush")
            .split()
        )
        assert first_names()[first.lower()][1] >= "3"
        assert last_names()[last.lower()] >= "3"


def test_where_all_usual_names_are_real_they_are_made_up():
    real = [(ReferenceKind.NAME, name) for name in (*first_names(), *last_names())]
    new = cast("Virginia Townsend", real=real).surrogate("Virginia Townsend").lower().split()
    assert all(name not in first_names() and name not in last_names() for name in new)


def test_no_two_names_of_a_scope_become_one():
    names = [name.capitalize() for name, how in sorted(first_names().items()) if how == "f3"][:150]
    made = cast(*names)
    assert len({made.surrogate(name) for name in names}) == len(names)


def test_the_surrogates_of_a_table_are_taken():
    made = cast("Virginia Townsend", "Virginia", known={"Virginia Townsend": "Kathel Wallams"})
    assert made.surrogate("Virginia Townsend") == "Kathel Wallams"
    assert made.surrogate("VIRGINIA") == "KATHEL"


def test_names_in_another_script_stay_in_it():
    new = cast("Иванов").surrogate("Иванов")
    assert new != "Иванов"
    assert new.isalpha()


@pytest.mark.parametrize("value", ["Dr.", "van", "🙂", "--"])
def test_what_holds_no_name_has_no_surrogate(value):
    assert cast(value).surrogate(value) is None
