"""Opening what is assessed: which fields, which policy, which hierarchies; and every way in which
it does not fit."""

from __future__ import annotations

import json
import shutil

import pytest
import ward

from sfumato.assessment.case import case
from sfumato.assessment.request import AssessmentRequest
from sfumato.errors import Mistake, PolicyError, ReleaseBroken, SfumatoError, SourceError
from sfumato.releases import release


def opened(**given):
    """The case, after it was closed again: what was counted is kept."""
    with case(AssessmentRequest(**given)) as found:
        assert found.subject.released.rows
        assert found.subject.original is None or found.subject.original.rows
        return found


def test_a_release_alone_is_read_by_its_manifest(made):
    found = opened(release=made.release)
    assert found.subject.known == ward.KNOWN
    assert found.subject.sensitive == ("diagnosis",)
    assert found.subject.source is None
    assert found.subject.hierarchies == {}
    assert {check.outcome for check in found.opened.checks} == {"pass", "review"}


def test_with_its_source_hierarchies_lead_to_every_released_label(made):
    found = opened(release=made.release, source=made.source)
    subject = found.subject
    for name, labels in zip(subject.released.fields, subject.released.labels, strict=True):
        assert set(labels) <= subject.hierarchies[name].level_of_label.keys()
        assert (
            subject.hierarchies[name].labels[0]
            == subject.original.labels[subject.original.column(name)]
        )
    assert [model.name for model in found.models] == ["k-anonymity"]
    assert found.opened.found.came_from == "the manifest"


def test_the_policy_that_it_was_made_under_may_be_given(made):
    found = opened(release=made.release, source=made.source, policy=made.policy)
    assert found.opened.found.came_from.startswith("given")


def test_a_finished_release_may_be_given_as_it_is(made, tmp_path):
    finished = release(made.source, made.policy, to=tmp_path / "out")
    assert opened(release=finished).subject.known == ward.KNOWN


def test_other_fields_may_be_asked_about(made):
    found = opened(
        release=made.release, source=made.source, known=("zip", "stay"), sensitive=("diagnosis",)
    )
    assert found.subject.known == ("zip", "stay")
    assert (
        found.required == ward.KNOWN
    )  # What was required is judged over the policy's fields all the same.
    assert "zip" in found.subject.hierarchies


def test_any_table_can_be_assessed_with_the_fields_that_are_known(made):
    found = opened(release=made.source, known=("zip", "sex"))
    assert found.subject.released.fields == ("zip", "sex")
    assert found.models == ()
    assert not found.opened.facts


def test_any_table_can_be_assessed_with_a_policy(made):
    found = opened(release=made.source, policy=made.policy)
    assert found.subject.known == ward.KNOWN
    assert [model.name for model in found.models] == ["k-anonymity"]


def test_a_release_of_another_tool_is_compared_value_by_value(made, tmp_path):
    rows = [row | {"zip": str(row["zip"])[:3]} for row in ward.people()]
    other = ward.write(tmp_path / "other.csv", rows, ("zip", "sex", "diagnosis"))
    found = opened(
        release=other, source=made.source, known=("zip", "sex"), sensitive=("diagnosis",)
    )
    assert found.subject.hierarchies == {}
    assert found.subject.original.rows == 240


def test_a_population_widens_the_hierarchies(made, tmp_path):
    town = ward.write(tmp_path / "town.csv", ward.people(2_000, seed=9), ward.KNOWN)
    found = opened(release=made.release, source=made.source, population=town)
    births = found.subject.hierarchies["birth"].labels[0]
    assert len(births) > len(found.subject.original.labels[found.subject.original.column("birth")])
    assert found.population_title == "town.csv"


def test_measurements_are_not_taken_for_values_to_guess(made, tmp_path):
    rows = [row | {"diagnosis": 1000.5 + place} for place, row in enumerate(ward.people())]
    found = opened(release=ward.write(tmp_path / "costs.csv", rows), policy=made.policy)
    assert found.subject.sensitive == ()
    assert any("measurement" in note for note in found.notes)


# What does not fit. Nothing is written by opening, so nothing can be lost; messages name no value.


def refused(kind: type[SfumatoError], *words: str, **given) -> str:
    with pytest.raises(kind) as error:
        opened(**given)
    said = str(error.value)
    for word in words:
        assert word in said
    assert "person 1" not in said
    return said


def test_a_table_without_manifest_known_fields_or_policy(made, tmp_path):
    refused(Mistake, "ward.csv has no manifest", "`known`", release=made.source)
    refused(Mistake, "has no manifest", release=tmp_path)


def test_a_file_that_is_not_there(made):
    refused(SourceError, "does not exist", release="nowhere.csv", known=("zip",))
    refused(SourceError, "does not exist", release=made.release, source="nowhere.csv")


def test_an_empty_release(made, tmp_path):
    empty = ward.write(tmp_path / "empty.csv", [])
    refused(SourceError, "release holds no row", release=empty, known=("zip",))


def test_an_empty_source(made, tmp_path):
    empty = ward.write(tmp_path / "empty.csv", [])
    refused(SourceError, "source holds no row", release=made.release, source=empty)


def test_a_source_with_other_fields(made, tmp_path):
    other = ward.write(
        tmp_path / "other.csv", ward.people(), ("name", "zip", "birth", "sex", "stay")
    )
    refused(SourceError, "different fields", "diagnosis", release=made.release, source=other)


def test_a_source_of_another_tools_release_with_other_fields(made, tmp_path):
    other = ward.write(tmp_path / "other.csv", ward.people(), ("name", "birth", "stay"))
    said = refused(
        SourceError,
        "source has no field zip",
        release=made.source,
        source=other,
        known=("zip", "birth"),
    )
    assert "birth" in said


def test_a_source_with_fewer_rows_than_the_release(made, tmp_path):
    fewer = ward.write(tmp_path / "fewer.csv", ward.people()[:100])
    refused(SourceError, "the source only 100", release=made.release, source=fewer)
    refused(SourceError, "the source only 100", release=made.source, source=fewer, known=("zip",))


def test_a_source_from_which_the_labels_cannot_come(made, tmp_path):
    moved = [row | {"zip": "99" + str(row["zip"])[2:]} for row in ward.people(400)]
    refused(
        SourceError,
        "not the one that the release was made from",
        "of zip",
        release=made.release,
        source=ward.write(tmp_path / "moved.csv", moved),
    )


def test_a_source_that_has_grown_is_told(made, tmp_path):
    grown = ward.write(tmp_path / "grown.csv", [*ward.people(), *ward.people(10, seed=6)])
    found = opened(release=made.release, source=grown)
    assert any("250 rows now and had 240" in note for note in found.notes)


def test_a_population_without_the_known_fields(made, tmp_path):
    town = ward.write(tmp_path / "town.csv", ward.people(), ("name", "zip"))
    refused(
        SourceError,
        "population has no field sex and no field birth",
        release=made.release,
        population=town,
    )
    empty = ward.write(tmp_path / "nobody.csv", [])
    refused(SourceError, "population holds no row", release=made.release, population=empty)


def test_a_control_group_without_the_known_fields(made, tmp_path):
    others = ward.write(tmp_path / "others.csv", ward.people(), ("name", "zip"))
    refused(SourceError, "control group has no field sex", release=made.release, control=others)


def test_another_policy_than_the_release_was_made_under(made, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text(
        ward.POLICY.replace("k = 4", "k = 3").replace("prefix = [4, 3]", "prefix = [3]")
    )
    said = refused(
        PolicyError, "made under another", "require.k", release=made.release, policy=other
    )
    assert "fields.zip.hierarchy" in said
    assert "[3]" not in said


def test_a_policy_that_was_only_confirmed_is_the_same(made, tmp_path):
    proposed = tmp_path / "proposed.toml"
    proposed.write_text("proposed = true\n" + ward.POLICY)
    release(made.source, proposed, to=tmp_path / "out")
    assert opened(release=tmp_path / "out", policy=made.policy).subject.known == ward.KNOWN


def test_hierarchies_in_files_that_are_away(made, tmp_path):
    lines = "".join(f"{zip_};{zip_[:3]}\n".replace(zip_[:3] + "\n", "*\n") for zip_ in _zips())
    (tmp_path / "zips.csv").write_text(lines)
    policy = tmp_path / "filed.toml"
    policy.write_text(ward.POLICY.replace("{ prefix = [4, 3] }", '"zips.csv"'))
    release(made.source, policy, to=tmp_path / "out")
    assert (
        "zip"
        in opened(release=tmp_path / "out", source=made.source, policy=policy).subject.hierarchies
    )
    moved = shutil.move(tmp_path / "zips.csv", tmp_path / "elsewhere.csv")
    refused(
        PolicyError,
        "files that are not with the release",
        release=tmp_path / "out",
        source=made.source,
    )
    assert opened(release=tmp_path / "out").subject.hierarchies == {}
    moved.write_text(lines.replace("02100;*", "02100;0**").replace(";*", ";0**"))
    shutil.copy(moved, tmp_path / "zips.csv")
    refused(
        PolicyError, "the file of the hierarchy of zip", release=tmp_path / "out", policy=policy
    )


def _zips():
    return sorted({str(row["zip"]) for row in ward.people()})


def test_fields_that_the_release_does_not_have(made):
    said = refused(
        SourceError, "release has no field ziip", release=made.release, known=("ziip", "sex")
    )
    assert 'Did you mean "zip"?' in said
    refused(SourceError, "has no field name", release=made.release, known=("name",))
    refused(SourceError, "has no field weight", release=made.release, weight="weight")
    refused(SourceError, "has no field home", release=made.release, household="home")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sampling_fraction": 0.0}, "more than 0"),
        ({"sampling_fraction": 1.5}, "more than 0"),
        ({"population_size": 0}, "0 people"),
        ({"population_size": 100}, "the release has"),
        ({"sampling_fraction": 0.5, "population_size": 1000}, "2 ways"),
        ({"known": ("zip", "zip")}, "named twice"),
        ({"known": ("zip",), "sensitive": ("zip",)}, "naming each field once"),
        ({"known": ("zip",), "weight": "zip"}, "named as the weight"),
    ],
)
def test_numbers_and_names_that_cannot_be(made, given, words):
    refused(Mistake, words, release=made.release, **given)


def test_a_release_that_is_not_what_its_manifest_says_is_found_out(made, tmp_path):
    copy = shutil.copytree(made.release, tmp_path / "copy")
    table = next(copy.glob("release.*"))
    table.write_text("\n".join(table.read_text().splitlines()[:-1]) + "\n")
    found = opened(release=copy)
    assert {"digest of release.csv", "rows released"} <= {
        c.claim for c in found.opened.checks if c.outcome == "fail"
    }
    table.unlink()
    refused(ReleaseBroken, "has no release.csv", release=copy)


def test_documents_of_a_release_in_a_database(made, tmp_path):
    copy = shutil.copytree(made.release, tmp_path / "copy")
    facts = json.loads((copy / "manifest.json").read_text())
    entry = {
        name: said
        for name, said in facts["tables"]["release"].items()
        if name not in ("file", "sha256", "bytes")
    }
    facts["tables"]["release"] = entry | {"schema": "research", "table": "release"}
    (copy / "manifest.json").write_text(json.dumps(facts))
    refused(Mistake, "tables are in a database", "#SCHEMA", release=copy)


@pytest.mark.parametrize("constant", ["02139", None])
def test_fields_that_tell_nobody_apart_are_said_so(made, tmp_path, constant):
    rows = [row | {"zip": constant} for row in ward.people()]
    found = opened(release=ward.write(tmp_path / "flat.csv", rows), known=("zip", "sex"))
    assert len(found.subject.released) == 2
    assert any(note.startswith("zip ") and "distinguishes nobody" in note for note in found.notes)


def test_a_place_that_is_not_there_is_not_called_a_release_without_manifest(tmp_path):
    with pytest.raises(SourceError, match="does not exist"):
        opened(release=tmp_path / "nowhere")


def test_the_folder_above_a_release_says_which_is_meant(made):
    with pytest.raises(Mistake, match=f"has {made.release.name} in it") as raised:
        opened(release=made.release.parent)
    assert str(made.release) in raised.value.attempt


def test_a_population_with_fewer_people_than_the_release_is_none(made, tmp_path):
    few = ward.write(tmp_path / "few.csv", ward.people()[:20], ward.KNOWN)
    with pytest.raises(SourceError, match="has 20 people, and the release"):
        opened(release=made.release, source=made.source, population=few)
