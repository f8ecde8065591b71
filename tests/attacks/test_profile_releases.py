"""A recipient of one profile gets hold of the release of another, and joins the two by pseudonym."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from pathlib import Path

import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import CandidateFailed, Mistake, NoRecodingFound, TargetError
from sfumato.keys import Key

KEY = Key(b"0123456789abcdef0123456789abcdef")
K = 3
POLICY = """
entity = "id"
[fields.id]
role = "direct"
replace = "hash"
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [10, 20, 40] } }
[fields.zip]
role = "quasi"
hierarchy = { prefix = [2, 1] }
[fields.illness]
role = "sensitive"
[require]
k = 3
max_suppression = 0.2
[recipient.research]
distortion = { age = 0.0, zip = 1.0 }
[recipient.finance]
distortion = { age = 1.0, zip = 0.0 }
"""


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(7)
    target = tmp_path_factory.mktemp("source") / "people.csv"
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "zip", "illness"])
        for number in range(100):
            place = chance.choice(("021", "022", "031", "946"))
            writer.writerow(
                [f"p{number}", chance.randint(20, 79), place, chance.choice(("flu", "gout"))]
            )
    return target


def joined(folders: list[Path]) -> Counter[tuple[object, ...]]:
    """How many people have each pair of what two releases say; absence is a part of it."""
    states = []
    for folder in folders:
        with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
            states.append({row["id"]: (row["age"], row["zip"]) for row in csv.DictReader(file)})
    return Counter(tuple(state.get(each) for state in states) for each in set().union(*states))


def test_who_holds_both_releases_singles_out_nobody(people: Path, tmp_path: Path) -> None:
    made = sfumato.release_profiles(
        people, POLICY, to=tmp_path / "both", profiles=["research", "finance"], key=KEY
    )
    folders = [tmp_path / "both" / name for name in ("research", "finance")]
    assert [each.folder for each in made.releases.values()] == folders
    assert min(joined(folders).values()) >= K
    assert made.verdicts["together"].outcome == "pass"
    assert made.verdicts["together"].smallest == min(joined(folders).values())
    assert len(made.releases["finance"].frame) == made.releases["finance"].rows > 70


def test_two_plain_releases_single_people_out(people: Path, tmp_path: Path) -> None:
    """The attacker is real: the same two releases, one after the other, fall to it."""
    folders = [tmp_path / "research", tmp_path / "finance"]
    for folder in folders:
        text = f'release_to = "{folder.name}"\n{POLICY}'
        sfumato.release(people, text, to=folder, key=KEY, solver="anytime")
    assert min(joined(folders).values()) < K


def test_the_folder_of_profiles_is_verified_as_one(
    people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, both = tmp_path / "people.toml", tmp_path / "both"
    policy.write_text(POLICY, encoding="utf-8")
    asked = ["release", str(people), "--policy", str(policy), "--to", str(both)]
    asked += ["--profiles", "research,finance", "--json"]
    assert main(asked) == 0
    said = json.loads(capsys.readouterr().out)
    anchored = sfumato.verify(both, policy=policy, digest=said["digest"], accept=["joint"])
    assert anchored.outcome == "pass"
    # What nobody judged here is not a pass, unless a person says so.
    assert main(["verify", str(both)]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "not recounted here" in shown
    assert "Not judged: joint." in shown
    assert "Every check holds" not in shown
    with pytest.raises(Mistake, match="does not require"):
        sfumato.verify(both / "finance", accept=["joint"])
    with pytest.raises(TargetError, match="already holds"):
        sfumato.release_profiles(people, POLICY, to=both)
    # A joint requirement that is weaker than the policies' says nothing about them.
    facts = (both / "profiles.json").read_text(encoding="utf-8")
    weaker = facts.replace(f'"k": {K}', '"k": 2')
    assert weaker != facts
    (both / "profiles.json").write_text(weaker, encoding="utf-8")
    assert sfumato.verify(both, accept=["joint"]).outcome == "fail"
    (both / "profiles.json").write_text(facts, encoding="utf-8")
    # Another release of the same source, and a pass by itself, was not judged with the other.
    text = f'release_to = "finance"\n{POLICY}'
    sfumato.release(people, text, to=both / "finance", replace=True, solver="anytime")
    assert sfumato.verify(both / "finance").outcome == "pass"
    assert sfumato.verify(both).outcome == "fail"


def test_profiles_that_cannot_be_kept_together_write_nothing(people: Path, tmp_path: Path) -> None:
    tight = POLICY.replace("max_suppression = 0.2", "max_suppression = 0.0").replace(
        "k = 3", "k = 3\nl_diversity = { l = 3 }"
    )
    with pytest.raises((NoRecodingFound, CandidateFailed)):
        sfumato.release_profiles(
            people, tight.replace("[2, 1]", "[3]"), to=tmp_path / "both", key=KEY
        )
    with pytest.raises(Mistake, match="no entity"):
        sfumato.release_profiles(people, POLICY.replace('entity = "id"', ""), to=tmp_path / "both")
    assert not list(tmp_path.iterdir())


SKEWED = """
entity = "id"
[fields.id]
role = "direct"
replace = "hash"
[fields.age]
role = "quasi"
[fields.zip]
role = "quasi"
[fields.illness]
role = "sensitive"
[require]
k = 3
max_suppression = 0.1
RULE
[recipient.research]
distortion = { age = 0.0, zip = 1.0 }
[recipient.finance]
distortion = { age = 1.0, zip = 0.0 }
"""


def write_skewed(target: Path) -> Path:
    """Of each age and of each place, half have flu; of age and place together, four fifths."""
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "zip", "illness"])
        for number in range(80):
            age, place, rare = number % 2, number // 2 % 2, number // 4 % 5 == 0
            flu = (age == place) != rare
            writer.writerow([f"p{number}", 30 + age, f"02{place}", "flu" if flu else "gout"])
    return target


def most_in_a_class(folders: list[Path]) -> float:
    """The largest share of one illness in a class of people whom both releases treat alike."""
    labels: dict[str, list[object]] = {}
    illness: dict[str, str] = {}
    for folder in folders:
        with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                shown = (folder.name, row.get("age"), row.get("zip"))
                labels.setdefault(row["id"], []).append(shown)
                illness[row["id"]] = row["illness"]
    people = Counter(map(tuple, labels.values()))
    pairs = Counter((tuple(seen), illness[person]) for person, seen in labels.items())
    return max(many / people[seen] for (seen, _), many in pairs.items())


def test_who_links_rows_of_two_releases_learns_no_value(tmp_path: Path) -> None:
    source = write_skewed(tmp_path / "people.csv")
    policy = SKEWED.replace("RULE", "confidence_gain = { gain = 0.2 }")
    made = sfumato.release_profiles(source, policy, to=tmp_path / "both", key=KEY)
    folders = [each.folder for each in made.releases.values() if each.folder is not None]
    assert most_in_a_class(folders) <= 0.7
    assert all(each.rows >= 72 for each in made.releases.values())


def test_two_plain_releases_tell_values_to_who_links_them(tmp_path: Path) -> None:
    """The attacker is real: each release keeps t by itself."""
    source = write_skewed(tmp_path / "people.csv")
    folders = [tmp_path / "research", tmp_path / "finance"]
    for folder in folders:
        text = (
            f'release_to = "{folder.name}"\n{SKEWED.replace("RULE", "t_closeness = { t = 0.2 }")}'
        )
        sfumato.release(source, text, to=folder, key=KEY, solver="anytime")
    assert most_in_a_class(folders) == 0.8


def test_the_limit_of_suppression_counts_all_people_of_the_source(tmp_path: Path) -> None:
    """Ten of a hundred may be left out of each release, for whatever reason. Here twelve would have
    to be held back, so both profiles are solved anew, together."""
    chance, source = random.Random(0), tmp_path / "people.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "zip", "illness"])
        for number in range(100):
            place = chance.choice(("021", "022", "031", "946"))
            age = chance.randint(20, 79)
            writer.writerow([f"p{number}", age, place, chance.choice(("flu", "gout"))])
    tight = POLICY.replace("max_suppression = 0.2", "max_suppression = 0.1")
    made = sfumato.release_profiles(source, tight, to=tmp_path / "both", key=KEY)
    assert all(each.rows >= 90 for each in made.releases.values())
    levels = {name: each.manifest["recoding"]["levels"] for name, each in made.releases.items()}
    assert levels["finance"]["zip"] < levels["research"]["zip"]


# -------------------------------------------------------------------------------------------------------
# fields that chance changes: two draws of one change are averaged


CHANCE = """
[[steps]]
technique = "pram"
fields = ["illness"]
keep = 0.6
"""
SAME = POLICY.replace(
    "distortion = { age = 1.0, zip = 0.0 }", "distortion = { age = 0.0, zip = 1.0 }"
)


def illnesses(folder: Path) -> dict[str, str]:
    with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row["illness"] for row in csv.DictReader(file)}


def test_profiles_have_one_draw_of_a_change_by_chance(people: Path, tmp_path: Path) -> None:
    """Where two draws agree, the value is nearly always true; one draw gives no second look."""
    made = sfumato.release_profiles(people, SAME + CHANCE, to=tmp_path / "both", key=KEY)
    assert made.held_back == {"research": 0, "finance": 0}
    one, other = (illnesses(tmp_path / "both" / name) for name in ("research", "finance"))
    assert one.keys() == other.keys() or len(one.keys() & other.keys()) > 70
    assert all(one[each] == other[each] for each in one.keys() & other.keys())


@pytest.mark.parametrize(
    "policy", [SAME + CHANCE, SAME + "[fields.seen]\nrole = 'insensitive'\nshift = { days = 30 }\n"]
)
def test_without_a_key_nothing_is_drawn_for_several_profiles(
    people: Path, tmp_path: Path, policy: str
) -> None:
    with pytest.raises(Mistake, match="draw of its own"):
        sfumato.release_profiles(people, policy, to=tmp_path / "both")
    assert not (tmp_path / "both").exists()


def test_profiles_with_other_people_have_no_change_by_chance(people: Path, tmp_path: Path) -> None:
    """Other rows get other draws, also with a key."""
    with pytest.raises(CandidateFailed, match="draw of its own"):
        sfumato.release_profiles(people, POLICY + CHANCE, to=tmp_path / "both", key=KEY)
    assert not (tmp_path / "both").exists()


def test_views_have_no_change_by_chance(people: Path, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="draws anew"):
        sfumato.refresh_views(people, POLICY + CHANCE, to=tmp_path / "views", key=KEY)


def test_rows_without_a_person_are_named_as_the_reason(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    rows = [f"{'' if number < 2 else number},30,021,flu" for number in range(12)]
    source.write_text("\n".join(["id,age,zip,illness", *rows, ""]), encoding="utf-8")
    with pytest.raises(CandidateFailed, match="2 rows without a person") as refused:
        sfumato.release_profiles(source, POLICY, to=tmp_path / "both", key=KEY)
    assert "every row has its person in id" in refused.value.attempt
    assert "fewer profiles" not in str(refused.value)
