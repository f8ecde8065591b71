"""Arguments that several commands share: which source, read how; which policy; which key.

Words of the command line are interpreted here, once. A source is a Path where it is a file or a
folder, and a text where it is an address. An address may hold a password, so nothing prints one.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from sfumato.releases import Key

SOURCES = (
    "a file (CSV, TSV, JSON, also .gz; Parquet, Excel, DuckDB, SQLite), a folder of such "
    "files, one for each table, "
    "or an address: postgresql://host/database, spark:database.table"
)
FORMAT = ("encoding", "separator", "no_header", "rename_headers", "null_words")
OPTIONS = ("table", "schema", *FORMAT, "memory", "master", "scratch")
"""Options of engines; the declaration of an engine names those that it takes."""


class Parser(argparse.ArgumentParser):
    """A parser that does not repeat an address when it complains. Where `intermixed`, options may
    be between arguments that are optional themselves, which argparse refuses otherwise."""

    intermixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if not self.intermixed:
            return super().parse_known_args(args, namespace)
        self.intermixed = False  # It calls this method for each of its two passes.
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.intermixed = True

    def error(self, message: str) -> NoReturn:
        from sfumato.engines import without_secrets

        super().error(without_secrets(message))


def as_source(text: str) -> Path | str:
    """A path, or an address as it is written: a Path would make one slash of two."""
    from sfumato.engines import is_address

    if is_address(text):
        return text
    path = Path(text)
    return path if path.name not in ("", "..") else path.resolve()


def as_target(text: str) -> Path | str:
    """A folder, or postgresql://host/database#schema."""
    from sfumato.engines import is_postgres

    return text if is_postgres(text) else Path(text)


def as_policy(text: str) -> Path:
    from sfumato.engines import is_address

    if is_address(text):
        raise argparse.ArgumentTypeError("a policy is a file, and this is an address")
    return Path(text)


def add_source(command: argparse.ArgumentParser, *, needed: bool = True) -> None:
    command.add_argument("source", type=as_source, nargs=None if needed else "?", help=SOURCES)
    add_reading(command)


def add_policy_and_source(command: argparse.ArgumentParser, *, alone: bool = False) -> None:
    """SOURCE --policy POLICY, as other commands take them, or POLICY SOURCE; where `alone`, also a
    policy without a source. `settle_policy_and_source` decides which is which."""
    forms = ("SOURCE --policy POLICY", "POLICY SOURCE", *(("POLICY",) if alone else ()))
    command.usage = "\n       ".join(f"%(prog)s {form} [options]" for form in forms)
    command.add_argument("first", nargs="?", type=as_source, metavar="SOURCE", help=SOURCES)
    command.add_argument(
        "second",
        nargs="?",
        type=as_source,
        metavar="POLICY SOURCE",
        help="the same without --policy: the policy file first",
    )
    command.add_argument("--policy", type=as_policy, help="policy file")
    if isinstance(command, Parser):
        command.intermixed = True
    add_reading(command)


def settle_policy_and_source(options: argparse.Namespace, *, alone: bool = False) -> None:
    """Put what `add_policy_and_source` read into `policy` and `source` of the options."""
    from sfumato.errors import Mistake

    given = [each for each in (options.first, options.second) if each is not None]
    if options.policy is None and (len(given) == 2 or alone) and given:
        options.policy = given.pop(0)
    both = len(given) == 1 and options.policy is not None
    if not both and not (alone and not given and options.policy is not None):
        raise Mistake(
            f"sfumato {options.command} takes one policy and one source.",
            found="Three were given." if len(given) == 2 else "One of them is missing.",
            attempt=f"sfumato {options.command} SOURCE --policy POLICY.",
        )
    if isinstance(options.policy, str):
        raise Mistake(
            "An address was given as the policy.",
            attempt=f"a policy file: sfumato {options.command} SOURCE --policy POLICY.",
        )
    options.source = given[0] if given else None


def add_reading(command: argparse.ArgumentParser) -> None:
    """How a source is read, whatever it is."""
    reading = command.add_argument_group("how the source is read")
    add_engine(reading)
    reading.add_argument("--table", default="", help="table of a database, or sheet of a workbook")
    reading.add_argument(
        "--schema", default="", help="schema of a PostgreSQL database (default: public)"
    )
    add_format(reading)
    reading.add_argument(
        "--memory",
        default="",
        help="memory limit, beyond which the engine spills to disk (default: 3GB; DuckDB begins with half)",
    )
    reading.add_argument(
        "--master", default="", help="a Spark cluster, such as spark://host:7077, or yarn"
    )
    reading.add_argument(
        "--scratch", default="", help="a folder that all workers of a Spark cluster can read"
    )


def add_engine(reading: argparse._ArgumentGroup) -> None:
    reading.add_argument(
        "--engine",
        default="",
        metavar="NAME",
        help="one of `sfumato list engines` (default: by the source, DuckDB for files)",
    )


def add_format(reading: argparse._ArgumentGroup) -> None:
    """How files of text are read. A policy can have the same options."""
    reading.add_argument("--encoding", default="", help="encoding of CSV files (default: detected)")
    reading.add_argument(
        "--separator",
        default="",
        type=as_separator,
        help="separator of CSV files (default: detected)",
    )
    reading.add_argument(
        "--no-header",
        action="store_true",
        help="the first line of a CSV file or sheet is a row, not a header",
    )
    reading.add_argument(
        "--rename-headers",
        action="store_true",
        help="change names of fields that are missing, repeated or too long",
    )
    reading.add_argument(
        "--null-words",
        type=as_words,
        default=(),
        metavar="NA,?",
        help="words in cells that mean a missing value",
    )


def as_separator(text: str) -> str:
    """One character; `tab` and `\\t` for a tab, which is hard to type."""
    return "\t" if text.lower() in ("tab", "\\t") else text


def as_words(text: str) -> tuple[str, ...]:
    """Words between commas, blanks around them aside."""
    return tuple(word.strip(" ") for word in text.split(","))


def add_policy(command: argparse.ArgumentParser, *, otherwise: str = "") -> None:
    place = "SOURCE.policy.toml beside the data; DATABASE.policy.toml here for an address"
    command.add_argument(
        "--policy", type=as_policy, help=f"policy file (default: {place}{otherwise})"
    )


def source_options(options: argparse.Namespace) -> dict[str, Any]:
    """The engine and its options, for `release` and `open_source`; an option that it does not take
    is an error."""
    from sfumato.engines import ENGINES, engine_for
    from sfumato.errors import Mistake
    from sfumato.parts import with_question

    engine = options.engine or engine_for(options.source)
    if engine not in ENGINES:
        raise Mistake(
            f"The engine {engine!r} was asked for.",
            found=with_question("There is none of that name.", engine, tuple(ENGINES)),
            attempt=f"one of {', '.join(ENGINES)}.",
        )
    given = {name: getattr(options, name) for name in OPTIONS if getattr(options, name)}
    strange = [_option(name) for name in given if name not in ENGINES[engine].options]
    if strange:
        known = ", ".join(map(_option, ENGINES[engine].options))
        raise Mistake(f"The engine {engine} takes no {' or '.join(strange)}.", attempt=f"{known}.")
    if given.pop("no_header", False):
        given["header"] = False
    return {"engine": engine, **given}


def reading_options(options: argparse.Namespace) -> str:
    """The options by which the source was read, to be given again with it."""
    out = [f"--engine {options.engine}"] if options.engine else []
    for name in ("table", "schema", *FORMAT):
        value = getattr(options, name)
        text = ",".join(value) if isinstance(value, list | tuple) else str(value)
        if value:
            out.append(_option(name) if value is True else f"{_option(name)} {shlex.quote(text)}")
    return "".join(f" {each}" for each in out)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def database_options(options: argparse.Namespace) -> dict[str, Any]:
    """The same for `open_database`, which opens every table."""
    from sfumato.errors import Mistake

    if options.table:
        raise Mistake(
            f"One table, {options.table}, was asked for, and the policy is for several.",
            attempt="leaving --table out, or a policy for it alone with --policy.",
        )
    return {name: value for name, value in source_options(options).items() if name != "table"}


def policy_place(options: argparse.Namespace) -> Path:
    """The policy file that was named, or the one that belongs to the source."""
    from sfumato.releases import beside

    return options.policy or beside(options.source)


def default_target(source: Path | str) -> Path:
    """The default folder of a release: SOURCE-release beside the data, DATABASE-release here for an
    address."""
    from sfumato.engines import name_of_address

    if isinstance(source, str):
        return Path(f"{name_of_address(source)}-release")
    from sfumato.engines import stem_of

    return source.parent / f"{stem_of(source)}-release"


def add_json(command: argparse.ArgumentParser, *, what: str = "the result") -> None:
    command.add_argument("--json", action="store_true", help=f"print {what} as JSON, for programs")


def print_json(facts: object) -> None:
    import json

    print(json.dumps(facts, indent=2, ensure_ascii=False, default=str))


def print_line(facts: object) -> None:
    """One line of JSON, sent at once: for commands that keep running."""
    import json

    print(json.dumps(facts, ensure_ascii=False, default=str), flush=True)


def add_key(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--key",
        type=Path,
        help="key file for pseudonyms (see: sfumato key); otherwise $SFUMATO_KEY",
    )


def given_key(options: argparse.Namespace) -> Key | None:
    """The key from --key, or from the environment, or none."""
    import os

    from sfumato.releases import Key

    if options.key is not None:
        return Key.from_file(options.key)
    return Key.from_environment("SFUMATO_KEY") if os.environ.get("SFUMATO_KEY") else None


def add_made_table(
    command: argparse.ArgumentParser,
    *,
    section: str,
    epsilon: str,
    printed: str,
    needs_source: bool = True,
    drafts: bool = False,
) -> None:
    """The arguments of `synthesize` and `tabulate`: a source, the file of their section, and a
    folder. With `drafts`, a draft is written where no file is given."""
    add_source(command, needed=needs_source)
    without = "; without it a draft is written" if drafts else ""
    command.add_argument(
        "--policy", type=Path, required=not drafts, help=f"file with {section}{without}"
    )
    command.add_argument("--to", type=Path, required=not drafts, help="new folder for the table")
    command.add_argument("--epsilon", type=float, help=f"{epsilon}, in place of the policy's")
    command.add_argument(
        "--format",
        choices=("csv", "parquet"),
        default="csv",
        help="format of the table (default: csv)",
    )
    command.add_argument("--replace", action="store_true", help="replace an earlier table")
    add_json(command, what=printed)


def made_table_keywords(options: argparse.Namespace) -> dict[str, Any]:
    """The same as keywords of `synthesize` and `tabulate`."""
    return {
        "to": options.to,
        "epsilon": options.epsilon,
        "file_format": options.format,
        "replace": options.replace,
        **(source_options(options) if options.source is not None else {}),
    }
