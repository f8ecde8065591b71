"""`sfumato sweep` from a table to a map: candidates are counted, drawn and told, and nothing is
released."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from sfumato.assessment import sweep
from sfumato.assessment.sweep_settings import numeric_paths, read_over
from sfumato.cli import main
from sfumato.datasets.hospital import write_hospital
from sfumato.errors import Mistake, PolicyError, TargetError
from sfumato.policy import policy_from_table

POLICY = """
other_fields = "remove"

[fields]
birth = { role = "quasi", hierarchy = { dates = ["month", "year", "10 years", "50 years"] } }
sex = { role = "quasi" }
zip = { role = "quasi", hierarchy = { prefix = [4, 3] } }
diagnosis = { role = "sensitive" }

[require]
k = 5
max_suppression = 0.05

[solve]
solver = "optimal"
"""


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    path = write_hospital(folder / "patients.csv", rows=600)
    (folder / "patients.policy.toml").write_text(POLICY, encoding="utf-8")
    return path


def test_from_the_command_line(hospital, capsys):
    assert (
        main(["sweep", str(hospital), "--over", "k=2,5,20,5000", "--solver", "optimal,datafly2"])
        == 0
    )
    folder = hospital.parent / "patients-sweep"
    assert {path.name for path in folder.iterdir()} == {"sweep.html", "sweep.json"}
    facts = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
    points = facts["points"]
    assert [(point["setting"], point["solver"]) for point in points] == [
        (k, solver) for solver in ("optimal", "datafly2") for k in (2, 5, 20, 5000)
    ]
    solved = [point for point in points if not point["reason"]]
    assert all(point["smallest"] >= point["setting"] for point in solved)
    assert all(
        point["risks"]["highest"] == pytest.approx(1 / point["smallest"]) for point in solved
    )
    assert [bool(point["reason"]) for point in points] == [False, False, False, True] * 2
    assert (facts["table"], facts["rows"], facts["source"]["risks"]["highest"]) == (
        "patients.csv",
        600,
        1,
    )
    page = (folder / "sweep.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "Without a candidate" in page
    assert "k defends against finding a person" in page
    assert f">{points[0]['contacts']:,.1f}<" in page
    assert (folder / "sweep.html").stat().st_mode & 0o077 == 0
    assert "optimal" in capsys.readouterr().out


def test_more_is_asked_for_and_less_is_kept(hospital):
    made = sweep(hospital, over={"k": [2, 10, 50]})
    worth = [point.utilities["information"] for point in made.map.points]
    assert worth == sorted(worth, reverse=True)
    assert made.map.source.utilities["information"] == 1
    assert made.map.source.risks["highest"] == 1
    assert made.folder is None


def test_a_candidate_is_what_the_release_would_be(hospital, tmp_path):
    from sfumato import release

    (point,) = sweep(hospital, over="k=5").map.points
    made = release(hospital, to=tmp_path / "release")
    assert point.rows_suppressed == made.rows_suppressed
    assert point.levels == made.manifest["recoding"]["levels"]
    assert point.utilities["precision"] == pytest.approx(made.manifest["utility"]["precision"])


def test_other_numbers_of_the_policy_can_be_swept(hospital):
    table = {
        "other_fields": "remove",
        "fields": {
            "sex": {"role": "quasi"},
            "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
            "diagnosis": {"role": "sensitive"},
        },
        "require": {"k": 2, "t_closeness": [{"t": 0.5}], "max_suppression": 0.1},
        "solve": {"solver": "optimal"},
    }
    policy = policy_from_table(table)
    assert numeric_paths(policy) == (
        "k",
        "average_risk",
        "maximum_risk",
        "max_suppression",
        "t_closeness.t",
    )
    made = sweep(hospital, policy, over="t_closeness.t=0.2,0.5", risk="inference")
    shares = [made.map.on(point)[0] for point in made.map.points]
    assert shares[0] <= shares[1]
    risks = sweep(hospital, policy, over="maximum_risk=0.5,0.05").map.points
    assert [point.smallest >= least for point, least in zip(risks, (2, 20), strict=True)] == [
        True,
        True,
    ]


def test_people_outside_the_table_are_asked_for_too(hospital, tmp_path):
    write_hospital(tmp_path / "everyone.csv", rows=3000)
    table = {
        "other_fields": "remove",
        "fields": {
            "sex": {"role": "quasi"},
            "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
        },
        "require": {
            "k_map": {"k": 5, "population": "everyone.csv"},
            "delta_presence": {"population": "everyone.csv", "max": 0.9},
            "max_suppression": 0.2,
        },
    }
    policy = policy_from_table(table, folder=tmp_path)
    made = sweep(hospital, policy, over="k_map.k=2,200", solvers=("optimal",))
    loose, strict = made.map.points
    assert loose.utilities["information"] > strict.utilities["information"]
    loose, strict = sweep(
        hospital, policy, over="delta_presence.max=0.9,0.001", solvers=("optimal",)
    ).map.points
    assert not loose.reason
    assert strict.reason


def test_bins_are_counted_once(hospital, monkeypatch):
    from sfumato.engines.duckdb.engine import DuckDBEngine

    asked = []
    real = DuckDBEngine.frequencies
    monkeypatch.setattr(
        DuckDBEngine,
        "frequencies",
        lambda self, fields, **given: asked.append(fields) or real(self, fields, **given),
    )
    sweep(hospital, over="k=2,3,5,8", solvers=("optimal", "datafly2"))
    assert len(asked) == 1


def test_all_problems_at_once(hospital):
    with pytest.raises(PolicyError) as caught:
        sweep(hospital, over="kk=2,3", solvers=("optimum",))
    assert len(caught.value.problems) == 2
    assert 'Did you mean "optimal"?' in str(caught.value)
    assert "one of k, average_risk" in str(caught.value)
    with pytest.raises(PolicyError, match="k = 0 and optimal"):
        sweep(hospital, over="k=0,5")


@pytest.mark.parametrize(
    "over", ["", "k", "k=", "k=2,x", "=2,3", {"k": [2], "max_suppression": [0.1]}, {"k": [True]}]
)
def test_what_is_no_sweep(hospital, over):
    with pytest.raises(Mistake):
        sweep(hospital, over=over)


def test_axes_that_do_not_exist_and_no_policy(hospital, tmp_path):
    with pytest.raises(Mistake, match="one of highest, average, inference"):
        sweep(hospital, over="k=2", risk="danger")
    path = write_hospital(tmp_path / "alone.csv", rows=20)
    with pytest.raises(Mistake, match="none was given"):
        sweep(path, over="k=2")


def test_an_earlier_sweep_stays_unless_told(hospital, tmp_path):
    at = datetime(2026, 1, 2, tzinfo=UTC)
    sweep(hospital, over="k=2,3", to=tmp_path / "out", clock=lambda: at)
    before = (tmp_path / "out" / "sweep.json").read_bytes()
    with pytest.raises(TargetError, match="exists already"):
        sweep(hospital, over="k=2,4", to=tmp_path / "out")
    assert (tmp_path / "out" / "sweep.json").read_bytes() == before
    sweep(hospital, over="k=2,4", to=tmp_path / "out", replace=True)
    assert (tmp_path / "out" / "sweep.json").read_bytes() != before


def test_reading_what_is_swept():
    assert read_over("require.k = 2, 2, 0.5") == ("k", (2, 0.5))


def test_a_table_that_is_rolled_up_first_is_measured_by_the_policys_hierarchies(hospital, tmp_path):
    whole = sweep(hospital, over="k=50", to=tmp_path / "whole")
    policy = tmp_path / "few.toml"
    policy.write_text(POLICY + "max_bins = 200\n", encoding="utf-8")
    rolled = sweep(hospital, policy, over="k=50", to=tmp_path / "rolled")
    first, second = whole.map.points[0], rolled.map.points[0]
    assert first.levels == second.levels
    assert second.utilities["information"] == pytest.approx(first.utilities["information"])
    assert second.utilities["precision"] == pytest.approx(first.utilities["precision"])
    assert {"queries", "entropy"} & set(
        second.utilities
    ) == set()  # The source's own values are not at hand.
    source, same = whole.map.source, rolled.map.source
    assert (same.bins, same.smallest, same.risks["average"]) == (
        source.bins,
        source.smallest,
        source.risks["average"],
    )
