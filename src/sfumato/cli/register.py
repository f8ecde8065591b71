"""`sfumato register`: record releases about the same people, and judge them as one."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import register_board
from .register_arguments import (
    add_author,
    add_part,
    add_people_key,
    exit_code,
    given_author,
    print_head,
    print_judged,
    print_verdicts,
    verdict_facts,
)
from .shared_arguments import add_json, given_key, print_json


def configure(command: argparse.ArgumentParser) -> None:
    parts = command.add_subparsers(dest="what", metavar="WHAT", required=True)
    init = add_part(parts, "init", "make a register with its charter")
    _add_charter(init)
    add_author(init)
    charter = add_part(
        parts, "charter", "change the charter: members, and what the ledger requires"
    )
    _add_charter(charter)
    add_author(charter)
    rotate = add_part(parts, "rotate", "exchange your key for a new one")
    rotate.add_argument("--new", type=Path, required=True, metavar="KEY", help="the new key")
    add_author(rotate)
    add = add_part(parts, "add", "record a release for a group, if all its releases together pass")
    _add_release(add)
    add_author(add)
    taken = add_part(parts, "import", "record a release that left before, whatever it breaks")
    _add_release(taken)
    add_author(taken)
    confirm = add_part(parts, "confirm", "confirm a release that somebody else imported")
    confirm.add_argument("name", help="name of the release in the register")
    confirm.add_argument("release", type=Path, help="its folder or file, as it left")
    confirm.add_argument("--reason", required=True, help="how you know that this is what left")
    add_author(confirm)
    people = add_part(parts, "people", "declare which sources are about the same people")
    people.add_argument("name", help="name of these people, such as patients")
    people.add_argument("--by", required=True, metavar="KEY", help="the common key, in words")
    people.add_argument(
        "--source",
        dest="sources",
        action="append",
        type=_source,
        required=True,
        metavar="SOURCE=FIELD",
        help="a source, and its field with that key; may be repeated",
    )
    people.add_argument(
        "--spelling",
        choices=("same", "distinct"),
        help="whether keys that differ in spelling alone (case, accents, script, marks, zeros, form of "
        "numbers and dates) are the same person (default: releases with such keys are refused)",
    )
    add_author(people)
    names = add_part(parts, "recipients", "declare whether two names are one recipient or two")
    names.add_argument("names", nargs=2, metavar="NAME", help="name of a recipient or a group")
    names.add_argument("--are", choices=("same", "different"), required=True, help="what they are")
    names.add_argument("--reason", required=True, help="how you know")
    add_author(names)
    register_board.configure(parts)
    add_part(parts, "show", "releases, applications, and the verdict on all that each group holds")
    verify = add_part(parts, "verify", "check every move, signature and part")
    verify.add_argument(
        "--anchor",
        metavar="A",
        help="the end of the register as kept elsewhere: a file, or N:DIGEST",
    )
    verify.add_argument(
        "--write-anchor",
        type=Path,
        metavar="FILE",
        help="write the end to this file, preferably on another disk; an anchor that is there must hold",
    )
    for part in parts.choices.values():
        add_json(part)


def _add_charter(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--charter",
        type=Path,
        required=True,
        metavar="FILE",
        help="file of the charter, charter.toml",
    )


def _add_release(part: argparse.ArgumentParser) -> None:
    part.add_argument("release", type=Path, help="folder of the release")
    part.add_argument(
        "--to", required=True, metavar="GROUP", help="the group that receives it; or: everybody"
    )
    part.add_argument(
        "--people",
        type=Path,
        metavar="FILE",
        help="its people record (see: sfumato release --keep-people); private releases have none",
    )
    add_people_key(part)
    part.add_argument(
        "--name", default="", help="name of the release (default: that of its folder)"
    )


def _source(text: str) -> tuple[str, str]:
    source, equals, field = text.rpartition("=")
    if not equals or not source or not field:
        raise argparse.ArgumentTypeError("SOURCE=FIELD is needed")
    return source, field


def run(options: argparse.Namespace) -> int:
    steps = {
        "init": _init,
        "charter": _charter,
        "rotate": _rotate,
        "add": _add,
        "import": _add,
        **register_board.STEPS,
        "confirm": _confirm,
        "people": _people,
        "recipients": _recipients,
        "show": _show,
        "verify": _verify,
    }
    return steps[options.what](options)


def _init(options: argparse.Namespace) -> int:
    from sfumato.register import Charter, Register

    charter = Charter.read(options.charter)
    made = Register.create(options.folder, charter, author=given_author(options))
    return print_head(options, made.state().head.line(), f"Made a register in {options.folder}.")


def _charter(options: argparse.Namespace) -> int:
    from sfumato.register import Charter, Register

    charter = Charter.read(options.charter)
    head = Register(options.folder).change_charter(charter, author=given_author(options))
    words = (
        "The charter was changed. Unless applicants alone changed, votes and decisions by which "
        "nothing was delivered yet are void."
    )
    return print_head(options, head.line(), words)


def _rotate(options: argparse.Namespace) -> int:
    from sfumato.register import Register
    from sfumato.signatures import SigningKey

    new = SigningKey.from_file(options.new)
    head = Register(options.folder).rotate(new, author=given_author(options))
    return print_head(options, head.line(), f"{options.author} signs with the new key from now on.")


def _add(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    register = Register(options.folder)
    verdicts = register.add(
        options.release,
        group=options.to,
        author=given_author(options),
        people=options.people,
        key=given_key(options),
        name=options.name,
        imported=options.what == "import",
    )
    return print_judged(options, register, verdicts)


def _confirm(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    head = Register(options.folder).confirm(
        options.name, options.release, reason=options.reason, author=given_author(options)
    )
    return print_head(options, head.line(), f"You confirmed {options.name}.")


def _people(options: argparse.Namespace) -> int:
    from sfumato.register import KeySpelling, PeopleLink, Register

    link = PeopleLink(
        name=options.name,
        key=options.by,
        sources=dict(options.sources),
        spelling=None if options.spelling is None else KeySpelling(options.spelling),
    )
    head = Register(options.folder).declare_people(link, author=given_author(options))
    return print_head(options, head.line(), f"{options.name}: their sources are declared.")


def _recipients(options: argparse.Namespace) -> int:
    from sfumato.register import NamesAre, Register

    one, other = options.names
    head = Register(options.folder).declare_recipients(
        one, other, NamesAre(options.are), reason=options.reason, author=given_author(options)
    )
    what = "one recipient" if options.are == "same" else "two recipients"
    words = f"{one} and {other} are declared to be {what}."
    return print_head(options, head.line(), words)


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
             "imported": each.imported, "confirmed": state.confirmed.get(each.name, ""),
             "recipients": list(state.recipients_of(each)), "not_judged": list(each.not_judged)}
            for each in state.releases
        ]  # fmt: skip
        applications = [
            {"name": each.name, "group": each.group, "applicant": each.applicant, "since": each.since,
             "state": each.state.value, "step": each.step.value, "valid_until": each.valid_until}
            for each in state.applications.values()
        ]  # fmt: skip
        print_json(
            {
                "head": state.head.line(),
                "releases": releases,
                "applications": applications,
                "verdicts": verdict_facts(verdicts),
            }
        )
        return exit_code(verdicts)
    console = Console()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("release", "for", "recipients", "since", "digest"):
        table.add_column(heading, overflow="fold")
    for each in state.releases:
        marks = (
            *((" (imported, unconfirmed)",) if state.is_unconfirmed(each) else ()),
            *((" (leaked)",) if each.name in state.leaked else ()),
        )
        who = ", ".join(state.recipients_of(each))
        called = escape("".join((each.name, *marks)))
        table.add_row(called, escape(each.group), escape(who), each.time[:10], each.digest[:16])
    console.print(table)
    for asked in state.applications.values():
        words = f"application {asked.name} for {asked.group}: {asked.described_state}"
        if asked.is_voted_on and asked.ledger != state.ledger_of(asked.group):
            words += "; votes are void, since the group received something: it waits for its maker"
        console.print(words, highlight=False, markup=False, soft_wrap=True)
    for link in state.people.values():
        spelled = f"; keys that look alike are {link.spelling}" if link.spelling else ""
        fields = ", ".join(f"{field} of {source}" for source, field in link.sources.items())
        words = f"people {link.name}: by {link.key}, {fields}{spelled}"
        console.print(words, highlight=False, markup=False, soft_wrap=True)
    for names in state.links:
        words = f"recipients {' and '.join(names.names)}: {names.are} ({names.reason})"
        console.print(words, highlight=False, markup=False, soft_wrap=True)
    for end in register.due():
        console.print(f"due {end.until}: {end.what} of {end.of}", highlight=False, markup=False)
    print_verdicts(verdicts, console)
    return exit_code(verdicts)


def _verify(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.files import write_whole
    from sfumato.register import Register

    register, anchor = Register(options.folder), options.anchor
    if anchor is None and options.write_anchor is not None and options.write_anchor.exists():
        anchor = options.write_anchor  # An older register would replace the anchor that notices it.
    head, words = register.verify(anchor=anchor)
    if options.write_anchor is not None:
        write_whole(options.write_anchor, register.anchor() + "\n")
    if options.json:
        print_json({"head": head.line(), "anchor": words})
        return 0
    console = Console()
    console.print(
        f"Every move is signed by its author and chained: {head.number:,}.", highlight=False
    )
    console.print(f"  {head.line()}  is the end of the register", highlight=False, soft_wrap=True)
    console.print(f"{words[0].upper()}{words[1:]}.", highlight=False)
    return 0
