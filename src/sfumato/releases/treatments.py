"""The treatment of each field besides recoding: replaced, shifted, removed or kept, as plan and in
words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.bins import Bins, GlobalRecoding
from sfumato.engines import Engine, Lookup
from sfumato.hierarchies import Hierarchy
from sfumato.policy import Field, Method, Policy, Role, ScrubPolicy, encrypted_fields, is_released
from sfumato.solvers import Solution

from .dates import describe_shift, shift_lookups
from .identifiers import Key, Replacer, constant_of, constant_words, replacement_lookup
from .texts.treatment_words import scrubbed_words

KEPT = "kept as it is"
BY_BIN = "generalised bin by bin"
NUMBERED = "replaced by a number drawn at random, the same throughout this release and no other"
LONGEST_NUMBER = 18  # Numbers have a digit more, which 64 bits still hold.


@dataclass(slots=True)
class Treatments:
    """The released fields, their lookups, and the words about each; `root` is the key from which
    all others are derived."""

    fields: list[str] = field(default_factory=list)
    lookups: list[Lookup] = field(default_factory=list)
    constants: dict[str, str | None] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    replaced: list[str] = field(default_factory=list)
    replacers: dict[str, Replacer] = field(default_factory=dict)
    root: Key = field(default_factory=Key.generate, repr=False)


def treat(
    engine: Engine, policy: Policy, *, key: Key | None, lookup_file: Path | None
) -> Treatments:
    """Go through the source's fields once; recoded fields get their words later, from the
    solution."""
    out = Treatments(root=key or Key.generate())
    for info in engine.fields():
        decided = policy.fields.get(info.name)
        if decided is None:
            out.words[info.name] = "removed: the policy does not name it"
        elif decided.role is Role.DIRECT and info.name not in encrypted_fields(policy):
            _direct(out, engine, decided, key=key, lookup_file=lookup_file)
        elif decided.role is Role.TEXT:
            out.words[info.name] = text_words(policy, decided)
            out.fields += [info.name] if is_released(policy, info.name) else []
        else:
            out.fields.append(info.name)
            out.words[info.name] = KEPT
    shifts = {
        name: item.shift
        for name, item in policy.fields.items()
        if item.shift and name in out.fields
    }
    if shifts:
        out.lookups.extend(shift_lookups(engine, shifts, key=out.root))
        out.words |= {
            name: describe_shift(shift, kept=key is not None) for name, shift in shifts.items()
        }
    return out


def _direct(
    out: Treatments, engine: Engine, decided: Field, *, key: Key | None, lookup_file: Path | None
) -> None:
    method = decided.replace.method if decided.replace else Method.REMOVE
    name = decided.name
    if method is Method.REMOVE:
        out.words[name] = "removed"
        return
    out.fields.append(name)
    if decided.replace is not None and decided.replace.leaves_a_constant:
        out.constants[name] = constant_of(decided.replace)
        out.words[name] = constant_words(decided.replace)
        return
    if method is Method.NUMBER:
        out.lookups.append(engine.numbers(name, start=number_start(engine, name)).lookup(name))
        out.replaced.append(name)
        out.words[name] = NUMBERED
        return
    lookup, replacer = replacement_lookup(engine, decided, key=key, lookup_file=lookup_file)
    out.lookups.append(lookup)
    out.replaced.append(name)
    out.replacers[name] = replacer
    out.words[name] = replacer.describe()


def text_words(policy: Policy, decided: Field) -> str:
    """The treatment of a text field, whose lookup is made when everything else is known."""
    if not is_released(policy, decided.name):
        return "removed: free text"
    return scrubbed_words(decided.scrub or ScrubPolicy())


def number_start(engine: Engine, name: str) -> int:
    """Numbers in place of a key start where they are longer than every key, so that none is taken
    for one."""
    _, longest = engine.lengths(name)
    return int(10 ** min(longest, LONGEST_NUMBER))


def recoding_words(
    solution: Solution, bins: Bins, hierarchies: Mapping[str, Hierarchy]
) -> dict[str, str]:
    """The effect of the recoding on each field, in words."""
    recoding = solution.recoding
    out = {}
    for column, name in enumerate(bins.fields):
        hierarchy = hierarchies[name]
        if isinstance(recoding, GlobalRecoding):
            level = recoding.levels.get(name, 0)
            out[name] = _level_words(hierarchy, level)
        else:
            rows = recoding.rows[~recoding.suppressed]
            changed = int(rows[recoding.changed(bins)[~recoding.suppressed, column]].sum())
            out[name] = (
                f"generalised in {changed} of {int(rows.sum())} rows"
                if changed
                else "kept as it is"
            )
    return out


_IN_SOME_ROWS = re.compile(r"generalised in (\d+) of (\d+) rows")
_TO_LEVEL = re.compile(r"\(level (\d+) of \d+\)")


def is_shown_at(words: str, level: int) -> bool:
    """Whether a field with these words shows labels of this level or finer ones, in all rows or at
    least in half of them.

    Example:
        >>> is_shown_at(KEPT, 0), is_shown_at("generalised to year (level 2 of 4)", 1)
        (True, False)
        >>> [is_shown_at(f"generalised in {rows} of 40 rows", 0) for rows in (3, 30)]
        [True, False]
    """
    some = _IN_SOME_ROWS.match(words)
    if some is not None:
        return 2 * int(some[1]) <= int(some[2])
    whole = _TO_LEVEL.search(words)
    return words == KEPT or (whole is not None and int(whole[1]) <= level)


def _level_words(hierarchy: Hierarchy, level: int) -> str:
    start = hierarchy.start
    if level + start == 0:
        return KEPT
    if level == hierarchy.height and hierarchy.ends_in_one_value:
        return "suppressed in every row"
    return (
        f"generalised to {hierarchy.level_name(level)} (level {level + start} of "
        f"{hierarchy.height + start})"
    )
