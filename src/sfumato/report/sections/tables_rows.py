"""How many rows a person has in a table, before and after, as something that could tell who it
is."""

from __future__ import annotations

from ..markup import Html, figure, join, table, tag
from ..number_text import counted, number, percent, share_of
from ..tables_facts import RowCountFacts
from ..tables_readings import RowCountRange, listed_numbers, people_below

NUMBERS = (
    "Who knows how many rows a person has could look for that number, so each is to be shared "
    "by several people. "
)
CHARTS = (
    "The charts show for each number of rows how many people have it: in ochre, below the "
    "line, where they are too "
    "few. Both axes are stretched where numbers are small, and numbers that lie too close "
    "to tell apart are one bar, "
    "as high as the rarest of them."
)


def row_counts(facts: RowCountFacts, chart: Html | None) -> Html:
    """What the numbers of rows told, what they tell now, and what it cost (Sweeney 1997, section
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
