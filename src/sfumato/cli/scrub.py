"""`sfumato scrub`: replace the personal references in letters, notes and text fields; find them;
put them back."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .shared_arguments import add_key, given_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.scrubbing import ScrubbedFiles
    from sfumato.scrubbing.review import ReviewDecisions
    from sfumato.text import Decision, Document

STYLES = {"surrogates": "surrogate", "tags": "tag", "masks": "mask", "suppress": "suppress"}
"""The command's name of each style, and that of the text room."""


def configure(command: argparse.ArgumentParser) -> None:
    command.epilog = (
        "Texts in English are read. A text in another language ends in review (exit code 3): "
        "names and places are missed in it, and a person must read it."
    )
    command.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="files, and folders of files"
    )
    command.add_argument(
        "--to", type=Path, metavar="DIR", help="a new folder for the scrubbed files"
    )
    command.add_argument("--replace", action="store_true", help="replace earlier files")
    add_key(command)
    command.add_argument(
        "--jobs",
        type=int,
        default=0,
        metavar="N",
        help="number of processes (default: as many as are useful)",
    )
    command.add_argument(
        "--json", action="store_true", help="print the result, or the findings, as JSON"
    )
    _configure_masking(command.add_argument_group("what is masked, and what is put there"))
    _configure_reading(command.add_argument_group("whose texts, and how files are read"))
    checking = command.add_argument_group(
        "for the person who checks, and the way back; all of it holds originals"
    )
    checking.add_argument(
        "--review",
        type=Path,
        metavar="DIR",
        help="write a page and a review file, to read and correct",
    )
    checking.add_argument(
        "--apply",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="apply a corrected review file",
    )
    checking.add_argument(
        "--mapping",
        type=Path,
        metavar="FILE",
        help="write the originals of all replacements, for --reverse",
    )
    checking.add_argument(
        "--reverse",
        type=Path,
        metavar="FILE",
        help="restore the originals: PATH is the scrubbed folder",
    )
    command.add_argument(
        "--compare",
        action="store_true",
        help="compare search, search with cues, rules and all detectors on these files; writes "
        "nothing",
    )
    command.add_argument(
        "--find",
        type=Path,
        metavar="CORPUS",
        help='print what would be masked in a JSON list of {"id", "text"}; writes nothing',
    )


def _configure_masking(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--purpose",
        choices=("everything", "direct", "singling-out"),
        default="singling-out",
        help="mask all findings, direct identifiers only, or these and findings that single people out "
        "(default)",
    )
    group.add_argument(
        "--style",
        choices=tuple(STYLES),
        default="surrogates",
        help="what replaces a reference (default: surrogates)",
    )
    group.add_argument(
        "--dates",
        choices=("shift", "month", "year", "suppress"),
        default="shift",
        help="shift dates, cut them to month or year, or suppress them (default: shift)",
    )
    group.add_argument(
        "--places",
        choices=("like", "region"),
        default="like",
        help="replace by another place of similar size, or by the region",
    )
    group.add_argument(
        "--unsure",
        choices=("tag", "surrogate", "keep"),
        default="tag",
        help="names, places and numbers that are not certain: [NAME?] (default), a surrogate, or "
        "unchanged",
    )
    group.add_argument(
        "--keep",
        type=_words,
        default=("gender",),
        metavar="A,B",
        help="what surrogates of names keep: gender (default), initials, origin, none",
    )
    group.add_argument(
        "--day-first",
        action="store_true",
        help="read 05/06/07 as the fifth of June where no other date decides",
    )
    group.add_argument(
        "--threshold",
        type=_threshold,
        action="append",
        default=[],
        metavar="KIND=0.4",
        help="mask findings of a kind from this score on",
    )
    group.add_argument(
        "--detectors",
        choices=("rules", "crf", "transformer"),
        help="detectors to use: rules, these with crf, or with the transformer too (default where "
        "the extra text is installed, else crf)",
    )
    group.add_argument(
        "--pattern",
        type=_named,
        action="append",
        default=[],
        metavar="NAME[:KIND]=REGEX",
        help="a pattern of your own: all that it matches is masked",
    )
    group.add_argument(
        "--lexicon",
        type=_lexicon,
        action="append",
        default=[],
        metavar="FILE[:KIND]",
        help="a list of staff, wards or study names, one for each line: masked wherever it occurs",
    )
    group.add_argument(
        "--template",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="lines of your own forms with slots: Patient: {name}, MRN {record number}",
    )
    group.add_argument(
        "--words",
        type=_named,
        action="append",
        default=[],
        metavar="NAME[:KIND]=FILE",
        help="a word list of your own: every line of the file is masked where it occurs as "
        "whole words",
    )


def _configure_reading(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--columns",
        type=_words,
        default=(),
        metavar="A,B",
        help="columns of tables, or keys of JSON lines, to scrub (default: all)",
    )
    group.add_argument(
        "--person-column",
        default="",
        metavar="FIELD",
        help="field that identifies the person of a row of a table",
    )
    group.add_argument(
        "--person-from",
        default="file",
        metavar="HOW",
        help="what identifies the person of a file: folder, file, or a pattern with a group",
    )
    group.add_argument(
        "--known",
        type=Path,
        metavar="CSV",
        help="a register of people: a person column, and columns named after kinds",
    )
    group.add_argument(
        "--policy",
        type=Path,
        help="policy of the tables that these letters belong to; --known is then the table of people",
    )
    group.add_argument("--encoding", default="", help="encoding of text files that declare none")
    group.add_argument(
        "--names",
        choices=("numbered", "kept"),
        default="numbered",
        help="names of the written files (default: numbered)",
    )
    group.add_argument(
        "--skip-unknown", action="store_true", help="leave out files of unknown formats"
    )


def run(options: argparse.Namespace) -> int:
    if options.find is not None:
        return _find(options)
    if options.compare:
        return _compare(options)
    from sfumato.errors import Mistake

    if options.to is None or not options.paths:
        raise Mistake(
            "Scrubbing needs files and a folder to write to.",
            attempt="sfumato scrub PATH --to DIR.",
        )
    if options.reverse is not None:
        return _reverse(options)
    return _scrub(options)


def _find(options: argparse.Namespace) -> int:
    """The masks, as {"id": [[start, end, kind, score, detector], ...]}; nothing else on stdout."""
    from sfumato.scrubbing import find_in_corpus, looking_for

    from .progress import counted

    looking = looking_for(
        purpose=options.purpose,
        thresholds=dict(options.threshold),
        detectors=options.detectors,
        patterns=_each_once(options.pattern, "--pattern"),
        words=_own_words(options),
        templates=_templates(options),
    )
    opening = "{\n"
    with counted("texts searched") as done:
        for number, (name, spans) in enumerate(
            find_in_corpus(options.find, looking, jobs=options.jobs), start=1
        ):
            print(opening, json.dumps(name), ": ", json.dumps(spans), sep="", end="")
            opening = ",\n"
            done(number)
    print("\n}" if opening != "{\n" else "{}")
    return 0


def _compare(options: argparse.Namespace) -> int:
    """How much each way masks of what any of them masks, by kind."""
    from sfumato.scrubbing import compare_ways, looking_for, read_known

    from .scrub_text import show_comparison

    looking = looking_for(
        purpose=options.purpose,
        thresholds=dict(options.threshold),
        detectors=options.detectors,
        patterns=_each_once(options.pattern, "--pattern"),
        words=_own_words(options),
        templates=_templates(options),
    )
    compared = compare_ways(
        options.paths,
        looking=looking,
        known=read_known(options.known) if options.known is not None else None,
        person_from=options.person_from,
    )
    show_comparison(compared, as_json=options.json)
    return 0


def _own_words(options: argparse.Namespace) -> dict[str, str]:
    return _each_once([*options.words, *options.lexicon], "--words or --lexicon")


def _templates(options: argparse.Namespace) -> dict[str, str]:
    return {
        f"template {number}": str(path) for number, path in enumerate(options.template, start=1)
    }


def _reverse(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.errors import Mistake
    from sfumato.scrubbing import reverse_files

    if len(options.paths) != 1:
        raise Mistake(
            "Originals are put back into one folder of scrubbed files.", attempt="one PATH."
        )
    count = reverse_files(options.reverse, options.paths[0], to=options.to)
    Console().print(
        f"Wrote {count:,} files with their originals to {options.to}. They identify people again.",
        highlight=False,
        markup=False,
    )
    return 0


def _scrub(options: argparse.Namespace) -> int:
    from sfumato.errors import TargetError
    from sfumato.scrubbing import scrub

    from .progress import counted_stages
    from .release_text import EXIT
    from .scrub_text import show_scrubbed

    if options.review is not None and (
        options.review.exists() or not options.review.absolute().parent.is_dir()
    ):
        raise TargetError(
            f"{options.review} exists, or cannot be made.",
            attempt="a new name in a folder that exists.",
        )
    review = _Review(options.apply) if options.apply else None
    with counted_stages() as progress:
        made = scrub(
            options.paths,
            to=options.to,
            key=given_key(options),
            purpose=options.purpose,
            style=_style(options),
            thresholds=dict(options.threshold),
            detectors=options.detectors,
            patterns=_each_once(options.pattern, "--pattern"),
            words=_own_words(options),
            templates=_templates(options),
            columns=options.columns,
            person_column=options.person_column,
            person_from=options.person_from,
            encoding=options.encoding,
            known=options.known,
            policy=options.policy,
            names=options.names,
            mapping=options.mapping,
            skip_unknown=options.skip_unknown,
            replace=options.replace,
            jobs=options.jobs,
            reviews=options.review is not None,
            decide=review,
            checked=review.facts if review is not None else None,
            progress=progress,
        )
    page = _write_review(made, options) if options.review is not None else None
    show_scrubbed(
        made,
        as_json=options.json,
        page=page,
        more=(
            *(review.warnings() if review is not None else ()),
            *_without_transformer(options.detectors),
        ),
    )
    return EXIT[made.outcome]


def _without_transformer(asked: str | None) -> tuple[str, ...]:
    """A word where no detectors were named and the extra of the transformer is missing."""
    from sfumato.text.detectors import Detectors, usual_set

    if asked is not None or usual_set() is Detectors.TRANSFORMER:
        return ()
    return (
        "Read without the transformer, which finds more names, places and bodies: install the extra "
        "text, or name --detectors crf.",
    )


class _Review:
    """A corrected review, asked for its decisions when the documents are known."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._applied: ReviewDecisions | None = None

    def __call__(self, documents: Sequence[Document]) -> Sequence[Sequence[Decision]]:
        from sfumato.scrubbing.review import apply_review

        self._applied = apply_review(self._files, documents)
        return self._applied.decisions

    def facts(self) -> dict[str, Any]:
        """The manifest's record of a review: who checked, and how many findings they changed."""
        done = self._applied
        if done is None:
            return {}
        return {
            "reviewers": list(done.reviewers),
            "masked_more": done.masked_more,
            "kept_more": done.kept_more,
            "kinds_changed": done.kinds_changed,
        }

    def warnings(self) -> list[str]:
        open_files = self._applied.open_to_others if self._applied is not None else ()
        return [
            f"{path} holds originals and may be read by others than its owner: chmod 600."
            for path in open_files
        ]


def _write_review(made: ScrubbedFiles, options: argparse.Namespace) -> Path:
    from sfumato.scrubbing.review import write_review

    documents, scrubbed = made.for_review()
    apart = (made.folder, *(path for path in options.paths if path.is_dir()))
    return write_review(options.review, documents, scrubbed, purpose=made.purpose, apart_from=apart)


def _style(options: argparse.Namespace) -> Any:
    from sfumato.errors import Mistake
    from sfumato.text.surrogates import (
        DateStyle,
        PlaceStyle,
        ReplacementMethod,
        Style,
        Trait,
        UnsureStyle,
    )

    try:
        keep = frozenset(Trait(word) for word in options.keep if word != "none")
    except ValueError:
        raise Mistake(
            "Names have no such trait to keep.", attempt=f"{', '.join(Trait)}, or none."
        ) from None
    return Style(
        method=ReplacementMethod(STYLES[options.style]),
        keep=keep,
        dates=DateStyle(options.dates),
        places=PlaceStyle(options.places),
        day_first=options.day_first,
        unsure=UnsureStyle(options.unsure),
    )


def _named(text: str) -> tuple[str, str]:
    name, mark, what = text.partition("=")
    if not mark or not name.strip() or not what:
        raise argparse.ArgumentTypeError(
            "a name, perhaps a kind, and what is looked for, as in ward=W-[0-9]+"
        )
    return name.strip(), what


def _lexicon(text: str) -> tuple[str, str]:
    """A list named after its file, with its kind: "staff.txt:name"."""
    path, mark, kind = text.rpartition(":")
    if not mark or "/" in kind or "." in kind:
        path, kind = text, ""
    name = "".join(each if each.isalnum() else " " for each in Path(path).stem).strip() or "list"
    return f"{name[:40]}:{kind}" if kind else name[:40], path


def _each_once(given: Sequence[tuple[str, str]], option: str) -> dict[str, str]:
    from sfumato.errors import Mistake

    names = [name.partition(":")[0].strip() for name, _ in given]
    if len(set(names)) < len(names):
        raise Mistake(
            f"{option} was given several times.",
            found="Two have the same name.",
            attempt="a name for each.",
        )
    return dict(given)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _threshold(text: str) -> tuple[str, float]:
    kind, _, least = text.rpartition("=")
    try:
        return kind.strip(), float(least)
    except ValueError:
        raise argparse.ArgumentTypeError(
            "a threshold is a kind and a number, as in name=0.4"
        ) from None
