"""`sfumato register`: record releases about the same people, and judge them as one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .shared_arguments import add_json, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.register import Author, LedgerVerdict, Register


def configure(command: argparse.ArgumentParser) -> None:
    parts = command.add_subparsers(dest="what", metavar="WHAT", required=True)
    init = _part(parts, "init", "make a register with its charter")
    _add_charter(init)
    _add_author(init)
    charter = _part(parts, "charter", "change the charter: members, and what the ledger requires")
    _add_charter(charter)
    _add_author(charter)
    rotate = _part(parts, "rotate", "exchange your key for a new one")
    rotate.add_argument("--new", type=Path, required=True, metavar="KEY", help="the new key")
    _add_author(rotate)
    add = _part(parts, "add", "record a release for a group, if all its releases together pass")
    _add_release(add, people=True)
    _add_author(add)
    taken = _part(parts, "import", "record a release that left before, whatever it breaks")
    _add_release(taken, people=False)
    _add_author(taken)
    _configure_applications(parts)
    _part(parts, "show", "releases, applications, and the verdict on all that each group holds")
    verify = _part(parts, "verify", "check every move, signature and part")
    verify.add_argument(
        "--anchor",
        metavar="A",
        help="the end of the register as kept elsewhere: a file, or N:DIGEST",
    )
    verify.add_argument(
        "--write-anchor",
        type=Path,
        metavar="FILE",
        help="write the end to this file, preferably on another disk",
    )
    for part in parts.choices.values():
        add_json(part)


def _configure_applications(
    parts: argparse._SubParsersAction[argparse.ArgumentParser],
) -> None:
    """The way of an application, from its purpose to a delivery."""
    asked = _about(parts, "apply", "ask for data for a purpose, in the name of a group")
    asked.add_argument(
        "--to", required=True, metavar="GROUP", help="the group that would receive it"
    )
    asked.add_argument("--purpose", required=True, help="purpose of the use")
    submit = _about(parts, "submit", "submit a candidate; earlier votes about it are void")
    _add_candidate(submit)
    submit.add_argument(
        "--agreement",
        type=Path,
        required=True,
        metavar="FILE",
        help="signed text of the agreement; only its digest is recorded",
    )
    submit.add_argument("--until", required=True, metavar="DATE", help="when the agreement ends")
    review = _about(parts, "review", "vote sealed; and open the vote when all have voted")
    review.add_argument("--vote", choices=("approve", "refuse"), default="", help="your vote")
    review.add_argument("--reason", default="", help="reason of the vote")
    review.add_argument(
        "--sealed",
        type=Path,
        required=True,
        metavar="FILE",
        help="keeps your vote until you open it",
    )
    review.add_argument("--open", action="store_true", help="open the vote in that file")
    decide = _about(parts, "decide", "approve what all reviewers approved, or refuse it")
    decide.add_argument(
        "--decision", choices=("approve", "refuse"), required=True, help="the decision"
    )
    decide.add_argument("--reason", required=True, help="reason of the decision")
    decide.add_argument("--until", required=True, metavar="DATE", help="when the decision ends")
    deliver = _about(parts, "deliver", "deliver an approved candidate")
    _add_candidate(deliver)
    deliver.add_argument(
        "--name", default="", help="name of the release (default: that of its folder)"
    )
    withdraw = _about(parts, "withdraw", "end an application; delivered releases still count")
    withdraw.add_argument("--reason", required=True, help="reason of the withdrawal")
    incident = _part(parts, "incident", "record a breach, and report what it discloses")
    incident.add_argument(
        "--fields",
        type=_names,
        default=(),
        metavar="A,B",
        help="fields of a list that somebody obtained",
    )
    incident.add_argument(
        "--releases", type=_names, default=(), metavar="A,B", help="releases that leaked"
    )
    incident.add_argument("--reason", required=True, help="what happened")
    _add_author(incident)
    due = _part(parts, "due", "list decisions and agreements that have ended or end soon")
    due.add_argument("--days", type=int, default=30, help="days until the end (default: 30)")


def _about(
    parts: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    part = _part(parts, name, text)
    part.add_argument("application", help="name of the application")
    _add_author(part)
    return part


def _add_candidate(part: argparse.ArgumentParser) -> None:
    part.add_argument("release", type=Path, help="folder of the candidate")
    part.add_argument(
        "--people",
        type=Path,
        required=True,
        metavar="FILE",
        help="its people record (see: sfumato release --keep-people)",
    )


def _part(
    parts: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    part = parts.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    part.add_argument("folder", type=Path, help="folder of the register")
    return part


def _add_author(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--as", dest="author", required=True, metavar="NAME", help="your name in the charter"
    )
    part.add_argument(
        "--sign", type=Path, required=True, metavar="KEY", help="your key (see: sfumato key --sign)"
    )


def _add_charter(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--charter",
        type=Path,
        required=True,
        metavar="FILE",
        help="file of the charter, charter.toml",
    )


def _add_release(part: argparse.ArgumentParser, *, people: bool) -> None:
    part.add_argument("release", type=Path, help="folder of the release")
    part.add_argument(
        "--to", required=True, metavar="GROUP", help="the group that receives it; or: everybody"
    )
    part.add_argument(
        "--people",
        type=Path,
        required=people,
        metavar="FILE",
        help="its people record (see: sfumato release --keep-people)",
    )
    part.add_argument(
        "--name", default="", help="name of the release (default: that of its folder)"
    )


def run(options: argparse.Namespace) -> int:
    steps = {
        "init": _init,
        "charter": _charter,
        "rotate": _rotate,
        "add": _add,
        "import": _add,
        "apply": _apply,
        "submit": _submit,
        "review": _review,
        "decide": _decide,
        "deliver": _deliver,
        "withdraw": _withdraw,
        "due": _due,
        "incident": _incident,
        "show": _show,
        "verify": _verify,
    }
    return steps[options.what](options)


def _author(options: argparse.Namespace) -> Author:
    from sfumato.register import Author
    from sfumato.signatures import SigningKey

    return Author(name=options.author, key=SigningKey.from_file(options.sign))


def _init(options: argparse.Namespace) -> int:
    from sfumato.register import Charter, Register

    charter = Charter.read(options.charter)
    made = Register.create(options.folder, charter, author=_author(options))
    return _said(options, made.state().head.line(), f"Made a register in {options.folder}.")


def _charter(options: argparse.Namespace) -> int:
    from sfumato.register import Charter, Register

    charter = Charter.read(options.charter)
    head = Register(options.folder).change_charter(charter, author=_author(options))
    return _said(options, head.line(), "The charter was changed.")


def _rotate(options: argparse.Namespace) -> int:
    from sfumato.register import Register
    from sfumato.signatures import SigningKey

    new = SigningKey.from_file(options.new)
    head = Register(options.folder).rotate(new, author=_author(options))
    return _said(options, head.line(), f"{options.author} signs with the new key from now on.")


def _said(options: argparse.Namespace, head: str, text: str) -> int:
    from rich.console import Console

    if options.json:
        print_json({"head": head})
        return 0
    console = Console()
    console.print(text, highlight=False, markup=False)
    console.print(f"  {head}  is its end, for verify --anchor", highlight=False, soft_wrap=True)
    return 0


def _add(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    register = Register(options.folder)
    verdicts = register.add(
        options.release,
        group=options.to,
        author=_author(options),
        people=options.people,
        name=options.name,
        imported=options.what == "import",
    )
    return _judged(options, register, verdicts)


def _judged(
    options: argparse.Namespace, register: Register, verdicts: Mapping[str, LedgerVerdict]
) -> int:
    from rich.console import Console

    head = register.state().head.line()
    if options.json:
        print_json({"head": head, "verdicts": _facts(verdicts)})
    else:
        console = Console()
        _print_verdicts(verdicts, console)
        console.print(f"  {head}  is its end, for verify --anchor", highlight=False, soft_wrap=True)
    return _exit(verdicts)


def _apply(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    head = Register(options.folder).apply(
        options.application, group=options.to, purpose=options.purpose, author=_author(options)
    )
    return _said(options, head.line(), f"{options.application} waits for a candidate.")


def _submit(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    register = Register(options.folder)
    verdicts = register.submit(
        options.application,
        options.release,
        people=options.people,
        agreement=options.agreement,
        agreed_until=options.until,
        author=_author(options),
    )
    return _judged(options, register, verdicts)


def _review(options: argparse.Namespace) -> int:
    from sfumato.errors import Mistake
    from sfumato.register import Register, SealedVote

    register, author = Register(options.folder), _author(options)
    if options.open == bool(options.vote or options.reason):
        raise Mistake(
            "A review was asked for.",
            found="It needs a vote with its reason, or --open, and not both.",
            attempt="--vote approve --reason TEXT, or --open.",
        )
    if options.open:
        vote = SealedVote.read(options.sealed)
        head = register.open_vote(options.application, vote, author=author)
        return _said(options, head.line(), "Your vote is open.")
    vote = SealedVote.sealed(options.vote, options.reason)
    vote.save(options.sealed)
    try:
        head = register.commit_vote(options.application, vote, author=author)
    except BaseException:
        options.sealed.unlink(missing_ok=True)
        raise
    words = f"You have voted. Keep {options.sealed}: review --open needs it when all have voted."
    return _said(options, head.line(), words)


def _decide(options: argparse.Namespace) -> int:
    from sfumato.register import Register, VoteWord

    head = Register(options.folder).decide(
        options.application,
        VoteWord(options.decision),
        reason=options.reason,
        valid_until=options.until,
        author=_author(options),
    )
    return _said(options, head.line(), f"{options.application} is decided: {options.decision}.")


def _deliver(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    register = Register(options.folder)
    verdicts = register.deliver(
        options.application,
        options.release,
        people=options.people,
        author=_author(options),
        name=options.name,
    )
    return _judged(options, register, verdicts)


def _withdraw(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    head = Register(options.folder).withdraw(
        options.application, reason=options.reason, author=_author(options)
    )
    return _said(options, head.line(), f"{options.application} is withdrawn.")


def _incident(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from rich.console import Console

    from sfumato.register import Register
    from sfumato.wording import counted

    found = Register(options.folder).incident(
        fields=options.fields,
        releases=options.releases,
        reason=options.reason,
        author=_author(options),
    )
    if options.json:
        print_json([asdict(each) for each in found])
        return 0
    console = Console()
    for each in found:
        console.print(
            f"{each.group} holds {', '.join(each.releases)}: "
            f"{counted(each.alone, 'person', 'people')} alone, {each.below:,} below k",
            highlight=False,
            markup=False,
        )
        for why in each.not_judged:
            console.print(f"  not judged: {why}", highlight=False, markup=False)
    if not found:
        console.print("No release has these fields.", highlight=False)
    return 0


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _due(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.register import Register

    ends = Register(options.folder).due(days=options.days)
    if options.json:
        print_json(
            [dict(zip(("application", "what", "until"), each, strict=True)) for each in ends]
        )
        return 0
    console = Console()
    for name, what, when in ends:
        console.print(f"{when}  {what} of {name}", highlight=False, markup=False)
    if not ends:
        console.print(f"Nothing ends within {options.days} days.", highlight=False)
    return 0


def _show(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from sfumato.register import Register

    register = Register(options.folder)
    state, verdicts = register.state(), register.judge()
    if options.json:
        releases = [
            {"name": each.name, "group": each.group, "digest": each.digest, "time": each.time,
             "imported": each.imported, "not_judged": list(each.not_judged)}
            for each in state.releases
        ]  # fmt: skip
        print_json({"head": state.head.line(), "releases": releases, "verdicts": _facts(verdicts)})
        return _exit(verdicts)
    console = Console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("release", "for", "since", "digest"):
        table.add_column(heading, overflow="fold")
    for each in state.releases:
        table.add_row(escape(each.name), escape(each.group), each.time[:10], each.digest[:16])
    console.print(table)
    for asked in state.applications.values():
        console.print(
            f"application {asked.name} for {asked.group}: {asked.state}",
            highlight=False,
            markup=False,
        )
    _print_verdicts(verdicts, console)
    return _exit(verdicts)


def _verify(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.files import write_whole
    from sfumato.register import Register

    head, words = Register(options.folder).verify(anchor=options.anchor)
    if options.write_anchor is not None:
        write_whole(options.write_anchor, head.line() + "\n")
    if options.json:
        print_json({"head": head.line(), "anchor": words})
        return 0
    console = Console()
    console.print(
        f"Every move is signed by its author and chained: {head.number:,}.", highlight=False
    )
    console.print(f"  {head.line()}  is its end", highlight=False, soft_wrap=True)
    console.print(f"{words[0].upper()}{words[1:]}.", highlight=False)
    return 0


def _print_verdicts(verdicts: Mapping[str, LedgerVerdict], console: Console) -> None:
    from rich.markup import escape

    from .release_text import COLOUR

    for group, verdict in verdicts.items():
        console.print(
            f"[{COLOUR[verdict.outcome]}]{verdict.outcome}[/] {escape(group)}: "
            f"{escape(verdict.reason)}",
            highlight=False,
            soft_wrap=True,
        )


def _facts(verdicts: Mapping[str, LedgerVerdict]) -> dict[str, object]:
    return {group: verdict.as_dict() for group, verdict in verdicts.items()}


def _exit(verdicts: Mapping[str, LedgerVerdict]) -> int:
    outcomes = {verdict.outcome for verdict in verdicts.values()}
    return 1 if "fail" in outcomes else 3 if "review" in outcomes else 0
