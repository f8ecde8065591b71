"""Where more tolerance stops paying, by each stated rule, on numbers written out by hand."""

from __future__ import annotations

import pytest

from sfumato.assessment import channel_sweep
from sfumato.assessment.channel_sweep import channel_candidates, channel_paths, solve_points
from sfumato.assessment.channel_trade_off import ChannelPoint, ChannelTradeOff
from sfumato.assessment.sweep_settings import read_over
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.policy import policy_from_table


def trade_off(**losses):
    points = [
        ChannelPoint(setting=float(name[1:]) / 10, loss=loss) for name, loss in losses.items()
    ]
    return ChannelTradeOff(over="channels.risk_tolerance", points=tuple(points))


def test_returns_diminish_where_the_rate_falls_most():
    found = trade_off(s10=1.0, s11=0.5, s12=0.48, s13=0.47)
    assert found.diminishing_return == 1.1
    assert found.saved == pytest.approx((0.0, 0.5, 0.52, 0.53))
    assert found.rates[0] == pytest.approx(0.5 / 9.531, rel=1e-3)


def test_less_than_one_for_one_is_the_first_setting_from_which_it_stays_so():
    assert trade_off(s10=1.0, s11=0.5, s12=0.48, s13=0.47).below_one == 1.1
    assert trade_off(s10=1.0, s11=0.99, s12=0.5).below_one is None


def test_a_straight_line_and_two_settings_have_no_such_point():
    assert trade_off(s10=1.0, s20=0.5).diminishing_return is None
    assert trade_off(s10=0.3, s11=0.3, s12=0.3).diminishing_return is None


def test_settings_without_a_plan_stay_and_are_not_counted():
    gone = ChannelPoint(setting=0.5, reason="Membership alone is risky.")
    found = trade_off(s10=1.0, s11=0.5, s12=0.48)
    found = ChannelTradeOff(over=found.over, points=(gone, *found.points))
    assert found.diminishing_return == 1.1
    entry = found.as_dict()["points"][0]
    assert (entry["saved"], entry["reason"]) == (None, "Membership alone is risky.")


def test_numbers_that_the_policy_does_not_have_yet_can_be_swept_too():
    policy = policy_from_table(
        {
            "entity": "name",
            "fields": {"name": "direct", "crp": "quasi", "ill": "sensitive", "pay": "sensitive"},
            "channels": {
                "fields": ["crp"],
                "confidential": "ill",
                "identifiers": ["name"],
                "tolerance": {"flu": 0.3},
                "also": [{"field": "pay", "tolerance": {"high": 0.2}}],
            },
        }
    )
    path, values = read_over("channels.tolerance.pay=high=0.4,0.3")
    assert path in channel_paths(policy)
    made = channel_candidates(policy, path, values)
    assert [each.channels.all_tolerances["pay=high"] for each in made] == [0.3, 0.4]
    assert [each.channels.tolerance["flu"] for each in made] == [0.3, 0.3]
    assert [
        each.channels.bound for each in channel_candidates(policy, "channels.bound", [0.5, 0.7])
    ] == [0.5, 0.7]


def test_the_settings_of_a_sweep_share_the_seconds_of_the_policy(monkeypatch):
    policy = policy_from_table(
        {
            "entity": "name",
            "fields": {"name": "direct", "crp": "quasi", "illness": "sensitive"},
            "channels": {
                "fields": ["crp"],
                "confidential": "illness",
                "identifiers": ["name"],
                "tolerance": {"flu": 0.3},
                "seconds": 30,
            },
        }
    )
    given = []

    def solve(bins, policy, setting):
        given.append(policy.channels.seconds)
        return ChannelPoint(setting=setting, seconds=6.0)

    monkeypatch.setattr(channel_sweep, "solve_setting", solve)
    monkeypatch.setattr(
        channel_sweep, "count_inputs", lambda *_: bins_of_rows(("crp",), [("H", "flu")])
    )
    solve_points(None, [policy] * 3, "channels.tolerance", [0.1, 0.2, 0.3], step=lambda *_: None)
    assert given == [10.0, 12.0, 18.0]
