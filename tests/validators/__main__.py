"""`python -m tests.validators BIN`: every export of a register, from its application to a delivered
release, checked by the validators in BIN; and seen to be refused where it is broken.

`make validators` installs them. They need no network: where a validator would fetch a schema, it
has its own copy."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sfumato.cli import main
from sfumato.datasets import HOSPITAL_POLICY, write_hospital
from sfumato.register import Author, Charter, Register, blank_form
from sfumato.signatures import SigningKey

HERE: Final = Path(__file__).parent
UNTIL: Final = (datetime.now(UTC) + timedelta(days=20)).date().isoformat()
MEMBERS: Final = {
    "anna": ["administrator", "custodian"], "ask": ["applicant"], "max": ["maker"],
    "rea": ["reviewer"], "ria": ["reviewer"], "cho": ["chair"],
}  # fmt: skip
PROV: Final = (
    "import sys, prov.model as m; d = m.ProvDocument.deserialize(sys.argv[1], format='json'); "
    "d.unified(); sys.exit(0 if list(d.get_records()) else 1)"
)
Check = tuple[list[str], Callable[[dict[str, Any]], object]]
"""A command that validates, and a change after which it must refuse."""


def exports(folder: Path) -> dict[str, Path]:
    """A register with one delivered release, in every format."""
    register = _delivered(folder)
    made = {
        "ro-crate": folder / "crate" / "ro-crate-metadata.json",
        "dcat": folder / "dcat.jsonld",
        "croissant": folder / "one" / "croissant.json",
        "prov": folder / "prov.json",
    }
    for kind, file in made.items():
        file.parent.mkdir(exist_ok=True)
        name = "study" if kind in ("ro-crate",) else "one" if kind == "croissant" else ""
        release = folder / "one" if kind == "croissant" else None
        file.write_text(register.export(kind, name=name, release=release), encoding="utf-8")
    return made


def checks(made: dict[str, Path], programs: Path) -> Iterator[tuple[str, Check]]:
    crate = str(made["ro-crate"].parent)
    yield "ro-crate", (
        [str(programs / "python"), str(HERE / "crate_check.py"), crate],
        lambda facts: facts["@graph"][1].pop("datePublished"),
    )  # fmt: skip
    yield "dcat", (
        [str(programs / "pyshacl"), "-s", str(HERE / "dcat_ap.ttl"), "-df", "json-ld",
         str(made["dcat"])],
        lambda facts: facts.pop("dct:title"),
    )  # fmt: skip
    yield (
        "croissant",
        (
            [str(programs / "mlcroissant"), "validate", "--jsonld", str(made["croissant"])],
            lambda facts: facts["recordSet"][0]["field"][0].pop("dataType"),
        ),
    )
    yield (
        "prov",
        (
            [str(programs / "python"), "-c", PROV, str(made["prov"])],
            lambda facts: facts["wasAssociatedWith"].update(broken={"prov:activity": 5, "x": {}}),
        ),
    )


def run(programs: Path) -> int:
    failed = []
    with tempfile.TemporaryDirectory() as place:
        made = exports(Path(place))
        for kind, (command, breaks) in checks(made, programs):
            held = subprocess.run(command, capture_output=True, text=True, check=False)
            text = made[kind].read_text(encoding="utf-8")
            facts = json.loads(text)
            breaks(facts)
            made[kind].write_text(json.dumps(facts), encoding="utf-8")
            noticed = subprocess.run(command, capture_output=True, text=True, check=False)
            made[kind].write_text(text, encoding="utf-8")
            words = "valid" if held.returncode == 0 else "INVALID"
            more = "refused when broken" if noticed.returncode else "TAKEN when broken"
            sys.stdout.write(f"{kind}: {words}, {more}\n")
            if held.returncode or not noticed.returncode:
                failed.append(kind)
                sys.stdout.write(held.stdout[-3000:] + held.stderr[-3000:])
    return 1 if failed else 0


def _delivered(folder: Path) -> Register:
    write_hospital(folder / "patients.csv", rows=900)
    (folder / "one.toml").write_text(HOSPITAL_POLICY)
    _sfumato("key", folder / "holder.key")
    _sfumato(
        "release", folder / "patients.csv", "--policy", folder / "one.toml", "--to", folder / "one",
        "--key", folder / "holder.key", "--keep-people", folder / "one.people", "-q",
    )  # fmt: skip
    source = ("--source", folder / "patients.csv")
    _sfumato("assess", folder / "one", *source, "--to", folder / "a.html", "--json", folder / "a.json")  # fmt: skip
    keys = {}
    for name in MEMBERS:
        _sfumato("key", "--sign", folder / f"{name}.key")
        keys[name] = SigningKey.from_file(folder / f"{name}.key")
    members = {name: {"key": keys[name].public.line, "roles": roles} for name, roles in MEMBERS.items()}  # fmt: skip
    register = Register.create(
        folder / "r", Charter.of({"ledger": {"k": 2}, "members": members}),
        author=Author(name="anna", key=keys["anna"]),
    )  # fmt: skip
    (folder / "agreement.pdf").write_bytes(b"signed")
    form = blank_form().replace('sharing = ""', 'sharing = "enclave"')
    (folder / "form.toml").write_text(form.replace('= ""', '= "An answer."'))
    (folder / "agreement.toml").write_text(
        'recipient = "The lab"\naccess = "semi-private"\nterms = ["no-linking"]\n'
        f'valid_from = "2020-01-01"\nuntil = "{UNTIL}"\ndestroy_by = "{UNTIL}"\n'
    )
    people = ("--people", folder / "one.people", "--key", folder / "holder.key")
    _move(folder, "apply", "--to", "lab", "--form", folder / "form.toml", by="ask")
    agreed = ("--agreement", folder / "agreement.toml", "--text", folder / "agreement.pdf")
    _move(folder, "agree", *agreed, by="anna")
    _move(folder, "propose", folder / "one.toml", by="max")
    _votes(folder)
    _move(folder, "submit", folder / "one", *people, "--assessment", folder / "a.json", by="max")
    _votes(folder)
    _move(folder, "deliver", folder / "one", *people, *source, by="anna")
    return register


def _votes(folder: Path) -> None:
    for name in ("rea", "ria"):
        (folder / f"{name}.vote").unlink(missing_ok=True)
        words = ("--vote", "approve", "--reason", "fits", "--sealed", folder / f"{name}.vote")
        _move(folder, "review", *words, by=name)
    for name in ("rea", "ria"):
        _move(folder, "review", "--open", "--sealed", folder / f"{name}.vote", by=name)
    words = ("--decision", "approve", "--reason", "agreed", "--until", UNTIL)
    _move(folder, "decide", *words, by="cho")


def _move(folder: Path, what: str, *words: object, by: str) -> None:
    signed = ("--as", by, "--sign", folder / f"{by}.key")
    _sfumato("register", what, folder / "r", "study", *words, *signed)


def _sfumato(*words: object) -> None:
    code = main([str(each) for each in words])
    if code not in (0, 3) and (code, words[0]) != (1, "assess"):  # A red one is submitted too.
        raise SystemExit(f"sfumato {words[0]} {words[1]} ended with {code}.")


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]).absolute()))
