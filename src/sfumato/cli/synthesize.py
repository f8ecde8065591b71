"""`sfumato synthesize`: a synthetic table of one source, private unless the policy decides
otherwise."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.engines import stem_of
from sfumato.errors import Mistake
from sfumato.wording import some_of

from .shared_arguments import add_made_table, made_table_keywords, print_json

MOST_GAP = 0.01
"""From where on a gap of membership is amber, as in an assessment."""

MUCH = 0.2
"""From where on the share of a field's values without a name is worth a hint."""
MOST_NAMES = 12

ONE_ROW = "one person with one row; the policy names no entity"

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.releases import SyntheticRelease


def configure(command: argparse.ArgumentParser) -> None:
    add_made_table(
        command,
        section="[synthesis]: epsilon, and the domain of each field",
        epsilon="privacy budget of the table",
        printed="the account and the places",
        needs_source=False,
        drafts=True,
    )


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import synthesize

    from .progress import stages

    console = Console(stderr=options.json)
    if options.policy is None or options.to is None:
        raise _refusal(options)
    with stages(console) as progress:
        made = synthesize(
            options.source, options.policy, progress=progress, **made_table_keywords(options)
        )
    if options.json:
        print_json(
            {
                "folder": made.folder,
                "rows": made.rows,
                "epsilon": made.epsilon,
                "delta": made.delta,
                "epsilon_of_all": made.epsilon_of_all,
                "digest": made.digest,
                "account": made.manifest.get("account"),
                "synthesis": made.manifest["synthesis"],
                "outcome": made.outcome,
            }
        )
    else:
        _show(made, console)
    return {"pass": 0, "fail": 1}.get(made.outcome, 3)


def _refusal(options: argparse.Namespace) -> Mistake:
    """Nothing is made without a policy and a folder; a draft of the policy is written beside the
    caller, never over a file."""
    from sfumato.engines import open_source
    from sfumato.releases import draft_policy

    from .shared_arguments import reading_options, source_options

    name = stem_of(Path(options.source)) if options.source is not None else ""
    asked = "A synthetic table was asked for."
    if options.policy is not None or not name:
        missing = "--to DIR" if options.policy is not None else "--policy FILE and --to DIR"
        return Mistake(asked, found=f"{missing} is missing.", attempt=f"{missing}.")
    draft = Path(f"{name}.synthesis.toml")
    if not draft.exists():
        with open_source(options.source, **source_options(options)) as engine:
            draft.write_text(draft_policy(engine), encoding="utf-8")
        found = (
            f"No policy was given, so a draft was written: {draft}. It has no range yet: none is "
            "read from the rows."
        )
    else:
        found = f"No policy was given; {draft} is there already and was left as it is."
    return Mistake(
        asked,
        found=found,
        attempt=f"reading it, filling in ranges, and then: sfumato synthesize {options.source}"
        f"{reading_options(options)} --policy {draft} --to synthetic-{name}",
    )


def _show(made: SyntheticRelease, console: Console) -> None:
    from sfumato.wording import counted

    facts = made.manifest
    if "account" not in facts:
        _show_open(made, console)
        return
    lines = facts["account"]["measurements"]
    linked = "tables" in facts["synthesis"]
    rows = ", ".join(f"{e['rows']:,} {name}" for name, e in facts["tables"].items())
    console.print(
        f"{rows + ' synthetic rows' if linked else counted(made.rows, 'synthetic row')} "
        f"(their number is noisy too) of {counted(len(lines), 'measurement')}"
    )
    whose = "one person" if linked or facts["policy"]["synthesis"].get("entity") else ONE_ROW
    console.print(f"epsilon {made.epsilon:.4g} at delta {made.delta:g} for {whose}")
    if facts["synthesis"]["account_is_kept"]:
        console.print(f"epsilon {made.epsilon_of_all:.4g} for all that this account has paid for")
    else:
        console.print(
            "This release alone: other releases about the same people are not counted. "
            'Try account = "FILE" in the policy.'
        )
    if beyond := facts["synthesis"].get("beyond_range"):
        shares = ", ".join(f"{name} {share:.0%}" for name, share in beyond.items())
        console.print(
            f"Beyond the declared range, or not to be read, about: {shares}. Values beyond count at its "
            "ends, others as missing."
        )
    if others := facts["synthesis"].get("other_values"):
        shares = ", ".join(f"{name} {share:.0%}" for name, share in others.items())
        console.print(f"Outside of the listed or selected values, and * in the rows: {shares}.")
        if max(others.values()) > MUCH:
            console.print("Try listing their values in domains, which costs nothing.")
    if linked and "reason" in facts["synthesis"]:
        console.print(f"verdict: review: {facts['synthesis']['reason']}")
    if linked:
        console.print(f"{made.folder}: {', '.join(e['file'] for e in facts['tables'].values())}")
        console.print(f"digest {made.digest}")
        return
    together = {name for group in facts["synthesis"]["measured_together"] for name in group}
    alone = [name for name in facts["synthesis"]["bins"] if name not in together]
    if not together and len(alone) > 1:
        console.print(
            f"All {len(alone)} fields are independent of one another in these rows: no pair was worth "
            "its noise. Try a higher epsilon, or fewer fields."
        )
    elif alone:
        console.print(f"Independent of all others in these rows: {some_of(alone, MOST_NAMES)}")
    if "reason" in facts["synthesis"]:
        console.print(f"verdict: review: {facts['synthesis']['reason']}")
    console.print(f"{made.folder}: {facts['tables']['synthetic']['file']}, manifest.json")
    console.print(f"digest {made.digest}")


def _show_open(made: SyntheticRelease, console: Console) -> None:
    """The note on rows without an account, and how an analysis of them is combined."""
    from sfumato.wording import counted

    facts = made.manifest
    told = facts["synthesis"]
    console.print(
        f"{made.rows:,} synthetic rows in {counted(len(facts['tables']), 'copy', 'copies')}"
    )
    console.print(facts["statement"])
    gap = told.get("membership")
    if isinstance(gap, dict):
        surely = "; it is surely above 1 %: amber" if gap["low"] > MOST_GAP else ""
        console.print(
            f'membership: "member" is said of {gap["said_of_members"]:.1%} of members and '
            f"{gap['said_of_others']:.1%} of others, a gap of {gap['gap']:.1%} "
            f"({gap['low']:.1%} to {gap['high']:.1%}){surely}"
        )
    elif gap is not None:
        console.print(f"membership: {gap}")
    if "combining_rule" in told:
        console.print(f"Errors of an analysis: {told['combining_rule']['name']}")
        console.print("verdict: review. Nobody but a person can decide to release these rows.")
    console.print(f"{made.folder}: {', '.join(e['file'] for e in facts['tables'].values())}")
    console.print(f"digest {made.digest}")
