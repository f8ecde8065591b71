"""Requirements that need more than the folder: undecided by themselves, judged where it is given,
never just passed."""

from __future__ import annotations

import json

import pytest

import sfumato
from sfumato.cli import main

SEXES = ("f", "m")
ROWS = [(f"0213{n % 3}", SEXES[n % 2], ("flu", "cold", "gout")[n // 2 % 3]) for n in range(36)]
K_MAP = 'k_map = { k = 4, population = "people/register.csv" }'
CLOSE = "k = 3\nt_closeness = { t = 0.5 }"


def made(tmp_path, require, *, name="out"):
    """A source in one folder, a policy in another, and the register in a third, beside the
    policy."""
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "policies" / "people").mkdir(parents=True, exist_ok=True)
    lines = ["zip,sex,problem", *(",".join(row) for row in ROWS)]
    (tmp_path / "data" / "patients.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    register = ["zip,sex", *(",".join(row[:2]) for row in ROWS * 2)]
    (tmp_path / "policies" / "people" / "register.csv").write_text(
        "\n".join(register) + "\n", encoding="utf-8"
    )
    policy = tmp_path / "policies" / "policy.toml"
    fields = (
        '[fields]\nzip = { role = "quasi", hierarchy = { prefix = [4] } }\nsex = '
        '"quasi"\nproblem = "sensitive"\n'
    )
    policy.write_text(f"{fields}[require]\n{require}\nmax_suppression = 0.1\n", encoding="utf-8")
    told = [
        "release",
        str(tmp_path / "data" / "patients.csv"),
        "--policy",
        str(policy),
        "--to",
        str(tmp_path / name),
    ]
    assert main(told) == 0
    return tmp_path / name


def test_a_k_map_is_undecided_without_its_register(tmp_path, capsys):
    folder = made(tmp_path, K_MAP)
    capsys.readouterr()
    assert main(["verify", str(folder)]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "Not judged: k_map." in said
    assert "--population" in said
    assert main(["verify", str(folder), "--accept", "k_map"]) == 0
    assert main(["verify", str(folder), "--accept", "t_closeness"]) == 2


def test_a_k_map_is_judged_in_the_register_that_is_given(tmp_path):
    folder = made(tmp_path, K_MAP)
    register = tmp_path / "policies" / "people" / "register.csv"
    assert main(["verify", str(folder), "--population", str(register)]) == 0
    alone = tmp_path / "alone.csv"
    alone.write_text(
        "zip,sex\n" + "\n".join(",".join(row[:2]) for row in ROWS[:9]) + "\n", encoding="utf-8"
    )
    assert main(["verify", str(folder), "--population", str(alone)]) == 1
    others = tmp_path / "others.csv"
    others.write_text(register.read_text(encoding="utf-8") + "02130,f\n", encoding="utf-8")
    assert (
        main(["verify", str(folder), "--population", str(others)]) == 3
    )  # It holds, in a register of another size.


def test_a_population_that_nothing_requires_or_that_lacks_a_field_is_refused(tmp_path, capsys):
    folder = made(tmp_path, K_MAP)
    lacking = tmp_path / "lacking.csv"
    lacking.write_text("zip\n02130\n", encoding="utf-8")
    assert main(["verify", str(folder), "--population", str(lacking)]) == 2
    assert "has no field sex" in capsys.readouterr().err
    assert main(["verify", str(folder), "--population", str(tmp_path / "nowhere.csv")]) == 2
    plain = made(tmp_path, "k = 3", name="plain")
    assert main(["verify", str(plain), "--population", str(lacking)]) == 2


def test_t_closeness_is_judged_against_the_source_that_is_given(tmp_path):
    folder = made(tmp_path, CLOSE)
    assert main(["verify", str(folder)]) == 3
    assert main(["verify", str(folder), "--source", str(tmp_path / "data" / "patients.csv")]) == 0


def test_no_path_of_the_holder_travels(tmp_path):
    folder = made(tmp_path, K_MAP)
    for name in ("manifest.json", "policy.toml"):
        text = (folder / name).read_text(encoding="utf-8")
        assert "register.csv" in text
        assert "people/register.csv" not in text
        assert str(tmp_path) not in text
    policy = tmp_path / "policies" / "policy.toml"
    register = str(tmp_path / "policies" / "people" / "register.csv")
    assert main(["verify", str(folder), "--policy", str(policy), "--population", register]) == 0


def outcome_of_requirements(folder, **given):
    found = sfumato.assess(folder, attacks=False, **given)
    return next(
        one for one in found.judgements if one.question.startswith("Does it keep what")
    ), found.notes


def test_assess_finds_the_register_beside_the_policy_that_is_given(tmp_path):
    folder = made(tmp_path, K_MAP)
    source, policy = tmp_path / "data" / "patients.csv", tmp_path / "policies" / "policy.toml"
    judged, notes = outcome_of_requirements(folder, source=source, policy=policy)
    assert judged.outcome == "pass"
    assert not any("was not judged" in note for note in notes)


@pytest.mark.long("an assessment for each place; one stays", every=2)
@pytest.mark.parametrize("where", ["given", "beside the source"])
def test_assess_takes_the_register_that_is_given_or_beside_the_source(tmp_path, where):
    folder = made(tmp_path, K_MAP)
    source = tmp_path / "data" / "patients.csv"
    register = tmp_path / "policies" / "people" / "register.csv"
    if where == "given":
        judged, _ = outcome_of_requirements(folder, source=source, population=register)
    else:
        register.rename(tmp_path / "data" / "register.csv")
        judged, _ = outcome_of_requirements(folder, source=source)
    assert judged.outcome == "pass"


def test_assess_without_the_register_is_undecided_and_says_what_to_try(tmp_path):
    folder = made(tmp_path, K_MAP)
    judged, notes = outcome_of_requirements(folder, source=tmp_path / "data" / "patients.csv")
    assert judged.outcome == "review"
    assert any(
        "register.csv is neither beside the policy" in note and "`population`" in note
        for note in notes
    )


def test_a_register_in_the_folder_of_the_release_is_not_believed(tmp_path):
    """Whoever has the folder could put one there under which everything passes."""
    folder = made(tmp_path, K_MAP)
    (folder / "register.csv").write_text("zip,sex\n" + "02130,f\n" * 9, encoding="utf-8")
    judged, notes = outcome_of_requirements(folder, source=tmp_path / "data" / "patients.csv")
    assert judged.outcome == "review"
    assert any("was not judged" in note for note in notes)


def test_intrude_runs_without_the_register_and_with_it(tmp_path, capsys):
    folder = made(tmp_path, K_MAP)
    told = ["intrude", str(folder), "--source", str(tmp_path / "data" / "patients.csv"), "--json"]
    capsys.readouterr()
    assert main(told) != 2
    assert any(
        "k_map was not judged" in note for note in json.loads(capsys.readouterr().out)["notes"]
    )
    assert (
        main([*told, "--population", str(tmp_path / "policies" / "people" / "register.csv")]) != 2
    )
    assert not any(
        "was not judged" in note for note in json.loads(capsys.readouterr().out)["notes"]
    )


def test_a_release_without_its_register_is_refused_with_its_name(tmp_path, capsys):
    made(tmp_path, K_MAP)
    (tmp_path / "policies" / "people" / "register.csv").unlink()
    policy = tmp_path / "policies" / "policy.toml"
    told = [
        "release",
        str(tmp_path / "data" / "patients.csv"),
        "--policy",
        str(policy),
        "--to",
        str(tmp_path / "again"),
    ]
    assert main(told) == 2
    assert "register.csv is not in the folder of the policy" in " ".join(
        capsys.readouterr().err.split()
    )
