"""Streets, boxes and flats: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.addresses import Addresses

ARE = [
    ("at 12 Old Mill Road, Apt. 3B, and", ["12 Old Mill Road, Apt. 3B"]),
    ("PO Box 1234", ["PO Box 1234"]),
    ("P.O. Box 99, Salem", ["P.O. Box 99"]),
    ("221B Baker St. in", ["221B Baker St."]),
    ("1600 Pennsylvania Ave NW", ["1600 Pennsylvania Ave NW"]),
    ("45 East 42nd Street", ["45 East 42nd Street"]),
    ("Hauptstraße 12, 80331 München", ["Hauptstraße 12"]),
    ("12 rue de la Paix, 75002 Paris", ["12 rue de la Paix"]),
    ("Calle Mayor 5", ["Calle Mayor 5"]),
    ("Via Roma 12", ["Via Roma 12"]),
    ("Prinsengracht 263", ["Prinsengracht 263"]),
    ("near Commonwealth Avenue", ["Commonwealth Avenue"]),
    (
        "St. John's Hospital CH#32-841-09787\nHuntington 18 DOB 05/26/86\nBoston, MA 02151",
        ["Huntington 18"],
    ),
    ("Postfach 4711", ["Postfach 4711"]),
    ("his address is 5049 Harjukuja 54, and", ["5049 Harjukuja 54"]),
    ("Suite 200", ["Suite 200"]),
    ("Unit 4719 Box 7394", ["Unit 4719 Box 7394"]),
]
ARE_NOT = [
    "She walked down the road at 12 o'clock.",
    "The Supreme Court sat.",
    "in any way",
    "During 1971 he",
    "took 2 tablets by mouth",
    "coronary artery bypass 3 vessels",
    "went via Interpol. On 7 May",
    "a box of 12",
    "on the street",
    "Dr. Smith saw 12 patients",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Addresses(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Addresses(), text) == []


@pytest.mark.parametrize("snippet", ["St. ", "address is 12 Old "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Addresses(), snippet) < 40
