"""The attachments of the table: the policy, the files with their digests, and how to check them."""

from __future__ import annotations

from collections.abc import Mapping

from ..facts import ReportFacts
from ..markup import Html, folded, section, table, tag
from ..tables_facts import TablesFacts


def policy(facts: ReportFacts | TablesFacts, charts: Mapping[str, Html]) -> Html:
    return section(
        "policy",
        "The policy",
        tag("p", "What was decided about the data, as Sfumato read it."),
        folded("Show the policy", tag("pre", tag("code", facts.policy_toml))),
    )


def files(facts: ReportFacts, charts: Mapping[str, Html]) -> Html:
    listed = [(name, tag("code", digest, class_="digest")) for name, digest in facts.files.items()]
    return section(
        "files",
        "Files, and how to check them",
        table(("File", "SHA-256 digest"), listed, caption="Files of the candidate")
        if listed
        else tag("p", "The files and their digests are in the manifest."),
        tag(
            "p",
            "To check that the files are those described here, and to count and judge the "
            "table again, run ",
            tag("code", "sfumato verify DIR"),
            ", where DIR is the folder that holds them. It needs the released table and "
            "its manifest, not the source, "
            "so a recipient can run it too.",
        ),
    )
