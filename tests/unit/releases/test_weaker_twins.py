"""Which fields in clear determine a field that is treated more strongly, and what is said of it."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

import sfumato
from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases.treatments import KEPT
from sfumato.releases.weaker_twins import TwinSearch
from sfumato.surveys import Dependence, DependenceKind

CHANCE = random.Random(7)
BORN = [date(1930, 1, 1) + timedelta(days=CHANCE.randrange(25_000)) for _ in range(400)]
SEX = [CHANCE.choice("fm") for _ in range(400)]
DIAGNOSES = [CHANCE.choice(("I10", "E11", "J45", "M54")) for _ in range(400)]
NAMES = {"I10": "hypertension", "E11": "diabetes", "J45": "asthma", "M54": "back pain"}
STAYS = [CHANCE.randrange(1, 40) for _ in range(400)]


def _release(rows, fields, tmp_path, **more):
    table = {"fields": fields, "require": {"k": 3, "max_suppression": 0.1}, **more}
    return sfumato.release(rows, policy_from_table(table), to=tmp_path / "made", engine="reference")


def _problems(rows, fields, tmp_path, **more):
    with pytest.raises(PolicyError) as refused:
        _release(rows, fields, tmp_path, **more)
    assert not (tmp_path / "made").exists()
    return [(each.where, each.found) for each in refused.value.problems]


CASES = {
    "equal": (
        [{"sex": sex, "gender": sex} for sex in SEX],
        {"sex": "direct", "gender": "insensitive"},
        "fields.gender",
        "gender and sex are equal: gender is kept, sex is removed.",
    ),
    "one to one": (
        [
            {"code": code, "words": NAMES[code], "sex": sex}
            for code, sex in zip(DIAGNOSES, SEX, strict=True)
        ],
        {"code": "direct", "words": "sensitive", "sex": "quasi"},
        "fields.words",
        "words determines code: words is kept, code is removed.",
    ),
    "functional": (
        [
            {"prefix": "Mr" if sex == "m" else CHANCE.choice(("Mrs", "Ms")), "sex": sex, "d": code}
            for sex, code in zip(SEX, DIAGNOSES, strict=True)
        ],
        {"prefix": "insensitive", "sex": "direct", "d": "sensitive"},
        "fields.prefix",
        "prefix determines sex: prefix is kept, sex is removed.",
    ),
    "days since 1900": (
        [
            {"born": day.isoformat(), "days": (day - date(1899, 12, 31)).days, "sex": sex}
            for day, sex in zip(BORN, SEX, strict=True)
        ],
        {"born": "direct", "days": "insensitive", "sex": "quasi"},
        "fields.days",
        "days determines born: days is kept, born is removed.",
    ),
    "difference": (
        [
            {
                "admitted": day.isoformat(),
                "discharged": (day + timedelta(days=stay)).isoformat(),
                "stay": stay,
                "sex": sex,
            }
            for day, stay, sex in zip(BORN, STAYS, SEX, strict=True)
        ],
        {"admitted": "direct", "discharged": "insensitive", "stay": "insensitive", "sex": "quasi"},
        "fields.discharged",
        "discharged less stay is admitted: discharged and stay are kept, admitted is removed.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_field_in_clear_that_determines_a_removed_one_is_refused(case, tmp_path):
    rows, fields, where, found = CASES[case]
    if case == "equal":
        rows = [row | {"other": code} for row, code in zip(rows, DIAGNOSES, strict=True)]
        fields = fields | {"other": "sensitive"}
    assert (where, found) in _problems(rows, fields, tmp_path)


def test_a_person_accepts_a_weaker_twin_by_name_and_the_manifest_says_so(tmp_path):
    rows, fields, _, _ = CASES["functional"]
    fields = fields | {"prefix": {"role": "insensitive", "may_tell": ["sex"]}}
    made = _release(rows, fields, tmp_path)
    assert made.manifest["policy"]["fields"]["prefix"]["may_tell"] == ["sex"]
    said = (
        "prefix determines sex: prefix is kept, sex is removed. The policy accepts it (may_tell)."
    )
    assert said in made.manifest["warnings"]
    assert "The policy accepts it (may_tell)" in (made.folder / "report.html").read_text()


def test_a_twin_that_the_recoding_suppresses_is_refused_beside_one_that_no_bin_counts(tmp_path):
    """Which level a quasi field gets is known only after solving."""
    rows = [
        {"prefix": "Mr" if sex == "m" else "Ms", "sex": sex, "d": code}
        for sex, code in zip(SEX, DIAGNOSES, strict=True)
    ]
    fields = {
        "prefix": "insensitive",
        "sex": {"role": "quasi", "hierarchy": {"suppress": True}},
        "d": "sensitive",
    }
    solve = {"solver": "given", "levels": {"sex": 1}}
    (problem,) = _problems(rows, fields, tmp_path, solve=solve)
    assert problem == (
        "fields.prefix",
        "prefix and sex determine each other: prefix is kept, sex is suppressed in every row.",
    )


def test_a_key_of_rows_and_fields_of_one_person_are_no_twins(tmp_path):
    """What is different in nearly every row, or for nearly every person, determines everything."""
    people = [(f"P{n}", f"{150 + n / 10:.1f}", SEX[n]) for n in range(200)]
    rows = [
        {"patient": patient, "height": height, "sex": sex, "visit": str(CHANCE.random())}
        for patient, height, sex in people
        for _ in range(3)
    ]
    fields = {
        "patient": {"role": "direct", "replace": "number"},
        "height": "sensitive",
        "sex": "direct",
        "visit": "insensitive",
    }
    assert _release(rows, fields, tmp_path, entity="patient", require={"k": 1}).folder.exists()


def test_an_order_alone_tells_no_value(tmp_path):
    born = sorted(BORN)
    rows = [
        {"number": n + CHANCE.random() / 2, "born": day.isoformat(), "sex": sex}
        for n, (day, sex) in enumerate(zip(born, SEX, strict=True))
    ]
    fields = {"number": "sensitive", "born": "direct", "sex": "quasi"}
    assert _release(rows, fields, tmp_path).folder.exists()


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (["sex"], "A field determines itself."),
        (["sez"], 'There is no field "sez". Did you mean "sex"?'),
    ],
)
def test_what_a_field_may_tell_is_another_field_of_the_table(told, found):
    with pytest.raises(PolicyError) as refused:
        policy_from_table(
            {"fields": {"sex": {"role": "quasi", "may_tell": told}}, "require": {"k": 2}}
        )
    assert [each.found for each in refused.value.problems] == [found]


def test_what_only_the_first_row_of_a_person_shows_is_no_dependence(tmp_path):
    """The first problem tells the sex, later ones do not: no row of the release tells it."""
    problems = ("flu", "cold", "gout", "asthma")
    rows = [
        {"patient": f"P{n}", "sex": "FM"[n % 4 // 2], "problem": problems[(n + visit) % 4]}
        for n in range(60)
        for visit in range(1 + n % 3)
    ]
    fields = {
        "patient": {"role": "direct", "replace": "number"},
        "sex": "direct",
        "problem": "sensitive",
    }
    assert _release(rows, fields, tmp_path, entity="patient", require={"k": 1}).folder.exists()


TITLES = {"tree": {"gentleman": ["Mr"], "lady": ["Mrs", "Ms"]}}


def test_a_generalised_field_that_still_tells_a_removed_one_is_warned_of(tmp_path):
    """Ladies and gentlemen tell the sex as well as Mr, Mrs and Ms do. Bins count them, so nothing
    that is required is broken."""
    rows, _, _, _ = CASES["functional"]
    prefix = {"role": "quasi", "hierarchy": TITLES, "finest": 1}
    fields = {"prefix": prefix, "sex": "direct", "d": "sensitive"}
    made = _release(rows, fields, tmp_path, solve={"solver": "anytime"})
    said = "prefix, up to level 1, determines sex: prefix is only generalised, sex is removed."
    assert f"{said} So that treatment protects nothing." in made.manifest["warnings"]
    suppressed = {"role": "quasi", "hierarchy": TITLES, "finest": 2}
    blank = _release(
        rows, fields | {"prefix": suppressed}, tmp_path / "blank", solve={"solver": "anytime"}
    )
    assert not any("determines sex" in each for each in blank.manifest["warnings"])


def test_a_birth_date_in_years_tells_the_removed_age(tmp_path):
    """Nearly every date is somebody's own and determines nothing; its year does."""
    rows = [
        {"born": day.isoformat(), "age": 2020 - day.year, "sex": sex}
        for day, sex in zip(BORN, SEX, strict=True)
    ]
    born = {"role": "quasi", "hierarchy": {"dates": ["year", "20 years"]}, "finest": 1}
    fields = {"born": born, "age": "direct", "sex": "quasi"}
    low = {"fields": fields, "require": {"k": 1}, "solve": {"solver": "anytime"}}
    made = sfumato.release(rows, policy_from_table(low), to=tmp_path / "made", engine="reference")
    assert any("born, up to level 1, determines age" in each for each in made.manifest["warnings"])


def test_a_field_that_is_coarser_in_a_few_rows_tells_a_removed_one_in_the_others(tmp_path):
    """Two doctors are too few, so their prefix and another one are blank: 397 tell the sex."""
    rows, fields, _, _ = CASES["functional"]
    rows = [row | {"prefix": "Dr"} for row in rows[:2]] + rows[2:]
    fields = fields | {"prefix": {"role": "quasi", "hierarchy": {"suppress": True}}}
    found = _problems(rows, fields, tmp_path, solve={"solver": "local"})
    said = "prefix determines sex: prefix is only generalised, sex is removed."
    assert ("fields.prefix", said) in found


def test_a_field_that_only_the_plan_treats_is_looked_at_again() -> None:
    """The dependences are first counted for the fields that the policy alone treats."""
    policy = policy_from_table({"fields": {"a": "insensitive", "b": "sensitive"}})
    asked = []

    def count(twins):
        asked.append([*twins])
        return (Dependence(kind=DependenceKind.FUNCTIONAL, fields=("a", "b")),)

    search = TwinSearch({"t": policy}, {"t": ()}, "policy", {"t": frozenset()}, {"t": count})
    assert search.warnings({"t": {"a": KEPT, "b": KEPT}}) == ()
    assert not asked
    with pytest.raises(PolicyError):
        search.warnings({"t": {"a": KEPT, "b": "thinned"}})
    assert asked == [["b"]]
