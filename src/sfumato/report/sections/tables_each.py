"""Table by table: the account of its rows, the treatment of its fields, and what its rows and sets
no longer disclose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..markup import Html, bullets, figure, folded, join, section, table, tag
from ..number_text import counted, listed, number, percent, share_of
from ..tables_diagram import bar_of_rows
from ..tables_facts import RowCountFacts, SetFacts, TableFacts, TablesFacts
from ..tables_readings import Kind, RowCountRange, kinds, listed_numbers, people_below

_OPEN = 16


def each(facts: TablesFacts, charts: Mapping[str, Html]) -> Html:
    return section(
        "each",
        "Table by table",
        tag(
            "p",
            "Rows are left out of a table for four reasons: their parent row is left out; "
            "too few people share their quasi-identifiers; the number of rows that someone "
            "has would identify them; or because they belong to no person.",
        ),
        *_how_to_read(facts, charts),
        *(
            _one(found, charts.get(f"rows-{at}"), at=at, whose=_whose(found, kind))
            for at, (found, kind) in enumerate(
                zip(facts.tables, kinds(facts), strict=True), start=1
            )
        ),
        tag(
            "p",
            "Roles: direct names a person; quasi may be known from elsewhere and, with "
            "others, point to one; sensitive must not be learned of a person; insensitive is "
            "neither; text is free text.",
            class_="fine",
        ),
    )


def _how_to_read(facts: TablesFacts, charts: Mapping[str, Html]) -> list[Html]:
    """A note on every table is given once, and only where a table has it."""
    said = []
    if any(found.row_counts is not None for found in facts.tables):
        said.append(NUMBERS + (CHARTS if charts else ""))
    if any(found.sets for found in facts.tables):
        said.append(LOSS)
    return [tag("p", words) for words in said]


def _whose(found: TableFacts, kind: Kind) -> str:
    if kind == "person":
        return (
            "The person's table, one row for each"
            if found.key
            else "The person's table, several rows for each"
        )
    return "Rows of people" if kind == "people" else "Rows of nobody, to look things up in"


def _one(found: TableFacts, chart: Html | None, *, at: int, whose: str) -> Html:
    facts = [whose, f"released as {found.file}"]
    facts += [f"key {found.key}"] if found.key else []
    facts += [f"{own} links to {target}" for own, target in found.links]
    parts = [
        tag("h3", found.name),
        tag("p", " · ".join(facts), class_="fine"),
        *_rows(found),
        _fields(found),
    ]
    if found.row_counts is not None:
        parts.append(row_counts(found.row_counts, chart))
    if found.sets:
        parts.append(sets(found.sets))
    return tag("div", *parts, class_="each", id=f"table-{at}")


def _rows(found: TableFacts) -> list[Html]:
    if not found.rows_source:
        return [tag("p", "The source holds no row of it.")]
    if found.rows_released == found.rows_source:
        return [
            tag("p", f"All of its {counted(found.rows_source, 'row is', 'rows are')} released.")
        ]
    return [tag("h4", "What became of its rows"), bar_of_rows(found)]


def _fields(found: TableFacts) -> Html:
    """Every field with what was done to it; a long list is closed, under how many there are of each
    role."""
    if not found.fields:
        return tag("p", "It has no field.")
    shown = table(
        ("Field", "Role", "What was done"), found.fields, caption=f"Fields of {found.name}"
    )
    if len(found.fields) <= _OPEN:
        return tag("div", shown, class_="fields")
    roles = Counter(role for _, role, _ in found.fields)
    how_many = listed([f"{count} {role}" for role, count in roles.items()])
    return folded(
        f"Show the {counted(len(found.fields), 'field')}: {how_many}", shown, class_="fields"
    )


# What k^m-anonymity made of the set-valued fields of a table: counts only, neither values nor
# labels.

LOSS = (
    "Where a person has several values of a field, such as diagnoses, a recipient who knows "
    "some of them could look for people with the same. Values are merged into wider ones "
    "until enough people share them. The loss is how much of the field a released value "
    "covers, on average over what people hold: 0 % is one value, 100 % any value."
)


def sets(found: Sequence[SetFacts]) -> Html:
    """The requirement on each field, then how far its values were merged for it."""
    numbers = table(
        ("Field", "Values before", "Labels after", "Loss", "Times counted"),
        [
            (
                one.field,
                number(one.values_before),
                number(one.labels_after),
                percent(one.loss),
                number(one.counts),
            )
            for one in found
        ],
        caption="Values that people hold as sets (k^m-anonymity)",
        numeric={1, 2, 3, 4},
    )
    notes = [f"{one.field}: {note}" for one in found for note in one.notes]
    return join(
        [
            tag("h4", "Values known together"),
            *(tag("p", _asked(one)) for one in found),
            numbers,
            *([bullets(notes, class_="fine")] if notes else []),
        ]
    )


def _asked(one: SetFacts) -> str:
    known = "one value" if one.m == 1 else f"up to {counted(one.m, 'value')}"
    among = " who also share the person's quasi-identifiers" if one.within_bins else ""
    return (
        f"Asked of {one.field}: whoever knows {known} of it that a person has finds "
        f"{number(one.k)} people or more"
        f"{among} with the same."
    )


# How many rows a person has in a table, before and after, as something that could tell who it is.

NUMBERS = (
    "A recipient who knows how many rows a person has could look for that number, so several people must "
    "share each number. "
)
CHARTS = (
    "The charts show for each number of rows how many people have it: in ochre, below the "
    "line, where they are too "
    "few. Both axes are stretched where numbers are small, and numbers that are too close "
    "to distinguish are one bar, "
    "as high as the rarest of them."
)


def row_counts(facts: RowCountFacts, chart: Html | None) -> Html:
    """The disclosure by numbers of rows, before and now, and its cost (Sweeney 1997, section
    3.8)."""
    found = listed_numbers(facts)
    numbers = table(
        (
            "Rows of a person",
            "People before",
            "Fewest for one number",
            "People after",
            "Fewest for one number",
        ),
        [_line(line) for line in found],
        caption=f"Numbers of rows and the people who have them; at least {number(facts.bin_size)} "
        "are to share each",
        numeric={0, 1, 2, 3, 4},
    )
    caption = (
        "People by how many rows they have. The dashed line is at "
        f"{counted(facts.bin_size, 'person', 'people')}."
    )
    words = [tag("h4", "How many rows a person has"), tag("p", join(_sentences(facts)))]
    return join(
        [*words, figure(chart, caption, numbers) if found else tag("p", "Nobody has a row in it.")]
    )


def _sentences(facts: RowCountFacts) -> list[str]:
    before = sum(people for _, people in facts.before)
    alone, few = people_below(facts.before, 2), people_below(facts.before, facts.bin_size)
    said = [
        f"Before, {number(alone)} of {counted(before, 'person', 'people')} "
        f"({percent(share_of(alone, before))}) had a "
        f"number that nobody else had, and {number(few)} one that fewer than "
        f"{number(facts.bin_size)} had. ",
    ]
    still = people_below(facts.after, facts.bin_size)
    if still:
        said.append(
            f"After, {counted(still, 'person still has', 'people still have')} such a number. "
        )
    else:
        said.append(
            f"After, each number is that of {counted(facts.bin_size, 'person', 'people')} or more. "
        )
    if facts.rows_dropped:
        chosen = counted(facts.rows_dropped, "row was", "rows were")
        said.append(f"For this, {chosen} left out, chosen at random among a person's rows. ")
    else:
        said.append("For this, no row had to be left out. ")
    if facts.with_quasi:
        said.append(
            "The number is to be shared within each bin of the quasi-identifiers. Here all "
            "bins are counted together; "
            "the verdict counts each by itself."
        )
    return said


def _line(line: RowCountRange) -> tuple[str, ...]:
    name = (
        number(line.first)
        if line.first == line.last
        else f"{number(line.first)} to {number(line.last)}"
    )
    cells = (line.people[0], line.fewest[0], line.people[1], line.fewest[1])
    return (name, *(number(cell) if cell else "–" for cell in cells))
