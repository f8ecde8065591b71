"""Tables and schemas in the docs are those of the declarations, and the page about detectors
runs."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import tomllib
from pathlib import Path

import command_server
import pytest
from jsonschema_rs import validator_for

from sfumato.cli.catalogue import REGISTRIES
from sfumato.datasets import HOSPITAL_POLICY
from sfumato.policy import policy_from_table

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GOLDEN = ROOT / "tests" / "golden_releases" / "golden"


def declared_pages():
    spec = importlib.util.spec_from_file_location(
        "declared_pages", ROOT / "tools" / "declared_pages.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pages()


def test_every_table_and_schema_is_that_of_today():
    """`python tools/declared_pages.py` writes them."""
    old = [
        page.relative_to(DOCS).as_posix()
        for page, text in declared_pages().items()
        if page.read_text() != text
    ]
    assert old == []


def test_every_kind_of_part_has_its_table():
    pages = " ".join(page.read_text(encoding="utf-8") for page in DOCS.glob("**/*.md"))
    assert set(re.findall(r"<!-- declared: (\w+) -->", pages)) == set(REGISTRIES)


def blocks(page):
    return re.findall(
        r"^```toml\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.mark.parametrize("page", ["policy.md", "text-fields.md", "several-tables.md", "reading.md"])
def test_examples_of_policies_fit_the_schema(page):
    validator = validator_for(
        json.loads((DOCS / "schemas" / "policy.json").read_text(encoding="utf-8"))
    )
    tables = [tomllib.loads(block) for block in blocks(page)]
    whole = [table for table in tables if "fields" in table or "tables" in table]
    assert whole
    for table in whole:
        is_broken = table.get("nulls") == "valu"  # the page shows what is told of a slip
        assert validator.is_valid(json.loads(json.dumps(table, default=str))) is not is_broken


def test_every_policy_of_the_golden_releases_fits_the_schema():
    validator = validator_for(
        json.loads((DOCS / "schemas" / "policy.json").read_text(encoding="utf-8"))
    )
    records = [json.loads(path.read_text(encoding="utf-8")) for path in GOLDEN.glob("*.json")]
    policies = [
        record["manifest"]["policy"] for record in records if "policy" in record.get("manifest", {})
    ]
    assert len(policies) > 40
    for policy in policies:
        validator.validate(policy)


def test_the_policy_of_the_demo_fits_the_schema():
    validator = validator_for(
        json.loads((DOCS / "schemas" / "policy.json").read_text(encoding="utf-8"))
    )
    validator.validate(tomllib.loads(HOSPITAL_POLICY))
    assert not validator.is_valid(tomllib.loads(HOSPITAL_POLICY) | {"entitee": "x"})


def test_the_page_about_detectors_runs(tmp_path):
    text = (DOCS / "text" / "detectors.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    words = ["bash", "-euc", example]
    surroundings = command_server.running().environment()
    done = subprocess.run(words, cwd=tmp_path, env=surroundings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (policy,) = blocks("text/detectors.md")
    fields = tomllib.loads(policy)["fields"] | {"zip": "quasi"}
    scrub = policy_from_table({"fields": fields, "require": {"k": 2}}).fields["note"].scrub
    assert (set(scrub.patterns), set(scrub.words)) == ({"ward", "study"}, {"projects", "staff"})
