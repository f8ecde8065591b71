"""The optima that ARX 3.9.2 finds, on its own data with its own hierarchies: the same score, to the
printed digits.

The data is not carried by the project: it is looked for in $SFUMATO_DATA and the tests say so where
it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sfumato.bins import Bins
from sfumato.engines import open_source
from sfumato.hierarchies import CsvHierarchy
from sfumato.protection import DistinctLDiversity, KAnonymity, TCloseness, reference_of
from sfumato.solvers import Optimal

DATA = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
pytestmark = pytest.mark.skipif(
    not (DATA / "adult").exists(), reason="left out: SFUMATO_DATA has no data sets"
)

PLAIN = [
    # data set, suppression limit, objective, score, rows suppressed
    ("adult", 0.0, "loss", 0.57315, 0),
    ("adult", 0.0, "precision", 0.66667, 0),
    ("adult", 0.05, "loss", 0.24193, 1_346),
    ("adult", 0.05, "precision", 0.36563, 1_461),
    ("adult", 1.0, "loss", 0.22041, 2_553),
    ("adult", 1.0, "precision", 0.31195, 4_100),
    ("fars_like", 0.0, "loss", 0.41421, 0),
    ("fars_like", 0.05, "loss", 0.16799, 3_877),
    ("fars_like", 1.0, "loss", 0.16024, 5_289),
    ("ihis_like", 0.0, "loss", 0.36679, 0),
    ("ihis_like", 0.0, "precision", 0.47222, 0),
    ("ihis_like", 0.05, "loss", 0.14100, 58_333),
    ("ihis_like", 0.05, "precision", 0.27275, 44_720),
]
SENSITIVE = [
    # data set, sensitive field, fields left out, model, score, rows suppressed
    ("adult", "occupation", "distinct 2", 0.17012, 1_346),
    ("adult", "occupation", "distinct 5", 0.22165, 1_404),
    ("adult", "occupation", "0.2-closeness", 0.81500, 235),
    ("fars_like", "istatenum", "distinct 2", 0.11018, 4_100),
    ("fars_like", "istatenum", "0.2-closeness", 0.30196, 4_646),
    ("ihis_like", "EDUC", "distinct 2", 0.06509, 29_538),
]
COUNTED: dict[tuple[str, str], tuple[Bins, dict]] = {}


def counted(name: str, sensitive: str = "") -> tuple[Bins, dict]:
    if (name, sensitive) not in COUNTED:
        with open_source(DATA / name / f"{name}.parquet") as engine:
            fields = [info.name for info in engine.fields() if info.name != sensitive]
            bins = Bins.count(engine, fields, sensitive=(sensitive,) if sensitive else ())
        levels = {
            field: CsvHierarchy.read(DATA / name / f"hierarchy_{field}.csv").bind(bins.labels[i])
            for i, field in enumerate(fields)
        }
        COUNTED[name, sensitive] = bins, levels
    return COUNTED[name, sensitive]


@pytest.mark.long(
    "large tables take a quarter of a minute; small ones stay",
    but=("adult-*", "fars_like-1.0-*"),
)
@pytest.mark.parametrize(("name", "limit", "objective", "score", "suppressed"), PLAIN)
def test_k_5_optimum(name, limit, objective, score, suppressed):
    bins, levels = counted(name)
    models = (KAnonymity(k=5, fields=bins.fields),)
    found = Optimal(models=models, max_suppression=limit, objective=objective).search(bins, levels)
    assert found.complete
    assert round(found.loss, 5) == score
    assert found.suppressed_rows == suppressed


@pytest.mark.long("large tables take long; small ones stay", but=("adult*",))
@pytest.mark.parametrize(("name", "sensitive", "model", "score", "suppressed"), SENSITIVE)
def test_k_5_optimum_with_a_model_for_the_sensitive_field(
    name, sensitive, model, score, suppressed
):
    bins, levels = counted(name, sensitive)
    if model.startswith("distinct"):
        second = DistinctLDiversity(l=int(model[-1]), fields=bins.fields, sensitive=sensitive)
    else:
        second = TCloseness(
            t=0.2, fields=bins.fields, sensitive=sensitive, reference=reference_of(bins, sensitive)
        )
    models = (KAnonymity(k=5, fields=bins.fields), second)
    found = Optimal(models=models, max_suppression=0.05, objective="loss").search(bins, levels)
    assert found.complete
    assert round(found.loss, 5) == score
    assert found.suppressed_rows == suppressed
