from __future__ import annotations

import io
import json
import random

from rich.console import Console

from sfumato.surveys import print_summary, print_survey, survey_as_dict

SECRETS = ["xyzzy", "plugh", "frotz", "gnusto"]
TABLE = {
    "last name": SECRETS,
    "[bold]zip[/bold]": ["77701", "77702", "77703", "77703"],
    "dob": ["1965-09-20", "1964-02-29", "1970-01-31", None],
    "notes": [f"The word {word} was said on that very day." for word in SECRETS],
    "income": ["91001", "91002", "91003", "91003"],
}


def printed(found, *, width: int = 140) -> str:
    out = io.StringIO()
    print_survey(found, Console(file=out, width=width, color_system=None))
    return out.getvalue()


def test_everything_is_shown_but_the_cells(survey_of):
    found = survey_of(TABLE)
    text = printed(found)
    for word in (
        "Fields",
        "Safe Harbor",
        "How unique the rows are",
        "last name",
        "direct",
        "█",
        "a person decides",
    ):
        assert word in text
    assert "[bold]zip[/bold]" in text
    shown = "".join((text, repr(found), str(found), json.dumps(survey_as_dict(found))))
    for cells in TABLE.values():
        for cell in cells:
            assert cell is None or cell not in shown


def test_a_narrow_console_is_enough(survey_of):
    assert "last" in printed(survey_of(TABLE), width=60)


def test_the_dictionary_is_json_and_complete(survey_of):
    found = survey_of(TABLE)
    read = json.loads(json.dumps(survey_as_dict(found)))
    assert [item["name"] for item in read["fields"]] == list(TABLE)
    assert read["fields"][2]["proposal"]["hierarchy"]["dates"][0] == "month"
    assert len(read["safe_harbor"]) == 18
    assert len(read["uniqueness"]["counted"]) == len(found.uniqueness.counted)
    assert read["rows"] == 4


def test_many_combinations_are_cut_short_and_counted(survey_of):
    columns = {f"x{n}": [str((row * (n + 3)) % (7 + n)) for row in range(60)] for n in range(6)}
    assert "more that are less unique" in printed(survey_of(columns))


def test_a_summary_of_a_wide_table_fits_one_screen_and_says_what_to_decide(survey_of):
    columns = {
        f"q{number}": random.Random(number).choices("abcd", k=40) for number in range(60)
    } | {
        "last name": SECRETS * 10,
        "dob": ["1965-09-20", "1964-02-29", "1970-01-31", "1971-01-31"] * 10,
        "diagnosis": ["J45.20", "I10", "E11.9", "I10"] * 10,
    }
    out = io.StringIO()
    print_summary(survey_of(columns), Console(file=out, width=100, color_system=None))
    text = out.getvalue()
    assert len(text.splitlines()) <= 40
    for words in (
        "direct",
        "last name",
        "quasi",
        "dob",
        "sensitive",
        "diagnosis",
        "60 fields are open",
    ):
        assert words in text
    assert "q59" not in text
    assert not any(word in text for word in SECRETS)


def test_a_summary_of_one_field_reads_well(survey_of):
    out = io.StringIO()
    print_summary(survey_of({"colour": ["red", "blue"] * 9}), Console(file=out, width=90))
    assert "1. 1 field is open: may someone outside know it? No release passes" in out.getvalue()


def test_one_field_that_identifies_rows_is_named_alone(survey_of):
    out = io.StringIO()
    columns = {"age": [str(20 + n) for n in range(40)], "sex": ["f", "m"] * 20}
    print_summary(survey_of(columns), Console(file=out, width=100))
    assert "age alone identifies 100 % of the rows" in " ".join(out.getvalue().split())


def test_open_fields_that_would_be_released_as_they_are_are_named(survey_of):
    out = io.StringIO()
    flags = {
        name: [str(n * k % 7 % 2) for n in range(60)]
        for k, name in enumerate(("asthma", "bcs", "diabetes", "hypertension"), start=1)
    }
    print_summary(survey_of(flags), Console(file=out, width=200))
    assert "neighbours, and so released as it is: bcs." in " ".join(out.getvalue().split())
