"""The commands of `sfumato register` about applications: from a purpose to a delivery, due dates,
and breaches."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .register_arguments import (
    add_author,
    add_part,
    add_people_key,
    given_author,
    print_head,
    print_judged,
)
from .shared_arguments import given_key, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.assessment import Assessment, ChannelAssessment, SyntheticAssessment
    from sfumato.register import IncidentExposure, Register

    Parts = argparse._SubParsersAction[argparse.ArgumentParser]


MOST_DAYS: Final = 36_500


def configure(parts: Parts) -> None:
    _configure_applying(parts)
    _configure_deciding(parts)
    incident = add_part(parts, "incident", "record a breach, and report what it discloses")
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
    incident.add_argument(
        "--rows", type=Path, metavar="FILE", help="rows that somebody showed: CSV, or JSON"
    )
    incident.add_argument(
        "--look-in",
        type=Path,
        action="extend",
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="delivered releases to look for these rows in",
    )
    incident.add_argument("--reason", required=True, help="what happened")
    add_author(incident)
    due = add_part(parts, "due", "list what has ended or ends soon, and what waits for an answer")
    due.add_argument("--days", type=_days, default=30, help="days until the end (default: 30)")

    export = add_part(parts, "export", "describe applications and releases in another format")
    export.add_argument(
        "name", nargs="?", default="", help="an application or a release (default: everything)"
    )
    export.add_argument(
        "--format",
        required=True,
        metavar="F",
        help="ro-crate, dcat, croissant, prov or dpia",
    )
    export.add_argument(
        "--release",
        type=Path,
        metavar="FOLDER",
        help="folder of the release, to describe its files",
    )
    export.add_argument("--to", type=Path, metavar="FILE", help="file to write (default: print)")


def _configure_applying(parts: Parts) -> None:
    asked = _about(parts, "apply", "ask for data for a purpose, in the name of a group")
    asked.add_argument("--to", default="", metavar="GROUP", help="the group that would receive it")
    form = asked.add_mutually_exclusive_group(required=True)
    form.add_argument("--form", type=Path, metavar="FILE", help="the filled-in form")
    form.add_argument("--write-form", type=Path, metavar="FILE", help="write a form to fill in")
    agree = _about(parts, "agree", "record the agreement with the recipient; votes are void")
    agree.add_argument(
        "--agreement", type=Path, required=True, metavar="FILE", help="file of the agreement, TOML"
    )
    agree.add_argument(
        "--text",
        type=Path,
        required=True,
        metavar="FILE",
        help="the signed text; only its digest is recorded",
    )
    propose = _about(parts, "propose", "propose the policy by which a candidate would be made")
    propose.add_argument("policy", type=Path, help="policy file")
    propose.add_argument(
        "--section",
        choices=("synthesis", "tables_of_counts", "scrubbed"),
        default="",
        help="the section by which the candidate would be made, for synthetic rows or counts; "
        "scrubbed: POLICY is the folder of a trial, and letters would be made with its settings "
        "(default: the policy of a release)",
    )
    submit = _about(parts, "submit", "submit what the approved policy made; earlier votes are void")
    _add_candidate(submit)
    submit.add_argument(
        "--assessment",
        type=Path,
        metavar="FILE",
        help="its assessment (see: sfumato assess --json FILE); none is approved without",
    )


def _configure_deciding(parts: Parts) -> None:
    review = _about(parts, "review", "vote sealed; and open the vote when all have voted")
    review.add_argument("--vote", choices=("approve", "refuse"), default="", help="your vote")
    review.add_argument("--reason", default="", help="reason of the vote")
    review.add_argument(
        "--sealed",
        type=Path,
        metavar="FILE",
        help="keeps your vote until you open it; not under a charter with blind = false",
    )
    review.add_argument("--open", action="store_true", help="open the vote in that file")
    decide = _about(parts, "decide", "approve what enough reviewers approved, or refuse it")
    decide.add_argument(
        "--decision", choices=("approve", "refuse"), required=True, help="the decision"
    )
    decide.add_argument("--reason", required=True, help="reason of the decision")
    decide.add_argument(
        "--condition",
        dest="conditions",
        action="append",
        default=[],
        metavar="TEXT",
        help="a condition of the decision; may be repeated",
    )
    decide.add_argument(
        "--until", default="", metavar="DATE", help="last day of an approval, such as 2027-06-30"
    )
    deliver = _about(parts, "deliver", "deliver an approved candidate")
    _add_candidate(deliver)
    deliver.add_argument(
        "--source",
        metavar="SOURCE",
        help="the source that the candidate was made from, to assess it again; needed with --people",
    )
    deliver.add_argument(
        "--name", default="", help="name of the release (default: that of its folder)"
    )
    withdraw = _about(parts, "withdraw", "end an application; delivered releases still count")
    withdraw.add_argument("--reason", required=True, help="reason of the withdrawal")
    reveal = add_part(parts, "reveal", "agree to a revelation that somebody else asked for")
    reveal.add_argument("revelation", help="name of the revelation (see: sfumato reveal)")
    reveal.add_argument("--reason", required=True, help="reason of your agreement")
    add_author(reveal)


def _about(parts: Parts, name: str, text: str) -> argparse.ArgumentParser:
    part = add_part(parts, name, text)
    part.add_argument("application", help="name of the application")
    add_author(part)
    return part


def _add_candidate(part: argparse.ArgumentParser) -> None:
    part.add_argument("release", type=Path, help="folder of the candidate")
    part.add_argument(
        "--people",
        type=Path,
        metavar="FILE",
        help="its people record (see: sfumato release --keep-people); private releases have none",
    )
    add_people_key(part)


def _apply(options: argparse.Namespace) -> int:
    from sfumato.errors import Mistake
    from sfumato.files import write_whole
    from sfumato.register import ApplicationForm, Register, blank_form

    if options.write_form is not None:
        if options.write_form.exists():
            raise Mistake(
                f"A form was to be written to {options.write_form}.",
                found="The file exists, and is not overwritten.",
            )
        write_whole(options.write_form, blank_form())
        print(f"Fill in {options.write_form}, and give it with --form.")
        return 0
    if not options.to:
        raise Mistake("An application was made.", found="It has no group.", attempt="--to GROUP.")
    head = Register(options.folder).apply(
        options.application,
        group=options.to,
        form=ApplicationForm.read(options.form),
        author=given_author(options),
    )
    return print_head(options, head.line(), f"{options.application} waits for a policy.")


def _agree(options: argparse.Namespace) -> int:
    from sfumato.register import Agreement, Register

    agreement = Agreement.read(options.agreement, text=options.text)
    head = Register(options.folder).agree(
        options.application, agreement, author=given_author(options)
    )
    words = f"{options.application} has an agreement until {agreement.until}."
    return print_head(options, head.line(), words)


def _propose(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    head = Register(options.folder).propose(
        options.application,
        options.policy,
        author=given_author(options),
        section=options.section,
    )
    return print_head(options, head.line(), f"The policy of {options.application} waits for votes.")


def _submit(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    register = Register(options.folder)
    verdicts = register.submit(
        options.application,
        options.release,
        people=options.people,
        key=given_key(options),
        assessment=options.assessment,
        author=given_author(options),
    )
    words = f"{options.application} waits for votes on the result."
    asked = register.state().applications[options.application]
    if not asked.assessment:
        words += " It has no assessment, so it cannot be approved: submit it again with --assessment FILE."
    return print_judged(options, register, verdicts, text=words)


def _review(options: argparse.Namespace) -> int:
    from sfumato.errors import Mistake
    from sfumato.register import Register, SealedVote

    register, author = Register(options.folder), given_author(options)
    if options.open == bool(options.vote or options.reason):
        raise Mistake(
            "A review was asked for.",
            found="It needs a vote with its reason, or --open, and not both.",
            attempt="--vote approve --reason TEXT, or --open.",
        )
    sealed = _vote_file(options, is_blind=register.state().has_blind_votes)
    if options.open:
        assert sealed is not None
        head = register.open_vote(options.application, SealedVote.read(sealed), author=author)
        return print_head(options, head.line(), _now_open(options, register))
    vote = SealedVote.sealed(options.vote, options.reason)
    if sealed is None:
        head = register.open_vote(options.application, vote, author=author)
        return print_head(options, head.line(), _now_open(options, register))
    vote.save(sealed)
    try:
        head = register.commit_vote(options.application, vote, author=author)
    except BaseException:
        sealed.unlink(missing_ok=True)
        raise
    words = f"You have voted. Keep {sealed}: review --open needs it when all have voted."
    return print_head(options, head.line(), words)


def _vote_file(options: argparse.Namespace, *, is_blind: bool) -> Path | None:
    """The file of a sealed vote; None where everybody sees a vote at once, and no file is kept."""
    from sfumato.errors import Mistake

    given: Path | None = options.sealed
    if given is None and (is_blind or options.open):
        raise Mistake(
            "A review was asked for.",
            found="It has no file that keeps the sealed vote until it is opened.",
            attempt="--sealed FILE.",
        )
    if given is not None and not (is_blind or options.open):
        raise Mistake(
            "A sealed vote was asked for.",
            found="Votes are not sealed under this charter: whoever reads the register sees yours at once.",
            attempt="without --sealed; or blind = true in the charter.",
        )
    return given


def _now_open(options: argparse.Namespace, register: Register) -> str:
    about = register.state().applications[options.application]
    return f"Your vote is open. {options.application} {about.waits_for}."


def _decide(options: argparse.Namespace) -> int:
    from sfumato.register import Register, VoteWord

    register = Register(options.folder)
    head = register.decide(
        options.application,
        VoteWord(options.decision),
        reason=options.reason,
        conditions=options.conditions,
        valid_until=options.until,
        author=given_author(options),
    )
    about = register.state().applications[options.application]
    return print_head(
        options,
        head.line(),
        f"Recorded: {options.decision}. {options.application} {about.waits_for}.",
    )


def _deliver(options: argparse.Namespace) -> int:
    from sfumato.errors import Mistake
    from sfumato.register import Register

    if options.people is not None and options.source is None:
        raise Mistake(
            "A candidate was to be assessed again before it is delivered.",
            found="Without its source, questions about attacks stay unanswered.",
            attempt="--source SOURCE, the table that the candidate was made from.",
        )
    register, author, key = Register(options.folder), given_author(options), given_key(options)
    register.check_delivery(
        options.application,
        options.release,
        author=author,
        source=options.source,
        people=options.people,
        key=key,
    )
    verdicts = register.deliver(
        options.application,
        options.release,
        people=options.people,
        key=key,
        assessment=_assessed_again(options),
        author=author,
        name=options.name,
    )
    return print_judged(options, register, verdicts)


def _assessed_again(
    options: argparse.Namespace,
) -> Assessment | ChannelAssessment | SyntheticAssessment | None:
    """The assessment of whoever delivers, which is made now: a file could be the maker's. None of
    letters and tables of counts, which nothing measures."""
    from rich.console import Console

    from sfumato.assessment import assess, is_measured

    from .progress import stages

    if not is_measured(options.release):
        return None
    with stages(Console(stderr=True)) as progress:
        progress("assessing the candidate again")
        return assess(options.release, source=options.source)


def _withdraw(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    head = Register(options.folder).withdraw(
        options.application, reason=options.reason, author=given_author(options)
    )
    return print_head(options, head.line(), f"{options.application} is withdrawn.")


def _reveal(options: argparse.Namespace) -> int:
    from sfumato.register import Register

    head = Register(options.folder).agree_revelation(
        options.revelation, reason=options.reason, author=given_author(options)
    )
    return print_head(options, head.line(), f"You agreed to {options.revelation}.")


def _incident(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from rich.console import Console

    from sfumato.register import LeakedRows, Register

    register = Register(options.folder)
    rows = None if options.rows is None else LeakedRows.read(options.rows)
    found = register.incident(
        fields=options.fields,
        releases=options.releases,
        rows=rows,
        folders=options.look_in,
        reason=options.reason,
        author=given_author(options),
    )
    unknown = register.unknown_fields((*options.fields, *(rows.fields if rows is not None else ())))
    if options.json:
        print_json({"exposures": [asdict(each) for each in found], "unknown_fields": len(unknown)})
        return 0
    console = Console()
    for each in found:
        _show_exposure(each, console, with_rows=rows is not None)
    words = "The incident is recorded."
    if rows is not None and not options.look_in:
        words += " No release was looked into (--look-in FOLDER)."
    elif not found:
        words += (
            " No release has a field of these names."
            if rows is None
            else " None of these rows can be in a release that was looked into; no other has their fields."
        )
    console.print(words, highlight=False, soft_wrap=True)
    if unknown:
        words = (
            f"The register does not know {len(unknown):,} of these fields by name: are they called "
            "otherwise in a release, or has the file no header?"
        )
        console.print(words, highlight=False, markup=False, soft_wrap=True)
    return 0


def _show_exposure(each: IncidentExposure, console: Console, *, with_rows: bool) -> None:
    """What a group holds of a breach, who received it, and what nobody can say."""
    from sfumato.wording import counted

    hold = "hold" if " and " in each.group else "holds"
    words = f"{each.group} {hold} {', '.join(each.releases) or 'answers of a gate'}: "
    words += (
        f"{counted(each.alone, 'person', 'people')} can be found alone, {each.below:,} below k"
        if each.is_counted
        else "nobody can say how many people can be found, since no field was compared"
    )
    if with_rows:
        words += f"; {counted(each.rows, 'leaked row')} in it, {each.rows_alone:,} as one row alone"
        words += (
            f"; {each.rows_coarser:,} more may be, by coarser labels or other readings"
            if each.rows_coarser
            else ""
        )
    lines = [words, f"  recipients: {', '.join(each.recipients)}"]
    lines += [f"  not judged: {why}" for why in each.not_judged]
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _days(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_DAYS:
        raise argparse.ArgumentTypeError(f"a whole number from 0 to {MOST_DAYS:,} is needed")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _due(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.register import Register

    register = Register(options.folder)
    ends = register.due(days=options.days)
    if options.json:
        print_json([each.as_dict() for each in ends])
        return 0
    console = Console()
    if day := register.ahead():
        words = f"The newest move is of {day}, which this machine's clock has not reached: ends are counted from it."
        console.print(words, highlight=False, soft_wrap=True)
    for each in ends:
        marks = {"ended": "  ended", "7 days": "  within 7 days", "30 days": "  within 30 days"}
        soon = marks.get(each.urgency, "")
        console.print(
            f"{each.until}  {each.what} of {each.of}{soon}", highlight=False, markup=False
        )
    if not ends:
        console.print(f"Nothing ends within {options.days} days.", highlight=False)
    return 0


def _export(options: argparse.Namespace) -> int:
    from sfumato.files import write_whole
    from sfumato.register import Register

    text = Register(options.folder).export(
        options.format, name=options.name, release=options.release
    )
    if options.to is None:
        print(text, end="")
        return 0
    write_whole(options.to, text)
    if options.json:
        print_json({"file": str(options.to)})
    else:
        print(options.to)
    return 0


STEPS: Final[Mapping[str, Callable[[argparse.Namespace], int]]] = {
    "apply": _apply,
    "agree": _agree,
    "propose": _propose,
    "submit": _submit,
    "review": _review,
    "decide": _decide,
    "deliver": _deliver,
    "withdraw": _withdraw,
    "reveal": _reveal,
    "due": _due,
    "incident": _incident,
    "export": _export,
}
"""The effect of each of these commands."""
