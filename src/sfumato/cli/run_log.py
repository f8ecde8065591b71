"""The progress of a run: stages on standard error with `-v`, and in a file with `--log`. Lines have
times, names of stages and counts; no cell value is in one."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

LOG = logging.getLogger("sfumato.run")
OWN_OUTPUT = frozenset({"accounts", "audit", "explore", "list", "reveal", "schema", "serve"})
"""Commands whose purpose is their output: none of it is omitted."""
_LINE = logging.Formatter("%(asctime)s %(message)s", datefmt="%Y-%m-%dT%H:%M:%S")

_QUIET: list[bool] = []


def is_quiet() -> bool:
    """Whether a run that prints errors only is under way."""
    return bool(_QUIET)


def add_run_options(command: argparse.ArgumentParser, name: str) -> None:
    """The options that every command has."""
    group = command.add_argument_group("what is printed")
    how = group.add_mutually_exclusive_group()
    how.add_argument(
        "-v", "--verbose", action="store_true", help="print each stage, also without a terminal"
    )
    if name not in OWN_OUTPUT:
        how.add_argument(
            "-q", "--quiet", action="store_true", help="print errors only; read the exit code"
        )
    group.add_argument(
        "--log", type=Path, metavar="FILE", help="append a line for each stage to this file"
    )
    command.add_argument_group("what is used").add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="use at most N processor cores, also in processes that it starts",
    )


@contextmanager
def logged_run(options: argparse.Namespace) -> Iterator[None]:
    """Write stages to the places that the options name, as long as the block lasts."""
    handlers = list(_handlers(options))
    for handler in handlers:
        handler.setFormatter(_LINE)
        LOG.addHandler(handler)
    before = LOG.level, LOG.propagate
    LOG.setLevel(logging.INFO if handlers else logging.WARNING)
    LOG.propagate = False
    LOG.info("sfumato %s started", options.command)
    try:
        with _quiet(options):
            yield
    finally:
        LOG.setLevel(before[0])
        LOG.propagate = before[1]
        for handler in handlers:
            LOG.removeHandler(handler)
            handler.close()


def _handlers(options: argparse.Namespace) -> Iterator[logging.Handler]:
    from sfumato.errors import TargetError
    from sfumato.files import OWNER_ONLY

    if getattr(options, "verbose", False):
        yield logging.StreamHandler(sys.stderr)
    path = getattr(options, "log", None)
    if path is None:
        return
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, OWNER_ONLY))
        yield logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        raise TargetError(
            f"The log cannot be written to {path}.",
            found=f"{error.strerror}.",
            attempt="another file with --log.",
        ) from None


@contextmanager
def _quiet(options: argparse.Namespace) -> Iterator[None]:
    """Nothing on standard output, unless JSON was asked for."""
    if not getattr(options, "quiet", False) or getattr(options, "json", False) is True:
        yield
        return
    before, sys.stdout = sys.stdout, StringIO()
    _QUIET.append(True)
    try:
        yield
    finally:
        _QUIET.pop()
        sys.stdout = before
