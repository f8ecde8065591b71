"""Print how well the survey reads the labelled tables: the tables it was made with, and the others.

    SFUMATO_DATA=DIR python -m benchmarks.survey_figures [NAME ...]

`DIR/real` holds public tables, the role of every field as a person labelled it, and
`score_survey.py`, which counts. Figures of two groups of tables stand side by side: the words of
the survey's detectors were chosen with the first group in view. With names, those tables are one
group; `benchmarks/labels` has labels of tables that packages carry. How many of the dependences that a
survey tells are twins by the labels is counted here: both fields, or all, in one labelled group."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

IN_VIEW = ("compas", "diabetic_data", "synthea", "titanic3", "tse_candidatos_rj")
OTHERS = ("adventureworks_customers", "ibm_attrition", "maires_fr", "student_mat", "wapo_shootings")
FIGURES = (
    ("direct fields found", "direct found", "direct"),
    ("direct fields in clear", "direct in clear", "direct"),
    ("quasi fields found", "quasi found", "quasi"),
    ("quasi fields wrongly in clear", "quasi wrongly in clear", "quasi"),
    ("quasi called direct", "quasi called direct", "quasi"),
    ("false direct", "false alarms", "not direct"),
    ("insensitive called quasi", "insensitive called quasi", "insensitive"),
    ("sensitive found", "sensitive right", "sensitive must"),
    ("proposed sensitive, rightly", "proposed sensitive, may be", "proposed sensitive"),
    ("groups of twins found", "twins found", "twins"),
    ("dependences that are twins", "twins told, rightly", "twins told"),
    ("quasi found, not open", "quasi understood", "quasi"),
    ("sensitive found, not open", "sensitive understood", "sensitive must"),
    ("dependences of at most three fields", "twins of few", "twins told"),
)


def load_scorer(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_survey", folder / "score_survey.py")
    assert spec is not None
    assert spec.loader is not None
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    return scorer


def twins_told(labels: dict[str, Any], found: dict[str, Any]) -> Counter[str]:
    """How many dependences the survey tells, and how many of them are in one labelled group."""
    several = "tables" in labels
    groups = [
        {name.split(".", 1)[-1] if several else name for name in each} for each in labels["twins"]
    ]
    tables = found.get("tables") or [found]
    told = [{*each["fields"]} for table in tables for each in table.get("twins", ())]
    rightly = sum(any(fields <= group for group in groups) for fields in told)
    return Counter({"twins told": len(told), "twins told, rightly": rightly})


def strict(scorer: ModuleType, labels: dict[str, Any], found: dict[str, Any]) -> Counter[str]:
    """The same where an open role is counted as wrong, and a dependence of many fields too: a survey
    that leaves every role open, or names all fields together, would meet the figures above."""
    count: Counter[str] = Counter()
    tables = found.get("tables") or [{**found, "name": ""}]
    for table in tables:
        labelled = scorer.label_tables(labels).get(table["name"], {})
        for field in table["fields"]:
            roles = (labelled.get(field["name"]) or labelled.get(field["name"].strip()) or {}).get(
                "roles", ()
            )
            proposal = field.get("proposal") or {}
            if not roles or proposal.get("open"):
                continue
            role = scorer.role_of(proposal)
            count["quasi understood"] += roles[0] == "quasi" and role in scorer.STRONG
            sensitive = roles[0] == "sensitive" and "insensitive" not in roles
            count["sensitive understood"] += sensitive and role == "sensitive"
        count["twins of few"] += sum(len(each["fields"]) <= 3 for each in table.get("twins", ()))
    return count


def count_table(scorer: ModuleType, folder: Path, name: str, work: Path) -> Counter[str]:
    labels = json.loads((folder / f"{name}.roles.json").read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "sfumato.cli"]
    work.mkdir(parents=True, exist_ok=True)
    got = scorer.survey(command, folder / labels["table"], labels.get("read", {}), work, 600)
    if not got["survey"]:
        print(f"{name}: not surveyed: {'; '.join(got['refusals'])}", file=sys.stderr)
        return Counter()
    count, _ = scorer.score(labels, got["survey"])
    count["not direct"] = count["sensitive"] + count["insensitive"] + count["text"]
    count["read as published"] = got["how"] == "as published"
    print(f"{name}: {got['cpu']:.0f} CPU s, read {got['how']}", file=sys.stderr)
    out = Counter(count)
    out.update(twins_told(labels, got["survey"]))
    out.update(strict(scorer, labels, got["survey"]))
    return out


def main(names: Sequence[str] = ()) -> int:
    groups = {"tables named": names} if names else {"tables in view": IN_VIEW, "others": OTHERS}
    folder = Path(os.environ["SFUMATO_DATA"]) / "real"
    scorer = load_scorer(folder)
    totals = []
    with tempfile.TemporaryDirectory() as work:
        for group in groups.values():
            total: Counter[str] = Counter()
            for name in group:
                total.update(count_table(scorer, folder, name, Path(work) / name))
            totals.append(total)
    print(f"| | {' | '.join(f'{len(each)} {title}' for title, each in groups.items())} |")
    print("| --- |" + " --- |" * len(groups))
    for title, part, whole in FIGURES:
        shown = [f"{c[part]} of {c[whole]} ({c[part] / max(1, c[whole]):.0%})" for c in totals]
        print(f"| {title} | {' | '.join(shown)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
