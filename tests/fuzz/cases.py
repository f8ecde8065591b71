"""One random case: a table, a policy, a run of the command line in a folder of its own, and what
came of it."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import random
import re
import shutil
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from .additions import AS_TEXT, COMPRESSED, after_steps, with_step, with_text
from .linked_cases import LinkedCase
from .policies import Policy, as_toml, random_policy
from .recount import POPULATION, POPULATION_COPIES, Release, contradictions
from .tables import FORMATS, Table, random_table, write_table


@dataclass(kw_only=True)
class Result:
    """What came of a case: released, refused or broken, and what contradicts what."""

    seed: str
    folder: Path
    outcome: str = ""
    refusal: str = ""
    contradictions: list[str] = field(default_factory=list)
    stderr: str = ""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A table in a format, the policy for it, and the options of the command."""

    seed: str
    table: Table
    policy: Policy
    source_format: str
    options: list[str]
    compressed: bool = False

    @classmethod
    def of(cls, seed: str) -> Case:
        """The case of a seed: the same on every machine."""
        draw = random.Random(seed)
        table = random_table(draw, rows=draw.choice((6, 15, 30, 30, 60)))
        source_format = draw.choice(FORMATS)
        policy = random_policy(table, table.texts(source_format), draw)
        options = ["--format", draw.choice(("csv", "parquet"))] if draw.random() < 0.7 else []
        if source_format == "csv" and draw.random() < 0.15:
            options = ["--engine", "reference", "--format", "csv"]
        more = random.Random(f"more {seed}")
        if more.random() < 0.15:
            table, policy = with_text(table, policy, more)
        elif more.random() < 0.2:
            policy = with_step(table, policy, more)
        if source_format in AS_TEXT and "reference" not in options and more.random() < 0.3:
            source_format = "xlsx" if more.random() < 0.5 else source_format
            options = ["--format", more.choice(("csv", "parquet", "xlsx"))]
        return cls(
            seed=seed,
            table=table,
            policy=policy,
            source_format=source_format,
            options=options,
            compressed=source_format in COMPRESSED
            and "reference" not in options
            and more.random() < 0.2,
        )

    def write(self, folder: Path) -> list[str]:
        """Write source, policy and hierarchy files; the arguments of the command."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        source = folder / f"source.{self.source_format}"
        write_table(self.table, source)
        if self.compressed:
            packed = gzip.compress(source.read_bytes(), mtime=0)
            source.unlink()
            source = folder / f"{source.name}.gz"
            source.write_bytes(packed)
        written = json.loads(json.dumps(self.policy))
        for number, (name, spec) in enumerate(self.policy["fields"].items()):
            if rows := (spec.get("hierarchy") or {}).get("rows"):
                written["fields"][name]["hierarchy"] = f"hierarchy{number}.csv"
                lines = [
                    ";".join(_quoted(cell) for cell in (value, *labels))
                    for value, labels in rows.items()
                ]
                (folder / f"hierarchy{number}.csv").write_text(
                    "\n".join(lines) + "\n", encoding="utf-8"
                )
        (folder / "policy.toml").write_text(as_toml(written), encoding="utf-8")
        self._write_population(folder / POPULATION)
        arguments = [
            str(source),
            "--policy",
            str(folder / "policy.toml"),
            "--to",
            str(folder / "release"),
            *self.options,
        ]
        (folder / "command.json").write_text(
            json.dumps(["sfumato", "release", *arguments], indent=1), encoding="utf-8"
        )
        return ["release", *arguments]

    def _write_population(self, path: Path) -> None:
        """Everybody of the table, several times: k-map and delta-presence look people up in it."""
        texts = self.table.texts(self.source_format)
        names = [name for name, spec in self.policy["fields"].items() if spec["role"] == "quasi"]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerow(names)
            writer.writerows([[row[name] for name in names] for row in texts * POPULATION_COPIES])

    def release(self, folder: Path) -> Release:
        source = after_steps(self.table.texts(self.source_format), self.policy)
        return Release(folder=folder / "release", policy=self.policy, source=source)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def call(arguments: list[str]) -> tuple[int, str, str]:
    """Run the command line in this process: its exit code, and what it printed."""
    from sfumato.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        except BaseException:
            traceback.print_exc()
            code = -1
    return code, out.getvalue(), err.getvalue()


def run(seed: str, folder: Path, *, verify: bool = True) -> Result:
    """Make a case, release it, recount it. The folder is left to look at.

    In one case of eight people have several rows.
    """
    if random.Random(f"kind {seed}").random() < 1 / 8:
        return run_linked(seed, folder)
    case = Case.of(seed)
    code, _, err = call(case.write(folder))
    (folder / "stderr.txt").write_text(err, encoding="utf-8")
    result = Result(seed=seed, folder=folder, stderr=err)
    identifiers = [
        str(cell)
        for column in case.table.columns
        if column.kind == "identifier"
        for cell in column.cells
    ]
    if any(cell in err for cell in identifiers):
        result.contradictions.append("message: it holds a direct identifier")
    if code in (0, 3) or (code == 1 and (folder / "release").exists()):
        result.outcome = "released"
        judge(case.release(folder / "."), code, result, verify=verify)
    elif code in (1, 2) and not _unclean(err):
        result.outcome, result.refusal = "refused", kind_of(err)
    else:
        result.outcome = "broken"
        result.contradictions.append(f"broken: exit code {code}, {_unclean(err) or kind_of(err)}")
    if result.outcome != "released" and (folder / "release").exists():
        result.contradictions.append("refused: a folder was left all the same")
    return result


def run_linked(seed: str, folder: Path) -> Result:
    """The same for people with several rows, in one table or in two."""
    case = LinkedCase.of(seed)
    shutil.rmtree(folder, ignore_errors=True)
    arguments = case.write(folder)
    (folder / "command.json").write_text(
        json.dumps(["sfumato", *arguments], indent=1), encoding="utf-8"
    )
    code, _, err = call(arguments)
    (folder / "stderr.txt").write_text(err, encoding="utf-8")
    result = Result(seed=seed, folder=folder, stderr=err)
    if code in (0, 3):
        result.outcome = "released"
        result.contradictions += case.contradictions(folder / "release")
        checked, _, said = call(["verify", str(folder / "release")])
        if checked not in (0, 3):
            result.contradictions.append(
                f"verify: exit code {checked} of a release that was just made: {kind_of(said)}"
            )
    elif code in (1, 2) and not _unclean(err):
        result.outcome, result.refusal = "refused", kind_of(err)
    else:
        result.outcome = "broken"
        result.contradictions.append(f"broken: exit code {code}, {_unclean(err) or kind_of(err)}")
    return result


def judge(release: Release, code: int, result: Result, *, verify: bool = True) -> None:
    """Recount a release, compare its exit code with its outcome, and let `sfumato verify` look at
    it."""
    try:
        found = contradictions(release)
    except Exception:
        found = [f"recount: it does not end: {traceback.format_exc(limit=-2)}"]
    expected = {"pass": 0, "fail": 1, "review": 3}[release.manifest["outcome"]]
    if code != expected:
        found.append(f"exit code: {code}, and the outcome is {release.manifest['outcome']}")
    if verify:
        checked, _, err = call(["verify", str(release.folder)])
        if checked not in (0, 3) or (err and _unclean(err)):
            found.append(f"verify: exit code {checked} of a fresh release: {kind_of(err)}")
    result.contradictions += found


def _unclean(err: str) -> str:
    """What is wrong with a message of refusal, if something is."""
    if "Traceback" in err:
        return "a traceback: " + err.strip().splitlines()[-1]
    if err.startswith("Bug") or "please report" in err:
        return "a Bug: " + " ".join(err.split())[:300]
    return "" if err.strip() else "no message"


def kind_of(err: str) -> str:
    """The kind of a refusal: its class and words, without names and numbers."""
    lines = err.strip().splitlines() or [""]
    started = [number for number, line in enumerate(lines) if re.match(r"[A-Z]\w+: ", line)]
    lines = lines[started[0] :] if started else lines  # What a killed run left may be told before.
    said = (
        lines[0]
        if ":" not in lines[0] or len(lines) < 2
        else f"{lines[0].split(':')[0]}: {lines[1].strip()}"
    )
    said = re.sub(r"fields\.[^:]*:", "fields.X:", said)
    return re.sub(r"\d+(\.\d+)?", "N", re.sub(r"'[^']*'|\"[^\"]*\"|\([^)]*\)", "X", said))[:110]
