"""Adding made-up rows, which dilute the real ones and keep aggregate properties (Sweeney 2000, Fig.
14, "add tuples")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake, Problem
from sfumato.parts import Shape, parameter
from sfumato.policy import (
    Order,
    Policy,
    PolicyStep,
    Role,
    TechniqueDeclaration,
    Wants,
    is_released,
    never,
)
from sfumato.wording import counted

from .cells import Cells, Column
from .fresh_identifiers import fresh
from .keyed_random import KeyedRandom, Wholes
from .like_rows import like_rows
from .row_groups import RowGroups
from .step_result import StepContext, StepResult

Codes = NDArray[np.int64]

_ROUNDS = 4
_LAST_ROUNDS = 40
_MOSTLY = 0.5
_METHODS = {
    "together": "each field drawn from one of {k} or more rows that are like one another",
    "each": "each field drawn from all rows by itself",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedRows:
    """The number of added rows, and the rows that they are drawn from."""

    share: float = parameter("made-up rows for each row", above=0, most=100, example="0.5")
    method: str = parameter(
        "each field drawn by itself, or fields drawn together from like rows",
        default="together",
        words=("together", "each"),
    )
    k: int = parameter("together: like rows to draw from, at least", default=8, least=3)


def rows_added(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Rows that are nobody's, after the others; the policy sets any order other than the source's.

    Their values are those of real rows. Each field's value is taken from another row of the same
    group of like rows (`together`) or of the table (`each`), as often as the group has it. Shares
    of every field stay as they are, and with `together` so do relations between fields, as fine as
    the groups. Fields that follow one another are taken from one row. No made-up row equals a real
    one in all of its fields; where that is impossible, fewer are added, and counted. Names of a
    person, a household or a row are made up new, in the form that they have in the source."""
    policy, chance = around.policy, around.chance
    new, blocks = _fields(policy, cells)
    wanted = round(step.number("share") * len(cells))
    if len(cells) < 2 or len(blocks) < 2:
        raise Mistake(
            "Made-up rows were asked for.",
            found=f"{counted(len(cells), 'row')} and {counted(len(blocks), 'field')} to draw are "
            "too "
            "few: they would be copies.",
            attempt="leaving the step out, or a table with two rows and two fields at least.",
        )
    drawn = [name for block in blocks for name in block]
    codes = np.stack([cells.codes(name)[0] for name in drawn], axis=1)
    everyone = np.zeros(len(cells), np.int64)
    likes = (
        like_rows(cells, drawn, step.whole("k"), chance)
        if step.word("method") == "together"
        else (everyone,)
    )
    sources, base = _sources(wanted, RowGroups.of_groups(likes[0]), len(blocks), chance)
    block_of = np.array([number for number, block in enumerate(blocks) for _ in block])
    sources, base = _without_copies(sources, base, codes, block_of, likes, chance)
    columns = _columns(cells, blocks, sources, base, new, chance)
    added = len(base)
    warnings = _warnings(cells, policy, columns, new, wanted=wanted, added=added)
    shown = [
        name
        for name in drawn
        if is_released(policy, name) and name not in _changed_later(policy, step)
    ]
    warnings += _told_apart(cells, columns, shown)
    said = _METHODS[step.word("method")].format(k=step.whole("k"))
    told = f"{added} made-up rows were added ({said}); shares are about the same, counts are larger"
    words = {name: told for name in (*drawn, *new) if is_released(policy, name)}
    facts = {"rows_added": added, "share_made_up": round(added / max(len(cells) + added, 1), 4)}
    return StepResult(
        cells=cells.with_made_up(columns), words=words, facts=facts, warnings=warnings
    )


def _fields(policy: Policy, cells: Cells) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The fields with new values, and the others in blocks that are copied from one row: a leader
    and its followers."""
    new, blocks = [], dict[str, list[str]]()
    for name in cells.columns:
        field = policy.fields.get(name)
        if name in (policy.entity, policy.household):
            new.append(name)
        elif field is not None and field.role is Role.DIRECT:
            new += [name] if is_released(policy, name) else []
        elif field is not None and field.role is not Role.TEXT:
            blocks.setdefault(field.follows or name, []).append(name)
    return tuple(new), [tuple(block) for block in blocks.values()]


def _sources(
    wanted: int, grouping: RowGroups, blocks: int, chance: KeyedRandom
) -> tuple[Codes, Wholes]:
    """For each made-up row the row that each block is copied from, and the real row in whose group
    it is.

    Of every group as many are made as its share of rows; within a group each block is drawn without
    replacement, so that its values keep their frequencies."""
    many = len(grouping.of)
    whole, rest = divmod(wanted, many)
    bases = [np.arange(many)] * whole
    part = np.flatnonzero(grouping.part(rest / many, chance)) if rest else np.zeros(0, np.int64)
    passes = [*bases, part[chance.permutation(len(part))][:rest]]
    sources = [
        np.stack([grouping.shuffled(chance)[base] for _ in range(blocks)], axis=1)
        for base in passes
    ]
    return np.concatenate(sources), np.concatenate(passes)


def _without_copies(
    sources: Codes,
    base: Wholes,
    codes: Codes,
    block_of: Wholes,
    likes: tuple[Wholes, ...],
    chance: KeyedRandom,
) -> tuple[Codes, Wholes]:
    """Made-up rows that equal a real row get a block from another row of their group, then from
    ever larger groups, in the end from any row; what still equals one is left out."""
    columns = np.arange(len(block_of))
    factors = chance.words(len(block_of)) | np.uint64(1)
    real = np.unique((codes.astype(np.uint64) * factors).sum(axis=1))

    def copies(rows: Wholes) -> NDArray[np.bool_]:
        """Equal rows have equal sums; others that do, one in 2^40 pairs or fewer, are drawn again
        without need."""
        made = (codes[sources[rows][:, block_of], columns].astype(np.uint64) * factors).sum(axis=1)
        return np.asarray(real[np.minimum(np.searchsorted(real, made), len(real) - 1)] == made)

    bad = np.flatnonzero(copies(np.arange(len(base))))
    for number, groups in enumerate(likes):
        grouping = RowGroups.of_groups(groups) if len(bad) else None
        for _ in range(_ROUNDS if number + 1 < len(likes) else _LAST_ROUNDS):
            if grouping is None or not len(bad):
                break
            block = chance.integers(sources.shape[1], len(bad))
            sources[bad, block] = grouping.anyone(base[bad], chance)
            bad = bad[copies(bad)]
    keep = np.ones(len(base), bool)
    keep[bad] = False
    return sources[keep], base[keep]


def _columns(
    cells: Cells,
    blocks: list[tuple[str, ...]],
    sources: Codes,
    base: Wholes,
    new: tuple[str, ...],
    chance: KeyedRandom,
) -> dict[str, Column]:
    out = {name: np.full(len(base), None, object) for name in cells.columns}
    for number, block in enumerate(blocks):
        out |= {name: cells.columns[name][sources[:, number]] for name in block}
    return out | {
        name: fresh(cells.columns[name], base, cells.kinds.get(name), chance) for name in new
    }


def _changed_later(policy: Policy, step: PolicyStep) -> set[str]:
    later = policy.steps[policy.steps.index(step) + 1 :] if step in policy.steps else ()
    return {name for one in later for name in one.fields}


def _told_apart(cells: Cells, columns: dict[str, Column], shown: list[str]) -> tuple[str, ...]:
    """A value of a made-up row is always some real row's too: a row with a value that no other row
    has is real. Where that is most of the real rows, those without one are found to be made up."""
    alone = np.zeros(len(cells), bool)
    for name in shown:
        codes, labels = cells.codes(name)
        again = {label for label in columns[name].tolist() if label is not None}
        once = np.bincount(codes, minlength=len(labels)) == 1
        once &= np.array(
            [label is not None and label not in again for label in labels.tolist()], bool
        )
        alone |= once[codes]
    if not len(cells) or alone.mean() <= _MOSTLY:
        return ()
    return (
        "Most real rows have a value that no other row has, and no made-up row does: counting "
        "values distinguishes "
        "them. Try share = 1.0, with which every value is in a made-up row too, or "
        "rounding before this step.",
    )


def _warnings(
    cells: Cells,
    policy: Policy,
    columns: dict[str, Column],
    new: tuple[str, ...],
    *,
    wanted: int,
    added: int,
) -> tuple[str, ...]:
    out = [
        f"Requirements count made-up rows like others: {added} of {len(cells) + added} rows "
        "belong to nobody."
    ]
    if added < wanted:
        out.append(
            f"{wanted - added} of {wanted} made-up rows were left out, because they would "
            "have been equal to real ones."
        )
    for name in new:
        before = float(cells.is_null(name).mean())
        nulls = sum(cell is None for cell in columns[name].tolist()) / max(added, 1)
        if nulls > before + 0.05:
            out.append(
                f"{name} is empty in many made-up rows, which reveals that they are made up."
            )
    if policy.entity in new and len(set(cells.columns[str(policy.entity)].tolist())) < len(cells):
        out.append(
            "Each made-up row is a person of one row, and people of the source have several."
        )
    return tuple(out)


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    asked: AddedRows = step.settings
    if policy.order is Order.KEEP:
        yield Problem(
            where="order",
            found="Made-up rows follow the others, so that the order of the source reveals them.",
            attempt='order = "scramble".',
        )
    if asked.method == "each" and asked.k != step.declaration.parameter("k").default:
        yield Problem(
            where=f"{where}.k",
            found='It is about like rows, and method = "each" looks for none.',
            attempt='leaving it out, or method = "together".',
        )


_LINKED = frozenset({Shape.SEVERAL_TABLES, Shape.ACROSS_TABLES})

DECLARATION = TechniqueDeclaration(
    key="add_rows",
    doc="made-up rows are added",
    title="adding tuples",
    record=AddedRows,
    apply=rows_added,
    check=_check,
    wants=Wants.NOTHING,
    fields=(0, 0),
    draws=never,
    adds_rows=True,
    trials=({"share": 0.1}, {"share": 0.5}, {"share": 1.0}),
    shapes=frozenset(Shape) - _LINKED,
    reasons=dict.fromkeys(
        _LINKED, "a made-up row has no key and no link, so that it can be recognised"
    ),
)
