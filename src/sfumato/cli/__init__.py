"""The command line: one file per command; imported by nothing.

Exit codes: 0 pass, 1 fail, 2 misuse, 3 review, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from .extras import VersionAction
from .run_log import LOG, add_run_options, logged_run
from .shared_arguments import Parser
from .signals import EndSignal, ended_like_interrupted
from .streams import patient_output

if TYPE_CHECKING:
    from sfumato.errors import SfumatoError

COMMANDS = {
    "release": "make a checked release of one or several tables, with manifest and report",
    "scrub": "replace the personal references in letters, notes and text fields",
    "synthesize": "make a private synthetic table, drawn from a model that is measured with noise",
    "tabulate": "make tables of counts over areas: with noise, or by suppression, rounding, swapping "
    "or cell keys",
    "survey": "survey the fields of a table or a database and propose a policy",
    "advise": "name the fields that a policy loses, and changes that keep them",
    "verify": "re-check a release against its manifest",
    "assess": "measure what can be learned from a release and what was lost, on one page for a "
    "review board",
    "intrude": "play the motivated intruder: link a register, or intersect two releases",
    "check": "check a policy file, alone or against its source",
    "list": "list the installed parts with their parameters: techniques, hierarchies, "
    "detectors, engines, …",
    "schema": "print the JSON Schema of policies or manifests, for editors that complete and check "
    "them",
    "hierarchy": "draw a field's hierarchy, or save it as CSV to edit",
    "search": "find the optimal recoding, or all most specific ones, without releasing",
    "sweep": "draw risk against utility over a number of the policy, without releasing",
    "continuum": "measure how much each technique distorts a data set, and draw them in order",
    "explore": "search the lattice of recodings by hand, step by step",
    "key": "make a key for pseudonyms, or one that signs",
    "reveal": "find the person behind a pseudonym, for the holder of the key",
    "serve": "open the gate, which answers questions about private tables under a policy",
    "validate": "ask a gate whether a number of a synthetic copy holds in the real table",
    "accounts": "manage the accounts of a gate",
    "audit": "verify a gate's tamper-evident audit log, and read it",
    "register": "record releases about the same people, and judge them together",
    "views": "let each recipient profile read its own release of a live source",
    "clean": "remove leftovers of killed runs: unfinished folders, drafts, locks and scratch folders",
    "demo": "run the main job on a made-up hospital: one table, or a database",
    "completion": "print the completion script of a shell",
}


FILES = {"list": "catalogue"}
"""Commands whose file is called otherwise: a module `list` would hide Python's own in this
package."""


TRACEBACK = "SFUMATO_TRACEBACK"
"""With this in the environment, an unexpected error is printed in full, with the values in it."""


def parser(*, only: str | None = None, listed: Iterable[str] = COMMANDS) -> Parser:
    """The parser. With `only`, just that command is loaded, so that starting up stays fast; those
    that are not `listed` are unknown to it."""
    top = Parser(
        prog="sfumato",
        description="Turn private tables into releases whose protection is proven, measured and "
        "checked.",
        epilog="Exit codes: 0 pass, 1 fail, 2 misuse, 3 review. Start with: sfumato release "
        "patients.csv --to release",
    )
    top.add_argument("--version", action=VersionAction)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in listed:
        summary = COMMANDS[name]
        sub = commands.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + "."
        )
        if only in (None, name):
            module = import_module(f"{__name__}.{FILES.get(name, name)}")
            module.configure(sub)
            add_run_options(sub, name)
            sub.set_defaults(run=module.run)
    return top


def start() -> int:
    """Run the command of a process of its own, which ends as soon as everything is tidied up.

    Python would then look for garbage once more, in all that was loaded: that takes as long as an
    eighth of a short command, and the system takes the memory back anyway."""
    done: list[int] = []
    atexit.register(_end, done)  # The first that is registered is the last that is called.
    done.append(main())
    return done[0]


def _end(done: Sequence[int]) -> None:
    """End the process with the exit code of its command; not where that raised, such as for a
    usage message."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        return  # Python itself says what is wrong with a stream.
    if done:
        os._exit(done[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; every error of ours is one message on stderr and an exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    only = next((word for word in given if word in COMMANDS), "")
    listed = (only,) if only and given[0] == only else COMMANDS
    with patient_output(), ended_like_interrupted():
        options = parser(only=only, listed=listed).parse_args(given)
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    from sfumato.errors import options_of_shell

    with options_of_shell():
        return _run_reported(options)


def _run_reported(options: argparse.Namespace) -> int:
    """Run a command, and print the error or signal that ended it."""
    from sfumato.engines import without_secrets
    from sfumato.errors import Bug, SfumatoError
    from sfumato.runs import interruptible, on_cores

    try:
        with logged_run(options), on_cores(options.threads), interruptible():
            return _logged(options)
    except SfumatoError as error:
        if getattr(options, "json", False) is True:
            print(without_secrets(json.dumps(_as_dict(error), indent=2)))
        print(without_secrets(f"{type(error).__name__}: {error}"), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as interrupt:
        print(f"Interrupted: {str(interrupt) or 'nothing was released.'}", file=sys.stderr)
        return 128 + (interrupt.number if isinstance(interrupt, EndSignal) else signal.SIGINT)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        print(_unexpected(error), file=sys.stderr)
        return Bug.exit_code


def _unexpected(error: Exception) -> str:
    """An unexpected error: where it happened, without its message, which may hold cells."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    return (
        f"Bug: Sfumato stopped with {type(error).__name__} in {where}.\n"
        "  Its message is held back because it may hold values.\n"
        f"  Try reporting this, or {TRACEBACK}=1 in the environment to see all of it."
    )


def _logged(options: argparse.Namespace) -> int:
    """Run the command, and log how it ended: an exit code, or the class of an error."""
    try:
        code = int(options.run(options))
    except BaseException as error:
        LOG.info("sfumato %s ended with %s", options.command, type(error).__name__)
        raise
    LOG.info("sfumato %s ended with exit code %d", options.command, code)
    return code


def _as_dict(error: SfumatoError) -> dict[str, object]:
    """An error for programs, where JSON was asked for."""
    return {
        "error": type(error).__name__,
        "asked": error.asked,
        "found": error.found,
        "attempt": error.attempt,
        "exit_code": error.exit_code,
    }
