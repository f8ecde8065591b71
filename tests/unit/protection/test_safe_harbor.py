"""Safe Harbor: which labels stay and which do not, kind by kind, with both answers for each."""

import pytest

from sfumato.bins import Bins
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.protection import SafeHarbor, needs_of
from sfumato.protection.safe_harbor_labels import RESTRICTED, SafeHarborKind, may_stay

STAYS = {
    SafeHarborKind.ZIP: [
        "021**",
        "021",
        "02***",
        "0****",
        "*****",
        "000**",
        "000",
        "021xx",
        "*",
        "",
        None,
    ],
    SafeHarborKind.DATE: [
        "1965",
        "1960-1969",
        "1960–1969",
        "1960..1969",
        "1960s",
        "≥2000",
        "before 1936",
        "[1960, 1970)",
        "*",
    ],
    SafeHarborKind.BIRTH: [
        "1937",
        "1990",
        "1940-1949",
        "<1937",
        "≤1936",
        "1936 or earlier",
        "≥2000",
        "*",
        None,
    ],
    SafeHarborKind.AGE: [
        "0",
        "34",
        "89",
        "80-89",
        "[80, 90)",
        "90+",
        "≥90",
        ">89",
        "85 and over",
        "90 or older",
        "<18",
        "*",
    ],
    SafeHarborKind.UNDECLARED: [
        "1965",
        "m",
        "married",
        "35-39",
        "2",
        "02138",
        "10.5",
        "professional",
    ],
}
GOES = {
    SafeHarborKind.ZIP: ["02138", "0213*", "02138-1234", "036**", "821", "Boston", "021-022"],
    SafeHarborKind.DATE: [
        "1965-09-20",
        "1965-09",
        "1965-Q3",
        "1965-01..1965-06",
        "9/20/65",
        "Sep 1965",
        "65",
        "yesterday",
    ],
    SafeHarborKind.BIRTH: ["1936", "1930", "1930-1939", "1965-09", "1930s", "[1930, 1940)"],
    SafeHarborKind.AGE: [
        "90",
        "93",
        "90-94",
        "85-94",
        "85-89.5",
        "≥91",
        "[85, 95)",
        "old",
        "<95",
        "-3",
    ],
    SafeHarborKind.UNDECLARED: [
        "1965-09-20",
        "1965-09",
        "09/20/1965",
        "219-09-9999",
        "617-555-0123",
        "a@b.org",
        "10.0.0.1",
    ],
}
pairs = pytest.mark.parametrize(
    ("part", "label", "stays"),
    [(part, label, True) for part, labels in STAYS.items() for label in labels]
    + [(part, label, False) for part, labels in GOES.items() for label in labels],
)


@pairs
def test_a_label_stays_or_goes(part, label, stays):
    assert may_stay(label, part, as_of=2026) is stays


def test_seventeen_areas_are_restricted():
    assert len(RESTRICTED) == 17
    assert not any(may_stay(f"{area}**", SafeHarborKind.ZIP) for area in RESTRICTED)


def test_without_a_year_no_birth_year_stays():
    assert not may_stay("1990", SafeHarborKind.BIRTH)


def test_bins_that_show_too_much_fail():
    sizes = {("021**", "1965"): 9, ("0213*", "1965"): 9, ("021**", "1965-09"): 9, ("*", "*"): 1}
    bins = Bins.of(("zip", "admitted"), sizes)
    model = SafeHarbor(fields=("zip", "admitted"), zips=("zip",), dates=("admitted",))
    assert model.failing(bins).tolist() == [False, True, True, False]
    assert model.judge(bins).reason == (
        "2 of 4 bins over (zip, admitted) break it; they hold 18 of 28 rows; labels of 2 "
        "fields were looked at"
    )


def test_declared_fields_outside_the_bins_are_looked_at_inside_them():
    rows = [("f", "34"), ("f", "90"), ("m", "20")]
    model = SafeHarbor(fields=("sex",), ages=("age",))
    assert needs_of(model) == ("age",)
    assert model.failing(bins_of_rows(("sex",), rows, sensitive=("age",))).tolist() == [True, False]


def test_another_identifier_in_the_release_fails_everything():
    bins = Bins.of(("sex",), {("f",): 9})
    verdict = SafeHarbor(fields=("sex",), others=("licence",)).judge(bins)
    assert verdict.outcome == "fail"
    assert verdict.reason.endswith("licence may not be released at all")
