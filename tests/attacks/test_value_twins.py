"""Attack: read a removed value from a field in clear that tells one rare value, or holds it."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pytest

import sfumato
from sfumato.errors import PolicyError
from sfumato.policy import read_policy
from sfumato.surveys.coded_rows import CodedField, _coded
from sfumato.surveys.dependences import DependenceSearch
from sfumato.surveys.records import Dependence


def coded(**columns: list[str | None]) -> dict[str, CodedField]:
    return {name: _coded(name, cells) for name, cells in columns.items()}


def disclosed(told: str, **columns: list[str | None]) -> list[Dependence]:
    """The dependences by which the other fields disclose one."""
    fields = coded(**columns)
    twins = frozenset([told])
    search = DependenceSearch(fields, telling=frozenset(fields) - twins, told=twins, twins=twins)
    return [each for each in search.find() if each.fields[1] == told]


def rare(rows: int, few: int, *, values: str = "YN") -> list[str | None]:
    return [values[0] if row < few else values[1] for row in range(rows)]


@pytest.mark.parametrize(
    ("rows", "few"), [(20, 5), (60, 3), (200, 4), (200, 6), (600, 6), (600, 12)]
)
def test_a_flag_of_a_rare_value_is_a_twin(rows, few):
    chance = random.Random(1)
    regions = chance.choices("ab", k=rows)
    found = disclosed("hiv", hiv=rare(rows, few, values="+-"), flag=rare(rows, few), region=regions)
    assert [each.fields[0] for each in found] == ["flag"]


def test_rare_values_of_a_finer_field_and_nulls_hide_nothing():
    clinics = ["C8" if row < 3 else "C9" if row < 6 else f"C{row % 3}" for row in range(200)]
    positive = rare(200, 6, values="+-")
    assert disclosed("hiv", hiv=positive, clinic=clinics)
    assert disclosed("hiv", hiv=positive, flag=["Y" if row < 6 else None for row in range(200)])
    assert disclosed("hiv", hiv=["+" if row < 6 else None for row in range(200)], clinic=clinics)


def test_a_flag_of_some_of_a_rare_value_or_of_others_too_is_no_twin():
    positive = rare(200, 6, values="+-")
    assert disclosed("hiv", hiv=positive, flag=rare(200, 3)) == []
    assert disclosed("hiv", hiv=positive, flag=rare(200, 9)) == []
    assert disclosed("hiv", hiv=positive, key=[str(row) for row in range(200)]) == []


def test_a_rare_value_is_found_in_a_wide_table():
    chance = random.Random(2)
    wide = {f"f{n}": chance.choices("abc", k=100) for n in range(130)}
    names = [*wide]
    fields = coded(**wide, flag=rare(100, 5), hiv=rare(100, 5, values="+-"))
    told = frozenset([*names[65:], "hiv"])
    search = DependenceSearch(
        fields, telling=frozenset([*names[:65], "flag"]), told=told, twins=told
    )
    assert [each.fields for each in search.find()] == [("flag", "hiv")]


def test_independent_columns_are_no_twins():
    chance = random.Random(3)
    alarms = 0
    for _ in range(40):
        rows = chance.choice([12, 30, 80, 200])
        columns = {
            f"f{n}": [
                f"v{each}" if each else "w"
                for each in _skewed(chance, rows, chance.choice((2, 4, 9)))
            ]
            for n in range(6)
        }
        fields = coded(**columns)
        names = frozenset(fields)
        found = DependenceSearch(fields, telling=names, told=names, twins=names).find()
        alarms += any(each.is_of_value or each.kind.value == "part" for each in found)
    assert alarms <= 1


def _skewed(chance: random.Random, rows: int, values: int) -> list[int]:
    return chance.choices(range(values), weights=[0.2**each for each in range(values)], k=rows)


@pytest.mark.parametrize("form", ["{} case {:03d}", "case {1:03d}, {0}", "{}{:03d}"])
def test_a_unique_text_that_holds_the_value_is_a_twin(form):
    chance = random.Random(4)
    cities = chance.choices(["Boston", "Salem", "Lynn", "New Salem"], k=60)
    texts = [form.format(city.upper(), row) for row, city in enumerate(cities)]
    (found,) = disclosed("city", city=cities, code=texts)
    assert (found.kind.value, found.fields) == ("part", ("code", "city"))
    chance.shuffle(texts)
    assert disclosed("city", city=cities, code=texts) == []


@pytest.mark.parametrize("many", [60, 3_000])
def test_a_number_without_its_signs_is_a_copy(many):
    chance = random.Random(9)
    digits = [f"{chance.randrange(many):05d}{chance.randrange(10**4):04d}" for _ in range(many)]
    dashed = [f"{each[:3]}-{each[3:5]}-{each[5:]}" for each in digits]
    for copy in (
        digits,
        [f"{int(each)}.0" for each in digits],
        [str(int(each)) for each in digits],
    ):
        (found,) = disclosed("ssn", number=copy, ssn=dashed)
        assert found.kind.value == "equal"
        chance.shuffle(shuffled := [*copy])
        assert disclosed("ssn", number=shuffled, ssn=dashed) == []


def test_long_numbers_that_begin_alike_are_no_copies():
    keys = [f"1234-5678-9012-3456-{7000 + row}" for row in range(60)]
    following = [each.replace("-", "") for each in keys[1:] + keys[:1]]
    assert disclosed("key", following=following, key=keys) == []


@pytest.mark.parametrize("form", ["seen in {0} case {1}", "case {1} at ZIP{0:>05}", "{1:06d}{0}"])
@pytest.mark.parametrize("many", [20, 2_000])
def test_a_text_that_holds_a_number_is_a_twin(form, many):
    chance = random.Random(5)
    zips = [f"0{2100 + chance.randrange(many)}" for _ in range(400)]
    texts = [form.format(each, row) for row, each in enumerate(zips)]
    (found,) = disclosed("zip", zip=zips, code=texts)
    assert (found.kind.value, found.fields) == ("part", ("code", "zip"))
    chance.shuffle(texts)
    assert disclosed("zip", zip=zips, code=texts) == []


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%b %d, %Y", "%m/%d/%Y", "%Y%m%d"])
@pytest.mark.parametrize("days", [2, 20_000])
def test_a_text_that_holds_a_date_is_a_twin(form, days):
    chance = random.Random(6)
    born = [date(1940, 1, 20) + timedelta(days=chance.randrange(days)) for _ in range(200)]
    dates = [each.isoformat() for each in born]
    texts = [f"born {each.strftime(form)} case {row}" for row, each in enumerate(born)]
    (found,) = disclosed("birth", birth=dates, note=texts)
    assert (found.kind.value, found.fields) == ("part", ("note", "birth"))
    chance.shuffle(texts)
    assert disclosed("birth", birth=dates, note=texts) == []


def test_an_age_between_other_numbers_of_a_text_is_found():
    chance = random.Random(7)
    ages = [str(chance.randrange(18, 90)) for _ in range(200)]
    rooms = chance.choices(range(90), k=200)
    texts = [f"room {rooms[row]}, aged {age}, case {row}" for row, age in enumerate(ages)]
    (found,) = disclosed("age", age=ages, note=texts)
    assert (found.kind.value, found.fields) == ("part", ("note", "age"))


def test_numbers_that_merely_go_together_are_no_twins():
    chance = random.Random(8)
    for _ in range(20):
        tall = [chance.gauss(170, 10) for _ in range(300)]
        columns = {
            "height": [f"{each:.0f}" for each in tall],
            "weight": [f"{each / 2 + chance.gauss(0, 8):.1f}" for each in tall],
            "paid": [f"{chance.lognormvariate(7, 1):.2f}" for _ in tall],
            "note": [f"{chance.randrange(300)} of {chance.randrange(200)} {n}" for n in range(300)],
        }
        fields = coded(**columns)
        names = frozenset(fields)
        assert DependenceSearch(fields, telling=names, told=names, twins=names).find() == ()


def test_a_release_refuses_the_flag_of_a_rare_value_unless_a_person_accepts_it(tmp_path: Path):
    source, policy = tmp_path / "source.csv", tmp_path / "policy.toml"
    rows = [f"{'Y,+' if n < 3 else 'N,-'},{'ab'[n % 2]}" for n in range(60)]
    source.write_text("\n".join(["flag,hiv,region", *rows]))
    fields = 'hiv = "direct"\nregion = "quasi"\n[require]\nk = 2\n'
    policy.write_text(f'[fields]\nflag = "insensitive"\n{fields}')
    with pytest.raises(PolicyError, match="flag determines one value of hiv"):
        sfumato.release(source, read_policy(policy), to=tmp_path / "out")
    accepted = '{ role = "insensitive", may_tell = ["hiv"] }'
    policy.write_text(f"[fields]\nflag = {accepted}\n{fields}")
    sfumato.release(source, read_policy(policy), to=tmp_path / "out")
    assert (tmp_path / "out" / "release.csv").exists()
