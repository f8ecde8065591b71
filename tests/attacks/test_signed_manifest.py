"""Whoever rewrites a signed release, or lends it another's signature, is noticed."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

import sfumato
from sfumato.cli import main
from sfumato.datasets import HOSPITAL_POLICY, write_hospital
from sfumato.releases import outcome_of
from sfumato.signatures import Envelope, SigningKey

SIGNATURE = "manifest.dsse.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("signed")
    write_hospital(folder / "patients.csv", rows=600)
    (folder / "policy.toml").write_text(HOSPITAL_POLICY)
    for name in ("holder", "other"):
        SigningKey.create_file(folder / f"{name}.key")
    for name in ("one", "two"):
        sfumato.release(
            folder / "patients.csv", folder / "policy.toml", to=folder / name,
            sign=folder / "holder.key",
        )  # fmt: skip
    sfumato.release(folder / "patients.csv", folder / "policy.toml", to=folder / "unsigned")
    return folder


@pytest.fixture
def here(made, tmp_path) -> Path:
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def signature_of(folder: Path, signer: Path | None):
    checks = sfumato.verify(folder, signer=signer)
    return outcome_of(checks), next(check for check in checks if "signed by its" in check.claim)


def rewritten(folder: Path, **changes: object) -> None:
    facts = json.loads((folder / "manifest.json").read_text())
    text = json.dumps(facts | changes, indent=2, ensure_ascii=False) + "\n"
    (folder / "manifest.json").write_text(text)


def test_a_signed_release_passes(here):
    assert signature_of(here / "one", here / "holder.key.pub")[0] == "pass"


def test_an_unsigned_release_says_so(here):
    outcome, check = signature_of(here / "unsigned", None)
    assert outcome == "pass"
    assert check.outcome == "review"
    assert "not signed" in check.found


def test_an_unsigned_release_fails_where_a_signer_is_asked_for(here):
    outcome, check = signature_of(here / "unsigned", here / "holder.key.pub")
    assert (outcome, check.outcome) == ("fail", "fail")


def test_a_removed_signature_fails(here):
    (here / "one" / SIGNATURE).unlink()
    assert signature_of(here / "one", here / "holder.key.pub")[0] == "fail"


def test_another_key_fails(here):
    outcome, check = signature_of(here / "one", here / "other.key.pub")
    assert outcome == "fail"
    assert "another key" in check.found


@pytest.mark.parametrize("signer", [True, False])
def test_a_rewritten_digest_fails(here, signer):
    facts = json.loads((here / "one" / "manifest.json").read_text())
    table = here / "one" / "release.csv"
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join([lines[0], *reversed(lines[1:])]))
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    facts["files"]["release.csv"]["sha256"] = digest
    facts["tables"]["release"]["sha256"] = digest
    rewritten(here / "one", files=facts["files"], tables=facts["tables"])
    outcome, check = signature_of(here / "one", here / "holder.key.pub" if signer else None)
    assert (outcome, check.outcome) == ("fail", "fail")


def test_a_changed_word_of_the_manifest_fails(here):
    rewritten(here / "one", created="2020-01-01T00:00:00+00:00")
    assert signature_of(here / "one", here / "holder.key.pub")[1].outcome == "fail"


@pytest.mark.parametrize("signer", [True, False])
def test_the_signature_of_another_release_fails(here, signer):
    rewritten(here / "one", created="2020-01-01T00:00:00+00:00")
    shutil.copy(here / "two" / SIGNATURE, here / "one" / SIGNATURE)
    check = signature_of(here / "one", here / "holder.key.pub" if signer else None)[1]
    assert check.outcome == "fail"
    assert "another release" in check.found


def test_a_payload_that_fits_the_rewritten_manifest_fails(here):
    """Whoever rewrites manifest and payload cannot make the signature."""
    from sfumato.releases.signed_manifest import release_statement

    place = here / "one"
    rewritten(place, created="2020-01-01T00:00:00+00:00")
    text = (place / "manifest.json").read_text()
    old = Envelope.parse((place / SIGNATURE).read_text())
    new = Envelope(release_statement(text, json.loads(text)), old.payload_type, old.signatures)
    (place / SIGNATURE).write_text(new.text())
    outcome, check = signature_of(place, here / "holder.key.pub")
    assert (outcome, check.outcome) == ("fail", "fail")


def test_a_statement_that_says_more_fails(here):
    place = here / "one"
    old = Envelope.parse((place / SIGNATURE).read_text())
    said = json.loads(old.payload) | {"more": "hidden"}
    signed = Envelope.signed(json.dumps(said).encode(), SigningKey.from_file(here / "holder.key"))
    (place / SIGNATURE).write_text(signed.text())
    assert signature_of(place, here / "holder.key.pub")[1].outcome == "fail"


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "\x00", '{"payload": 1}'])
def test_what_is_no_envelope_fails(here, text):
    (here / "one" / SIGNATURE).write_text(text)
    assert signature_of(here / "one", None)[1].outcome == "fail"


def test_text_hidden_beside_an_envelope_fails(here):
    place = here / "one" / SIGNATURE
    place.write_text(place.read_text() + " \n")
    assert signature_of(here / "one", None)[1].outcome == "fail"


def test_a_link_in_place_of_the_signature_is_refused(here):
    place = here / "one" / SIGNATURE
    place.rename(here / "elsewhere")
    place.symlink_to(here / "elsewhere")
    with pytest.raises(sfumato.errors.ReleaseBroken):
        sfumato.verify(here / "one")


def test_a_release_in_memory_is_signed(here):
    made = sfumato.release(
        here / "patients.csv", here / "policy.toml", sign=SigningKey.from_file(here / "holder.key")
    )
    assert outcome_of(sfumato.verify(made, signer=here / "holder.key.pub")) == "pass"
    made.save(here / "saved")
    assert signature_of(here / "saved", here / "holder.key.pub")[0] == "pass"


def test_a_signed_release_is_replaced_whole(here):
    sfumato.release(here / "patients.csv", here / "policy.toml", to=here / "one", replace=True)
    assert not (here / "one" / SIGNATURE).exists()


def test_the_commands(here, capsys, monkeypatch):
    monkeypatch.chdir(here)
    assert main(["key", "--sign", "new.key", "--json"]) == 0
    line = json.loads(capsys.readouterr().out)["line"]
    words = ["release", "patients.csv", "--policy", "policy.toml", "--to", "new"]
    assert main([*words, "--sign", "new.key"]) == 0
    assert "signed with the key" in capsys.readouterr().out
    assert main(["verify", "new", "--signer", line]) == 0
    assert "Nothing outside the folder" not in capsys.readouterr().out
    assert main(["verify", "new", "--signer", "holder.key.pub"]) == 1
    assert main(["verify", "unsigned"]) == 0
    shown = capsys.readouterr().out
    assert "not signed by anybody" in " ".join(shown.split())
    assert main([*words[:-1], "no", "--sign", "new.key.pub"]) == 2
    assert not Path("no").exists()


KINDS = ("table", "tables", "channels", "synthetic", "counts", "letters")


def of_kind(kind: str, folder: Path) -> Path:
    """A small release of one kind, unsigned."""
    example = Path(__file__).parents[2] / "examples" / "channels"
    to = folder / "out"
    if kind == "table":
        sfumato.release(example / "people.csv", quasi=["gender"], k=2, max_suppression=1.0, to=to)
    elif kind == "tables":
        (folder / "source").mkdir()
        people = "".join(f"{number},{'FM'[number % 2]}\n" for number in range(12))
        (folder / "source" / "people.csv").write_text("id,sex\n" + people)
        visits = "".join(f"{number},{number}\n" for number in range(12))
        (folder / "source" / "visits.csv").write_text("visit,person\n" + visits)
        number = {"role": "direct", "replace": "number"}
        fields = {
            "people": {"id": number, "sex": "quasi"},
            "visits": {"visit": number, "person": number},
        }
        tables = {
            "people": {"key": "id", "fields": fields["people"]},
            "visits": {
                "key": "visit",
                "links": {"person": "people.id"},
                "fields": fields["visits"],
            },
        }
        policy = {"entity": "people.id", "tables": tables, "require": {"k": 3}}
        sfumato.release(folder / "source", policy, to=to)
    elif kind == "channels":
        sfumato.release(example / "people.csv", example / "channels.toml", to=to)
    elif kind == "letters":
        (folder / "letter.txt").write_text("Dear Ms Jones, you came on 3 May 2021.")
        assert main(["scrub", str(folder / "letter.txt"), "--to", str(to)]) in (0, 3)
    else:
        (folder / "people.csv").write_text("sex,age\n" + "F,1\nM,2\n" * 200)
        domains = {"sex": ["F", "M"], "age": ["1", "2"]}
        if kind == "synthetic":
            sfumato.synthesize(folder / "people.csv", epsilon=5.0, domains=domains, to=to)
        else:
            sfumato.tabulate(
                folder / "people.csv", method="private", epsilon=5.0, fields=["sex", "age"],
                domains=domains, to=to,
            )  # fmt: skip
    return to


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_release_is_signed_and_a_rewritten_one_noticed(kind, tmp_path, capsys):
    key = tmp_path / "holder.key"
    SigningKey.create_file(key)
    place = of_kind(kind, tmp_path)
    outcome, check = signature_of(place, None)
    assert "not signed" in check.found
    assert signature_of(place, tmp_path / "holder.key.pub")[1].outcome == "fail"
    assert main(["key", str(key), "--sign", "--release", str(place)]) == 0
    signed, check = signature_of(place, tmp_path / "holder.key.pub")
    assert (check.outcome, signed) == ("pass", outcome)
    assert main(["key", str(key), "--sign", "--release", str(place)]) == 2, "it is not replaced"
    rewritten(place, created="2020-01-01T00:00:00+00:00")
    assert signature_of(place, tmp_path / "holder.key.pub")[1].outcome == "fail"
    assert signature_of(place, None)[1].outcome == "fail"
    capsys.readouterr()


def test_nobody_signs_what_is_broken(here, capsys):
    table = here / "unsigned" / "release.csv"
    table.write_text(table.read_text() + table.read_text().splitlines()[-1] + "\n")
    assert (
        main(["key", str(here / "holder.key"), "--sign", "--release", str(here / "unsigned")]) == 1
    )
    assert not (here / "unsigned" / SIGNATURE).exists()
    assert main(["key", str(here / "holder.key"), "--release", str(here / "one")]) == 2
    assert main(["key", str(here / "holder.key"), "--sign", "--release", str(here)]) == 2
    capsys.readouterr()
