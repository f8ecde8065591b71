"""Somebody collects every state of every view, and joins them by the pseudonym that they share.

Whoever holds the views of two roles, or yesterday's and today's, looks for people who are alone in
what all of them say together: newcomers, leavers, and people cut out by two different recodings."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import sfumato
from sfumato.errors import (
    CandidateFailed,
    Mistake,
    NoRecodingFound,
    ReleaseBroken,
    TargetError,
)
from sfumato.keys import Key
from sfumato.releases import PeopleRecord
from sfumato.views.history import ViewHistory

KEY = Key(b"0123456789abcdef0123456789abcdef")
K = 3
KNOWN = ("age", "sex", "zip")
POLICY = """
entity = "id"
[fields.id]
role = "direct"
replace = "hash"
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [10, 20, 40] } }
[fields.sex]
role = "quasi"
[fields.zip]
role = "quasi"
hierarchy = { prefix = [2, 1] }
[fields.illness]
role = "sensitive"
[require]
k = 3
max_suppression = 0.2
[recipient.research]
distortion = { age = 0.0, sex = 0.0, zip = 1.0 }
[recipient.finance]
distortion = { age = 1.0, sex = 1.0, zip = 0.0 }
"""


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("policy") / "people.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def write_people(target: Path, *, first: int, last: int, moved: int = 0) -> Path:
    """People numbered from `first` to `last`; the first `moved` of them have got another age."""
    chance = random.Random(7)
    rows = []
    for number in range(400):
        age, sex = chance.randint(20, 79), chance.choice("fm")
        zip_code = chance.choice(("021", "022", "031", "946"))
        rows.append([f"p{number}", str(age), sex, zip_code, chance.choice(("flu", "gout"))])
    for row in rows[first : first + moved]:
        row[1] = str(99 - int(row[1]))
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "sex", "zip", "illness"])
        writer.writerows(rows[first:last])
    return target


def seen(folder: Path, profile: str) -> dict[str, tuple[object, ...]]:
    """What a view says of each pseudonym."""
    with duckdb.connect(str(folder / f"{profile}.duckdb"), read_only=True) as connection:
        names = ", ".join(KNOWN)
        found = connection.execute(f"SELECT id, {names} FROM people").fetchall()
    return {str(person): tuple(values) for person, *values in found}


def classes(states: list[dict[str, tuple[object, ...]]]) -> Counter[tuple[object, ...]]:
    """How many people have each history over all states; absence is a part of it."""
    people = set().union(*states)
    return Counter(tuple(state.get(each) for state in states) for each in people)


def test_all_states_of_all_views_single_out_nobody(policy: Path, tmp_path: Path) -> None:
    states: list[dict[str, tuple[object, ...]]] = []
    waiting = 0
    for first, last, moved in [(0, 300, 0), (2, 304, 1), (2, 400, 3)]:
        source = write_people(tmp_path / "people.csv", first=first, last=last, moved=moved)
        made = sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY)
        states += [seen(tmp_path / "views", name) for name in ("research", "finance")]
        waiting += sum(each.waiting for each in made.profiles)
        assert made.verdicts["together"].outcome == "pass"
    assert min(classes(states).values()) >= K
    assert waiting  # Four newcomers are too few for all of them to be shown.
    assert len(states[-1]) > 200


def test_plain_releases_of_the_same_states_do_single_people_out(
    policy: Path, tmp_path: Path
) -> None:
    """The attacker is real: without views, the same states distinguish newcomers."""
    states = []
    for first, last in [(0, 300), (2, 304)]:
        source = write_people(tmp_path / "people.csv", first=first, last=last)
        text = 'release_to = "research"\n' + policy.read_text(encoding="utf-8")
        made = sfumato.release(source, text, to=tmp_path / f"{first}", key=KEY)
        with open(made.table, encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            states.append({row["id"]: tuple(row[name] for name in KNOWN) for row in rows})
    assert min(classes(states).values()) < K


def test_a_refused_refresh_changes_nothing(policy: Path, tmp_path: Path) -> None:
    source = write_people(tmp_path / "people.csv", first=0, last=300)
    sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY)
    files = {p.name: p.read_bytes() for p in (tmp_path / "views").iterdir()}
    state = (tmp_path / "views-state" / "views.json").read_bytes()
    write_people(source, first=0, last=300, moved=280)
    with pytest.raises((NoRecodingFound, CandidateFailed)):
        sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY)
    assert {p.name: p.read_bytes() for p in (tmp_path / "views").iterdir()} == files
    assert (tmp_path / "views-state" / "views.json").read_bytes() == state
    assert not list((tmp_path / "views-state" / "releases").glob("*-2"))


def test_a_lost_memory_is_not_taken_for_a_start(policy: Path, tmp_path: Path) -> None:
    source = write_people(tmp_path / "people.csv", first=0, last=300)
    sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY)
    with pytest.raises(Mistake, match="knows nothing"):
        sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY, state=tmp_path / "s")
    text = policy.read_text(encoding="utf-8")
    more = text.replace(
        "[recipient.finance]", "[recipient.press]\ndefault_linking = 1\n[recipient.finance]"
    )
    made = sfumato.refresh_views(source, more, to=tmp_path / "views", key=KEY, profiles=["press"])
    assert {"research 1", "finance 1"} < set(made.verdicts["together"].releases)
    with pytest.raises(Mistake, match="judged otherwise"):
        sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY, apart=["finance"])


def test_a_changed_memory_is_noticed(policy: Path, tmp_path: Path) -> None:
    """Somebody without the key exchanges two people records, or takes a release out of the list."""
    source = write_people(tmp_path / "people.csv", first=0, last=300)
    sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY)
    state = tmp_path / "views-state"
    history = ViewHistory(state, key=KEY)
    history.ledger(history.held())
    one, other = (state / "records" / f"{name}-1.people" for name in ("research", "finance"))
    kept = one.read_bytes(), other.read_bytes()
    one.write_bytes(kept[1])
    with pytest.raises(ReleaseBroken, match="another release, was changed"):
        sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY)
    one.unlink()
    replace(PeopleRecord.of_content(kept[1], where=""), release=history.shown[0].digest).save(one)
    with pytest.raises(ReleaseBroken, match="another release, was changed"):
        history.ledger(history.held())
    one.write_bytes(kept[0])
    history.ledger(history.held())
    facts = json.loads((state / "views.json").read_bytes())
    (state / "views.json").write_text(json.dumps(facts | {"shown": facts["shown"][1:]}))
    with pytest.raises(ReleaseBroken, match="seal is not of this key"):
        sfumato.refresh_views(source, policy, to=tmp_path / "views", key=KEY)


def test_recipients_who_know_more_are_not_added_to_views(policy: Path, tmp_path: Path) -> None:
    """Earlier views show zip as it is, because nobody was taken to know it."""
    source = write_people(tmp_path / "people.csv", first=0, last=300)
    text = policy.read_text(encoding="utf-8").replace(
        "distortion", "linking = { zip = 0 }\ndistortion"
    )
    sfumato.refresh_views(source, text, to=tmp_path / "views", key=KEY)
    more = text + "[recipient.press]\n"
    with pytest.raises(Mistake, match=r"may know zip"):
        sfumato.refresh_views(source, more, to=tmp_path / "views", key=KEY, profiles=["press"])


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ('entity = "id"', 'entity = "id"\nproposed = true', CandidateFailed, "review"),
        (
            "max_suppression",
            'l_diversity = { l = 2, kind = "entropy" }\nmax_suppression',
            Mistake,
            "entropy",
        ),
        ("k = 3", "average_risk = 0.2", Mistake, "no k"),
        ("recipient.finance", 'recipient."../finance"', Mistake, "letters, digits"),
        ("recipient.finance", "recipient.'x\"; drop'", Mistake, "letters, digits"),
    ],
)
def test_what_nobody_decided_or_judges_is_not_shown(
    old: str, new: str, error: type[Exception], said: str, policy: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.toml"
    changed.write_text(policy.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    source = write_people(tmp_path / "people.csv", first=0, last=300)
    with pytest.raises(error, match=said):
        sfumato.refresh_views(source, changed, to=tmp_path / "views", key=KEY)
    assert not (tmp_path / "views").exists()


def test_roles_are_for_a_database(policy: Path, tmp_path: Path) -> None:
    source = write_people(tmp_path / "people.csv", first=0, last=300)
    with pytest.raises((Mistake, TargetError), match="roles"):
        sfumato.refresh_views(source, policy, to=tmp_path / "v", key=KEY, roles={"research": "r"})
