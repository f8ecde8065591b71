"""Somebody changes a release after it was made, as cleverly as the folder allows. No tampering may
end in exit 0.

A *forger* edits files and corrects every digest of the manifest afterwards, unless the attack says
otherwise. Against a forger who rewrites tables, manifest and policy together, only something that
is kept elsewhere helps: an anchor."""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato.cli import main
from sfumato.policy import policy_as_table, policy_from_table
from sfumato.releases.inventory import digest

ZIPS = ("02138", "02139", "02141", "02142")
PEOPLE = [
    (f"Ada {n}", ZIPS[n % 4], "fm"[n % 2], ("flu", "cold", "gout")[n // 2 % 3]) for n in range(24)
]
SINGLE = """
[fields]
name = "direct"
zip = { role = "quasi", hierarchy = { prefix = [3] } }
sex = "quasi"
problem = "sensitive"

[require]
k = 3
l_diversity = { l = 2 }
max_suppression = 0.1

[solve]
solver = "anytime"
"""
TABLES = """
entity = "people.id"

[tables.people]
key = "id"
[tables.people.fields]
id = { role = "direct", replace = "number" }
name = "direct"
zip = { role = "quasi", hierarchy = { prefix = [3] } }

[tables.visits]
key = "id"
links = { person = "people.id" }
row_counts = { bin_size = 3 }
[tables.visits.fields]
id = { role = "direct", replace = "number" }
person = { role = "direct", replace = "number" }
ward = "quasi"

[require]
k = 3
max_suppression = 0.1
"""
CHANNELS = """
[fields]
name = "direct"
zip = "quasi"
sex = "quasi"
problem = "sensitive"

[channels]
fields = ["zip", "sex"]
confidential = "problem"
identifiers = ["name"]
tolerance = { gout = 0.6 }
none = ["flu", "cold"]
"""


def write_rows(path: Path, fields: list[str], rows: list[Any]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(fields)
        writer.writerows(rows)


@pytest.fixture(scope="module")
def releases(tmp_path_factory) -> dict[str, Path]:
    """One release of each kind, made through the command line."""
    folder = tmp_path_factory.mktemp("releases")
    write_rows(folder / "people.csv", ["name", "zip", "sex", "problem"], PEOPLE)
    (folder / "database").mkdir()
    people = [(n + 1, name, zip_) for n, (name, zip_, *_) in enumerate(PEOPLE)]
    write_rows(folder / "database" / "people.csv", ["id", "name", "zip"], people)
    visits = [
        (100 + 24 * v + n, n + 1, ("east", "west")[n % 2])
        for n in range(24)
        for v in range(1 + n // 12)
    ]
    write_rows(folder / "database" / "visits.csv", ["id", "person", "ward"], visits)
    (folder / "letters" / "p1").mkdir(parents=True)
    for n in range(3):
        text = f"RE: Virginia Townsend, MRN: 32-841-0978{n}. Seen on 05/2{n}/1994.\n"
        (folder / "letters" / "p1" / f"{n}.txt").write_text(text, encoding="utf-8")
    for name, source, policy in (
        ("single", "people.csv", SINGLE),
        ("tables", "database", TABLES),
        ("channels", "people.csv", CHANNELS),
    ):
        (folder / f"{name}.toml").write_text(policy, encoding="utf-8")
        told = [
            "release",
            str(folder / source),
            "--policy",
            str(folder / f"{name}.toml"),
            "--to",
            str(folder / name),
        ]
        assert main(told) == 0
    assert main(["scrub", str(folder / "letters"), "--to", str(folder / "scrubbed")]) == 0
    return {name: folder / name for name in ("single", "tables", "channels", "scrubbed")}


class Forger:
    """A copy of a release, its manifest as a table, and the way to put every digest right."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, Any] = json.loads(
            (folder / "manifest.json").read_text(encoding="utf-8")
        )

    def rewrite(
        self, name: str, change: Callable[[list[dict[str, str]]], list[dict[str, str]]]
    ) -> None:
        path = self.folder / name
        with path.open(encoding="utf-8", newline="") as file:
            rows = change(list(csv.DictReader(file)))
        write_rows(path, list(rows[0]), [list(row.values()) for row in rows])

    def tables(self) -> list[dict[str, Any]]:
        more = self.facts.get("channels", {}).get("tables", {})
        tables = [self.facts.get("table"), *self.facts.get("tables", {}).values(), *more.values()]
        return [table for table in tables if table]

    def finish(self) -> None:
        """Correct digest and size of every file that the manifest lists, and write the manifest."""
        listed = self.facts.get("files", {})
        listed |= {each["file"]: each for each in self.facts.get("scrubbed", {}).get("files", ())}
        for entry in (
            *self.tables(),
            *({"file": name, "of": said} for name, said in listed.items()),
        ):
            path = self.folder / entry["file"]
            if path.is_file():
                entry.get("of", entry).update(sha256=digest(path), bytes=path.stat().st_size)
        self.save()

    def save(self) -> None:
        (self.folder / "manifest.json").write_text(json.dumps(self.facts), encoding="utf-8")

    @property
    def policy(self) -> dict[str, Any]:
        return self.facts["policy"]

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        return self.facts["verdicts"]


def unique(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [row | {"zip": f"9{n:04}"} for n, row in enumerate(rows)]


def with_names(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [row | {"name": f"Ada {n}"} for n, row in enumerate(rows)]


def no_verdicts_over_unique_rows(forger: Forger) -> None:
    """The attack of the issue: a table of unique rows, and nothing that says otherwise."""
    forger.rewrite("release.csv", unique)
    forger.facts["verdicts"] = []
    forger.facts["outcome"] = "review"


def nothing_known_over_unique_rows(forger: Forger) -> None:
    forger.rewrite("release.csv", unique)
    forger.facts["known_fields"] = []


def one_word_changed_over_unique_rows(forger: Forger) -> None:
    forger.rewrite("release.csv", unique)
    for verdict in forger.verdicts:
        verdict["requirement"] = verdict["requirement"].replace("k = 3", "k = three")


def nobody_links_over_unique_rows(forger: Forger) -> None:
    forger.rewrite("release.csv", unique)
    forger.policy["recipient"]["public"]["default_linking"] = 0.0


def weaker_policy_in_the_manifest(forger: Forger) -> None:
    forger.policy["require"]["k"] = 2
    forger.verdicts[0]["requirement"] = forger.verdicts[0]["requirement"].replace("k = 3", "k = 2")


def names_added(forger: Forger) -> None:
    forger.rewrite("release.csv", with_names)
    forger.facts["tables"]["release"]["fields"]["name"] = "kept as it is"


def listed_stranger(forger: Forger) -> None:
    (forger.folder / "people.csv").write_text("name\nAda\n", encoding="utf-8")
    forger.facts["files"]["people.csv"] = {"sha256": "", "bytes": 9}


def fewer_left_out(forger: Forger) -> None:
    forger.facts["tables"]["release"]["left_out"]["source"] += 3


def another_table_named(forger: Forger) -> None:
    shutil.copy(forger.folder / "release.csv", forger.folder / "decoy.csv")
    forger.rewrite("release.csv", unique)
    forger.facts["tables"]["release"]["file"] = "decoy.csv"
    forger.facts["files"]["decoy.csv"] = {"sha256": "", "bytes": 0}


def set_in(*path: Any, to: Any) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        place: Any = forger.facts
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


def without(*path: Any) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        place: Any = forger.facts
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]

    return change


def edited(
    name: str, change: Callable[[list[dict[str, str]]], list[dict[str, str]]]
) -> Callable[[Forger], None]:
    return lambda forger: forger.rewrite(name, change)


def text_in(name: str, text: str) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        (forger.folder / name).parent.mkdir(exist_ok=True)
        (forger.folder / name).write_text(text, encoding="utf-8")

    return change


def added_verdict(forger: Forger) -> None:
    forger.verdicts.append(
        forger.verdicts[0] | {"model": "k-map", "requirement": "k = 9 in a population of 900"}
    )


def linked_table(forger: Forger) -> None:
    """The table is a link to the same bytes elsewhere, to be changed when nobody looks."""
    table = forger.folder / "release.csv"
    elsewhere = forger.folder.parent / "elsewhere.csv"
    shutil.move(table, elsewhere)
    table.symlink_to(elsewhere)


def policy_file(forger: Forger) -> None:
    path = forger.folder / "policy.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("k = 3", "k = 2"), encoding="utf-8")


def out_of_the_folder(forger: Forger) -> None:
    shutil.copy(forger.folder / "release.csv", forger.folder.parent / "release.csv")
    forger.facts["tables"]["release"]["file"] = "../release.csv"


def listed_out_of_the_folder(forger: Forger) -> None:
    shutil.copy(forger.folder / "release.csv", forger.folder.parent / "release.csv")
    forger.facts["files"]["../release.csv"] = forger.facts["files"]["release.csv"]


def absolute(forger: Forger) -> None:
    forger.facts["tables"]["release"]["file"] = str(forger.folder / "release.csv")


HIDDEN: dict[str, tuple[str, Callable[[Forger], None]]] = {
    "verdicts deleted": ("single", set_in("verdicts", to=[])),
    "one verdict deleted": ("single", without("verdicts", 1)),
    "verdicts deleted, rows unique": ("single", no_verdicts_over_unique_rows),
    "a word of a requirement changed, rows unique": ("single", one_word_changed_over_unique_rows),
    "known fields emptied, rows unique": ("single", nothing_known_over_unique_rows),
    "a profile that links on nothing, rows unique": ("single", nobody_links_over_unique_rows),
    "rows unique": ("single", edited("release.csv", unique)),
    "a row deleted": ("single", edited("release.csv", lambda rows: rows[1:])),
    "a word of a requirement changed": (
        "single",
        set_in("verdicts", 0, "requirement", to="k = 3, read loosely"),
    ),
    "a model renamed": ("single", set_in("verdicts", 0, "model", to="k-map")),
    "a number of a verdict changed": ("single", set_in("verdicts", 0, "smallest", to=9)),
    "a verdict added": ("single", added_verdict),
    "a verdict twice": ("single", lambda forger: forger.verdicts.append(forger.verdicts[0])),
    "a better outcome": ("single", set_in("outcome", to="excellent")),
    "a weaker policy in the manifest": ("single", weaker_policy_in_the_manifest),
    "a weaker policy file": ("single", policy_file),
    "a requirement taken from the manifest's policy": (
        "single",
        without("policy", "require", "l_diversity"),
    ),
    "names put back": ("single", names_added),
    "a stranger that the manifest lists": ("single", listed_stranger),
    "a decoy that the manifest names": ("single", another_table_named),
    "a table outside the folder": ("single", out_of_the_folder),
    "a listed file outside the folder": ("single", listed_out_of_the_folder),
    "an absolute path": ("single", absolute),
    "a table that is a link": ("single", linked_table),
    "numbers left out that do not add up": ("single", fewer_left_out),
    "no list of files": ("single", without("files")),
    "an empty list of files": ("single", set_in("files", to={})),
    "no digest of the policy": ("single", without("files", "policy.toml")),
    "a policy that nobody confirmed": ("single", set_in("policy", "proposed", to=True)),
    "a field that nobody decided about": (
        "single",
        set_in("policy", "fields", "sex", "open", to=True),
    ),
    "the verdicts on people deleted": ("tables", set_in("verdicts", to=[])),
    "all verdicts but those on people deleted": (
        "tables",
        lambda forger: forger.verdicts.__delitem__(slice(0, 1)),
    ),
    "fewer people to share a number of rows": (
        "tables",
        set_in("tables", "visits", "bin_size_of_row_counts", to=1),
    ),
    "numbers of rows of single people": (
        "tables",
        edited("visits.csv", lambda rows: [row | {"person": rows[0]["person"]} for row in rows]),
    ),
    "a ward that one person has": (
        "tables",
        edited("visits.csv", lambda rows: [rows[0] | {"ward": "north"}, *rows[1:]]),
    ),
    "unique zips of people": ("tables", edited("people.csv", unique)),
    "a table taken out of the manifest": ("tables", without("tables", "visits")),
    "names put back into a table": ("tables", edited("people.csv", with_names)),
    "two tables in each other's place": (
        "tables",
        lambda forger: forger.facts["tables"].update(
            people=forger.facts["tables"]["people"] | {"file": "visits.csv"},
        ),
    ),
    "people left out, not told": (
        "tables",
        set_in("tables", "people", "left_out", "left_out", to=5),
    ),
    "another shape": ("tables", set_in("shape", to="one row per person")),
    "a shape that no release has": ("tables", set_in("shape", to="rows")),
    "a single table as that of people": (
        "single",
        set_in("shape", to="people with several rows or tables"),
    ),
    "channels as letters": ("channels", set_in("shape", to="letters")),
    "a link that leads nowhere": (
        "tables",
        edited("visits.csv", lambda rows: [rows[0] | {"person": "1"}, *rows[1:]]),
    ),
    "a rule of channels deleted": ("channels", without("verdicts", 1)),
    "channels without verdicts": ("channels", set_in("verdicts", to=[])),
    "a weaker tolerance in the manifest": (
        "channels",
        set_in("policy", "channels", "tolerance", "gout", to=1.0),
    ),
    "the confidential field put back": (
        "channels",
        edited("release.csv", lambda rows: [row | {"problem": "flu"} for row in rows]),
    ),
    "a channel that tells": (
        "channels",
        edited(
            "statistics.csv", lambda rows: [row | {"problem=gout": row["subjects"]} for row in rows]
        ),
    ),
    "other files in place of the channels": (
        "channels",
        set_in("channels", "tables", "channels", "file", to="release.csv"),
    ),
    "a letter listed outside the folder": (
        "scrubbed",
        set_in("scrubbed", "files", 0, "file", to="../letter.txt"),
    ),
    "a letter listed twice": (
        "scrubbed",
        lambda forger: forger.facts["scrubbed"]["files"].append(
            forger.facts["scrubbed"]["files"][0]
        ),
    ),
    "a letter that is missing": (
        "scrubbed",
        lambda forger: next(forger.folder.glob("*.txt")).unlink(),
    ),
    "letters with another outcome": ("scrubbed", set_in("outcome", to="review")),
    "letters without a list": ("scrubbed", without("scrubbed", "files")),
}
"""Attacks after which every digest of the manifest is corrected."""

PLAIN: dict[str, tuple[str, Callable[[Forger], None]]] = {
    f"{kind}: {what}": (kind, change)
    for kind in ("single", "tables", "channels", "scrubbed")
    for what, change in {
        "a stranger": text_in("notes.txt", "x"),
        "a hidden stranger": text_in(".hidden", "x"),
        "a stranger in a new folder": text_in("more/notes.txt", "x"),
        "an empty folder": lambda forger: (forger.folder / "more").mkdir(),
        "a link": lambda forger: (forger.folder / "link").symlink_to("/etc/hostname"),
        "a link that leads nowhere": lambda forger: (forger.folder / "link").symlink_to("nowhere"),
        "a pipe": lambda forger: os.mkfifo(forger.folder / "pipe"),
        "a manifest that was cut": lambda forger: cut(forger.folder / "manifest.json"),
        "no manifest": lambda forger: (forger.folder / "manifest.json").unlink(),
    }.items()
} | {
    f"{kind}: {name} replaced": (kind, text_in(name, "<html>All is well.</html>"))
    for kind in ("single", "tables", "channels")
    for name in ("report.html", "policy.toml")
}
PLAIN["a letter changed"] = (
    "scrubbed",
    lambda forger: next(forger.folder.glob("*.txt")).write_text("Ada"),
)
"""Attacks that leave the manifest as it was."""


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


@pytest.fixture
def forge(releases, tmp_path):
    def copied(kind: str) -> Forger:
        return Forger(Path(shutil.copytree(releases[kind], tmp_path / kind)))

    return copied


@pytest.mark.parametrize("kind", ["single", "tables", "channels", "scrubbed"])
def test_what_nobody_touched_passes(releases, kind, capsys):
    assert main(["verify", str(releases[kind])]) == 0
    assert "Nothing outside the folder was compared" in capsys.readouterr().out


@pytest.mark.long("a forgery of every kind; each third stays", every=3)
@pytest.mark.parametrize("attack", HIDDEN)
def test_a_forger_who_corrects_the_digests_is_noticed(forge, attack):
    kind, change = HIDDEN[attack]
    forger = forge(kind)
    change(forger)
    forger.finish()
    assert main(["verify", str(forger.folder)]) in (1, 3)
    assert main(["verify", str(forger.folder), "--json"]) != 0


@pytest.mark.long("every kind of file in every kind of release; each third stays", every=3)
@pytest.mark.parametrize("attack", PLAIN)
def test_a_folder_with_other_files_is_noticed(forge, attack):
    kind, change = PLAIN[attack]
    forger = forge(kind)
    change(forger)
    assert main(["verify", str(forger.folder)]) == 1


BROKEN = {
    "nothing": b"",
    "a list": b"[]",
    "a number": b"2",
    "not UTF-8": b'{"format": 3, "name": "\xff"}',
    "deep": b"[" * 100_000,
    "deep in a known place": b'{"format": 3, "policy": ' + b'{"a":' * 50_000,
    "a long number": b'{"format": ' + b"9" * 10_000 + b"}",
    "one key twice": b'{"format": 3, "format": 2}',
    "another format": b'{"format": 1}',
    "null": b'{"format": 3, "policy": null, "verdicts": null}',
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_manifest_that_is_none_gets_a_clear_error(forge, what, capsys):
    forger = forge("single")
    (forger.folder / "manifest.json").write_bytes(BROKEN[what])
    assert main(["verify", str(forger.folder)]) == 1
    said = capsys.readouterr().err
    assert "manifest" in said
    assert "Traceback" not in said


def test_a_huge_manifest_is_not_read(forge, capsys):
    forger = forge("single")
    with (forger.folder / "manifest.json").open("r+b") as file:
        file.truncate(2**33)
    assert main(["verify", str(forger.folder)]) == 1
    assert "too large" in capsys.readouterr().err


def test_a_manifest_behind_a_link_is_not_read(forge, capsys):
    forger = forge("single")
    path = forger.folder / "manifest.json"
    shutil.move(path, forger.folder.parent / "manifest.json")
    path.symlink_to(forger.folder.parent / "manifest.json")
    assert main(["verify", str(forger.folder)]) == 1
    assert "no plain file" in capsys.readouterr().err


def test_a_report_may_stay_with_the_holder(forge):
    forger = forge("single")
    (forger.folder / "report.html").unlink()
    assert main(["verify", str(forger.folder)]) == 0


# ------------------------------------------------------------------------------------------------------------
# anchors


def rewrite_all(forger: Forger) -> None:
    """Unique rows under a policy that asks for nothing more: table, manifest and policy file
    agree."""
    from sfumato.engines import open_source
    from sfumato.policy import policy_as_toml
    from sfumato.releases.documentation import documentation_facts
    from sfumato.releases.release_recount import recount
    from sfumato.releases.requirements import models_for

    forger.rewrite("release.csv", unique)
    forger.policy["require"] = {"k": 1, "max_suppression": 0.1, "reading": "strict"}
    policy = policy_from_table(forger.policy)
    forger.facts["policy"] = policy_as_table(policy)
    (forger.folder / "policy.toml").write_text(policy_as_toml(policy), encoding="utf-8")
    with open_source(forger.folder / "release.csv") as table:
        models = models_for(policy, ("zip", "sex"), 24, hierarchies={})
        forger.facts["verdicts"] = [
            v.as_dict() for v in recount(table, ("zip", "sex"), models).verdicts
        ]
    forger.facts["documentation"] = documentation_facts(
        policy, forger.facts["verdicts"], software=forger.facts["sfumato"]
    )
    forger.finish()


def test_only_an_anchor_notices_a_consistent_rewrite(forge, releases, capsys):
    forger = forge("single")
    kept = digest(releases["single"] / "manifest.json")
    policy = releases["single"].parent / "single.toml"
    for option in (
        ["--digest", kept],
        ["--digest", f"SHA256:{kept.upper()}"],
        ["--policy", str(policy)],
    ):
        assert main(["verify", str(forger.folder), *option]) == 0
        assert "Nothing outside" not in capsys.readouterr().out
    rewrite_all(forger)
    assert main(["verify", str(forger.folder)]) == 0
    assert "would not be noticed" in " ".join(capsys.readouterr().out.split())
    assert main(["verify", str(forger.folder), "--digest", kept]) == 1
    assert main(["verify", str(forger.folder), "--policy", str(policy)]) == 1


@pytest.mark.parametrize("kind", ["tables", "channels", "scrubbed"])
def test_every_kind_of_release_can_be_anchored(forge, releases, kind):
    forger = forge(kind)
    kept = digest(releases[kind] / "manifest.json")
    assert main(["verify", str(forger.folder), "--digest", kept]) == 0
    forger.facts["created"] = "2020-01-01T00:00:00+00:00"
    forger.save()
    assert main(["verify", str(forger.folder), "--digest", kept]) == 1


@pytest.mark.parametrize("given", ["", " ", "abc", "g" * 64, "0" * 63])
def test_a_digest_that_is_none_is_refused(releases, given):
    assert main(["verify", str(releases["single"]), "--digest", given]) == 2


def test_letters_have_no_policy_to_compare(releases):
    policy = releases["single"].parent / "single.toml"
    assert main(["verify", str(releases["scrubbed"]), "--policy", str(policy)]) == 2


def test_the_release_prints_the_digest_that_anchors_it(releases, tmp_path, capsys):
    folder = releases["single"].parent
    told = ["release", str(folder / "people.csv"), "--policy", str(folder / "single.toml")]
    assert main([*told, "--to", str(tmp_path / "out")]) == 0
    assert f"sha256:{digest(tmp_path / 'out' / 'manifest.json')}" in capsys.readouterr().out


def test_scrubbed_files_print_the_digest_too(releases, tmp_path, capsys):
    folder = releases["single"].parent
    assert main(["scrub", str(folder / "letters"), "--to", str(tmp_path / "out")]) == 0
    assert f"sha256:{digest(tmp_path / 'out' / 'manifest.json')}" in capsys.readouterr().out


def test_the_report_has_a_mark_so_that_its_digest_confirms_no_guess(releases, tmp_path):
    """Two releases of the same at the same second differ in their reports, whose digests travel."""
    from datetime import UTC, datetime

    import sfumato

    folder = releases["single"].parent
    made = [
        sfumato.release(
            folder / "people.csv",
            folder / "single.toml",
            to=tmp_path / name,
            clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        )
        for name in ("a", "b")
    ]
    first, second = (one.manifest["files"]["report.html"]["sha256"] for one in made)
    assert first != second


# ------------------------------------------------------------------------------------------------------------
# accepting


@pytest.fixture(scope="module")
def counted_in_a_register(tmp_path_factory) -> Path:
    """A release that requires only k-map, and so nothing that its folder can show."""
    folder = tmp_path_factory.mktemp("register")
    write_rows(folder / "people.csv", ["name", "zip", "sex", "problem"], PEOPLE)
    write_rows(
        folder / "register.csv", ["zip", "sex"], [(zip_, sex) for _, zip_, sex, _ in PEOPLE * 3]
    )
    (folder / "policy.toml").write_text(SINGLE.split("[require]")[0] + K_MAP, encoding="utf-8")
    told = [
        "release",
        str(folder / "people.csv"),
        "--policy",
        str(folder / "policy.toml"),
        "--to",
        str(folder / "out"),
    ]
    assert main(told) == 0
    return folder / "out"


K_MAP = """
[require]
k_map = { k = 5, population = "register.csv" }
"""


def test_what_was_accepted_is_named_as_not_judged(counted_in_a_register, capsys):
    assert main(["verify", str(counted_in_a_register)]) == 3
    capsys.readouterr()
    assert main(["verify", str(counted_in_a_register), "--accept", "k_map"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Every check that could be made holds; not judged: k_map (accepted)." in said
    assert "Every check holds" not in said


@pytest.mark.parametrize("given", ["kmap", "k_map,l_diversity", "max_suppression"])
def test_only_requirements_of_the_policy_can_be_accepted(counted_in_a_register, given, capsys):
    assert main(["verify", str(counted_in_a_register), "--accept", given]) == 2
    assert "k_map" in capsys.readouterr().err


def test_a_policy_that_requires_something_is_not_said_to_require_nothing(forge, capsys):
    forger = forge("single")
    forger.facts["verdicts"] = []
    forger.save()
    main(["verify", str(forger.folder)])
    assert "requires nothing" not in capsys.readouterr().out


def test_letters_are_not_offered_a_policy(releases, capsys):
    assert main(["verify", str(releases["scrubbed"])]) == 0
    said = capsys.readouterr().out
    assert "--digest" in said
    assert "--policy" not in said
