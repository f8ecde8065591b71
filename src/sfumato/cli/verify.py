"""`sfumato verify`: check a release again: its files, and the requirements of its policy."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from .shared_arguments import as_policy, as_source, as_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.protection import Outcome
    from sfumato.releases import Check

WORDS = {"pass": "pass", "fail": "fail", "review": "cannot be seen here"}
UNANCHORED = (
    "Nothing outside the folder was compared: a rewrite of tables, manifest and policy "
    "together would not be noticed. "
    "Try --signer, --digest or --policy."
)
UNANCHORED_TEXTS = (
    "Nothing outside the folder was compared: a rewrite of files and manifest together "
    "would not be noticed. "
    "Try --signer or --digest."
)


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder", type=as_target, help="folder of a release, or postgresql://host/database#schema"
    )
    command.add_argument(
        "--policy", type=as_policy, help="policy file that the release must have been made under"
    )
    command.add_argument("--digest", help="digest of the manifest, as printed by the release")
    command.add_argument(
        "--signer",
        metavar="PUBLIC",
        help="public key of the holder, who must have signed the release: a file, or ed25519:…",
    )
    command.add_argument(
        "--agreement",
        metavar="FILE",
        help="text that the recipient signed, or sha256:…, under which it must have been made",
    )
    command.add_argument(
        "--people",
        type=Path,
        metavar="FILE",
        help="people record that the holder kept of the release (see: sfumato release --keep-people)",
    )
    command.add_argument(
        "--population",
        type=as_source,
        metavar="FILE",
        help="population table of k_map or delta_presence",
    )
    command.add_argument(
        "--source",
        type=as_source,
        metavar="FILE",
        help="source of the release, for requirements that compare with it",
    )
    command.add_argument(
        "--accept",
        type=_keys,
        default=(),
        metavar="A,B",
        help="requirements that may be left undecided, such as k_map",
    )
    command.add_argument("--json", action="store_true", help="print the checks as JSON")


def run(options: argparse.Namespace) -> int:
    from sfumato.releases import outcome_of, verify

    from .release_text import EXIT

    checks = verify(
        options.folder,
        policy=options.policy,
        digest=options.digest,
        population=options.population,
        source=options.source,
        accept=options.accept,
        signer=options.signer,
        agreement=options.agreement,
        people=options.people,
    )
    outcome = outcome_of(checks)
    if options.json:
        print(json.dumps([check.as_dict() for check in checks], indent=2))
    else:
        given = (options.policy, options.digest, options.signer)
        _show(checks, outcome, anchored=any(each is not None for each in given))
    return EXIT[outcome]


def _show(checks: Sequence[Check], outcome: Outcome, *, anchored: bool) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from sfumato.releases import ORIGINALS

    from .release_text import COLOUR

    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("", "claim", "found"):
        table.add_column(heading, overflow="fold")
    for check in checks:
        word = "not judged" if check.is_undecided else WORDS[check.outcome]
        table.add_row(
            f"[{COLOUR[check.outcome]}]{word}[/]",
            escape(check.claim),
            escape(check.brief or check.found),
        )
    console = Console()
    console.print(table)
    undecided = sorted(
        {check.requirement for check in checks if check.is_undecided and not check.accepted}
    )
    taken = sorted({check.requirement for check in checks if check.accepted})
    every = (
        f"Every check that could be made holds; not judged: {', '.join(taken)} (accepted)."
        if taken
        else ""
    )
    said = {
        "pass": f"[green]{escape(every) or 'Every check holds.'}[/]",
        "fail": "[red]The release is not what its policy and manifest say.[/]",
        "review": f"[yellow]Not judged: {escape(', '.join(undecided))}.[/] Every other check holds.",
    }
    console.print(said[outcome])
    if not anchored:
        texts = any(check.claim == ORIGINALS for check in checks)
        console.print(UNANCHORED_TEXTS if texts else UNANCHORED)


def _keys(text: str) -> tuple[str, ...]:
    return tuple(key.strip() for key in text.split(",") if key.strip())
