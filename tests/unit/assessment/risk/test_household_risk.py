"""The risk of a household is more than that of each of its members."""

import numpy as np
import pytest

from sfumato.measures import HouseholdRisk, household_risk


def test_a_household_of_one_has_the_risk_of_its_member():
    assert household_risk(np.array([4, 2]), np.array([7, 3])) == HouseholdRisk(
        average=0.375, maximum=0.5
    )


def test_members_are_tried_one_after_the_other():
    found = household_risk(np.array([5, 5, 5]), np.array([1, 1, 1]))
    assert found.average == found.maximum == pytest.approx(1 - 0.8**3)


def test_one_member_who_is_alone_gives_the_household_away():
    assert household_risk(np.array([1, 100]), np.array([0, 0])).maximum == 1.0


def test_the_average_is_over_households_not_people():
    assert household_risk(np.array([2, 2, 1]), np.array([0, 0, 1])).average == pytest.approx(
        (0.75 + 1) / 2
    )


def test_nobody_is_at_no_risk():
    assert household_risk(np.zeros(0, np.int64), np.zeros(0, np.int64)) == HouseholdRisk(
        average=0.0, maximum=0.0
    )
