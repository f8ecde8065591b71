"""`sfumato release --register`: a candidate that the ledger judges, that is assessed, and that waits."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .register_arguments import exit_code, given_author, print_verdicts, verdict_facts
from .shared_arguments import given_key, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.register import Candidate, LedgerVerdict, Register


def add_register(command: argparse.ArgumentParser) -> None:
    """Options of a release that a register judges."""
    part = command.add_argument_group("a candidate that the ledger of a register judges")
    part.add_argument(
        "--register",
        type=Path,
        metavar="DIR",
        help="judge the release with all that its group holds, before anything is written",
    )
    part.add_argument("--for", dest="group", default="", metavar="GROUP", help="the group")
    part.add_argument(
        "--application",
        default="",
        metavar="NAME",
        help="the application that it is for: its group, and with --as it is assessed and submitted",
    )
    part.add_argument(
        "--as", dest="author", default="", metavar="NAME", help="your name in the charter"
    )
    part.add_argument(
        "--solve-anew",
        action="store_true",
        help="where the ledger refuses, try again from each coarser level of the policy",
    )


def check_register(options: argparse.Namespace) -> None:
    """Refuse options of a register where none is named, and a register without a group."""
    from sfumato.errors import Mistake

    given = [
        word
        for word, value in (
            ("--for", options.group),
            ("--application", options.application),
            ("--as", options.author),
            ("--solve-anew", options.solve_anew),
        )
        if value
    ]
    problem, attempt = "", ""
    if options.register is None:
        problem = f"{', '.join(given)} without a register." if given else ""
        attempt = "--register DIR too."
    elif bool(options.group) == bool(options.application):
        problem, attempt = (
            "It needs a group or an application, and not both.",
            "--for GROUP, or --application.",
        )
    elif options.author and (not options.application or options.sign is None):
        problem = "Only the candidate of an application is submitted, signed by its maker."
        attempt = "--application NAME --as NAME --sign KEY."
    elif isinstance(options.to, str) or options.policy is None:
        problem = "A candidate is a folder, made by a policy that a person decided on."
        attempt = "--policy FILE, and a folder with --to."
    if problem:
        raise Mistake("A release was to be judged by a register.", found=problem, attempt=attempt)


def run_candidate(options: argparse.Namespace, target: Path, making: Mapping[str, Any]) -> int:
    """Make the candidate; assess and submit it where its maker signs."""
    from rich.console import Console

    from sfumato.register import Register, make_candidate

    from .progress import stages
    from .release_text import EXIT, release_facts, show_release

    register = Register(options.register)
    group = options.group or _group_of(register, options.application)
    if options.author:
        register.check_submission(options.application, options.policy, author=given_author(options))
    making = {**making, "agreement": _agreement_of(register, options)}
    console = Console(stderr=options.json)
    with stages(console) as progress:
        made = make_candidate(
            register,
            options.source,
            options.policy,
            to=target,
            group=group,
            people=options.keep_people,
            solve_anew=options.solve_anew,
            attempted=lambda finest: progress(f"solving anew from level {finest} on"),
            key=given_key(options),
            progress=progress,
            **making,
        )
        verdicts = made.verdicts
        if options.author:
            _check_policy(options, register, made)
            verdicts = _submit(options, register, made, progress)
    if options.json:
        facts = {**release_facts(made.made), "people": made.people, "finest": made.finest}
        print_json({**facts, "ledger": verdict_facts(verdicts)})
    else:
        show_release(made.made, console)
        _show(options, made, verdicts, console)
    return max(EXIT[made.made.outcome], exit_code(verdicts))


def _group_of(register: Register, application: str) -> str:
    from sfumato.errors import Mistake

    found = register.state().applications.get(application)
    if found is None:
        raise Mistake(
            f"A candidate for the application {application!r} was asked for.",
            found="There is none of that name.",
            attempt="a name that `sfumato register show` lists.",
        )
    return found.group


def _agreement_of(register: Register, options: argparse.Namespace) -> str | None:
    """The agreement that was named, or that of the application."""
    if options.agreement is not None or not options.application:
        agreement: str | None = options.agreement
        return agreement
    agreed = register.state().applications[options.application].agreement
    return None if agreed is None else f"sha256:{agreed.digest}"


def _check_policy(options: argparse.Namespace, register: Register, made: Candidate) -> None:
    """Refuse to submit what was solved anew where the board approves policies first."""
    from sfumato.errors import Mistake

    charter, folder = register.state().charter, made.made.folder
    assert charter is not None
    assert folder is not None
    if not made.finest or not charter.policy_first:
        return
    policy = folder / "policy.toml"
    raise Mistake(
        f"A candidate of {options.application} was to be submitted.",
        found=f"It was solved anew with labels from level {made.finest} on, and no longer has the "
        "policy that the board approved.",
        attempt=f"sfumato register propose {options.register} {options.application} {policy}; when "
        f"it is approved, make the candidate with --policy {policy}, and without --solve-anew.",
    )


def _submit(
    options: argparse.Namespace, register: Register, made: Candidate, progress: Any
) -> Mapping[str, LedgerVerdict]:
    """Assess the candidate beside its folder, and submit both."""
    from sfumato.assessment import assess

    folder = made.made.folder
    assert folder is not None
    numbers = folder.with_name(f"{folder.name}-assessment.json")
    progress("assessing the candidate")
    assess(
        folder,
        source=options.source,
        to=folder.with_name(f"{folder.name}-assessment.html"),
        json=numbers,
        replace=options.replace,
    )
    return register.submit(
        options.application,
        folder,
        people=made.people,
        key=given_key(options),
        assessment=numbers,
        author=given_author(options),
    )


def _show(
    options: argparse.Namespace,
    made: Candidate,
    verdicts: Mapping[str, LedgerVerdict],
    console: Console,
) -> None:
    print_verdicts(verdicts, console)
    if made.finest:
        words = f"Solved anew with labels from level {made.finest} on; its policy is in the folder."
        console.print(words, highlight=False)
    if options.author:
        words = f"Submitted for {options.application}; it waits for votes."
    else:
        step = (
            f"submit {options.register} {options.application}"
            if options.application
            else (f"add {options.register}")
        )
        words = (
            f"It waits, and is in no ledger yet. People record: {made.people}\n"
            f"  sfumato register {step} {made.made.folder} --people {made.people} --key KEY …"
        )
    console.print(words, highlight=False, markup=False, soft_wrap=True)
