"""Local recoding under t-closeness: rows of a bin are divided by their sensitive value."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.bins import Bins, LocalRecoding
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.hierarchies import Hierarchy
from sfumato.protection import TCloseness, reference_of
from sfumato.solvers.effort import Effort
from sfumato.solvers.local import Local
from sfumato.solvers.local.balanced import _Closeness, balanced_clusters
from sfumato.solvers.local.local import BY_VALUE
from sfumato.solvers.local.penalties import Penalty
from sfumato.solvers.local.space import Space

WARDS = Hierarchy.from_rows([(f"{a}{b}", a, "*") for a in "EW" for b in "123"])
ILLS = ("flu", "cold", "gout", "mumps")


def table(rows: int, seed: int, *, skew: float) -> Bins:
    """Wards of two houses; the more skew, the more a ward's people share one illness."""
    random = np.random.default_rng(seed)
    wards = random.choice(WARDS.labels[0], rows)
    common = {ward: ILLS[i % 4] for i, ward in enumerate(WARDS.labels[0])}
    ills = [common[w] if random.random() < skew else ILLS[int(random.integers(4))] for w in wards]
    return bins_of_rows(("ward",), list(zip(wards, ills, strict=True)), sensitive=("ill",))


def solver(bins: Bins, *, t: float, k: int, most: float) -> Local:
    model = TCloseness(t=t, fields=("ward",), sensitive="ill", reference=reference_of(bins, "ill"))
    return Local(k=k, models=(model,), max_suppression=most)


def released(bins: Bins, recoding: LocalRecoding) -> dict[str | None, Counter[str | None]]:
    """Each released label with its illnesses, row by row, from the portions alone."""
    assert recoding.split is not None
    labels, codes = recoding.cells(bins, {"ward": WARDS})
    out: dict[str | None, Counter[str | None]] = {}
    for portion in np.flatnonzero(~recoding.suppressed):
        ill = recoding.split.labels[recoding.split.value_of[portion]]
        counted = out.setdefault(labels[0][codes[portion, 0]], Counter())
        counted[ill] += int(recoding.rows[portion])
    return out


@pytest.mark.parametrize("skew", [0.2, 0.6, 0.9])
@pytest.mark.parametrize("most", [0.0, 0.1])
def test_every_label_is_close_and_no_row_is_lost(skew: float, most: float) -> None:
    bins = table(400, 7, skew=skew)
    space = Space.of(
        bins, {"ward": WARDS}, Penalty(kind="ncp", numeric=(), weights={}), labels="tree"
    )
    model = solver(bins, t=0.15, k=4, most=most).models[0]
    assert isinstance(model, TCloseness)
    leave = int(most * bins.rows)
    made = balanced_clusters(
        space, model, k=4, may_leave=leave, effort=Effort(seconds=60.0, work=1)
    )
    assert not made.fails(space, model, 4)
    recoding = made.recoding(space)
    assert recoding.split is not None
    found = released(bins, recoding)
    shares = reference_of(bins, "ill")
    for counted in found.values():
        size = counted.total()
        assert size >= 4
        assert sum(abs(counted[ill] / size - shares[ill]) for ill in shares) / 2 <= 0.15 + 1e-9
    gone = recoding.rows_suppressed(bins)
    assert gone <= most * bins.rows
    assert sum(counted.total() for counted in found.values()) + gone == bins.rows
    inside = bins.histograms["ill"]
    taken: Counter[tuple[int, int]] = Counter()
    for bin_of, value, rows in zip(
        recoding.bin_of, recoding.split.value_of, recoding.rows, strict=True
    ):
        taken[int(bin_of), int(value)] += int(rows)
    assert taken == Counter(
        {
            (int(b), int(v)): int(n)
            for b, v, n in zip(inside.bin_of, inside.value_of, inside.counts, strict=True)
        }
    )


def test_dividing_by_value_loses_less_than_whole_bins() -> None:
    """Whole bins must all meet at the top; of each ward, the rows that are alike need not."""
    rows = [("E1", "flu")] * 8 + [("E1", "cold")] * 4 + [("W1", "flu")] * 4 + [("W1", "cold")] * 8
    bins = bins_of_rows(("ward",), rows, sensitive=("ill",))
    two = {"ward": Hierarchy.from_rows([("E1", "E", "*"), ("W1", "W", "*")])}
    made = solver(bins, t=0.0, k=2, most=0.0).solve(bins, two)
    sizes = made.recoding.apply(bins, two).sizes()
    assert sizes == {("E1",): 8, ("W1",): 8, ("*",): 8}
    assert BY_VALUE in made.notes


def test_the_largest_close_part_is_the_largest() -> None:
    """Against every part of random groups."""
    random = np.random.default_rng(1)
    shares = np.array([0.5, 0.3, 0.2])
    closeness = _Closeness(shares, 0.2)
    groups = random.integers(0, 7, (60, 3)).astype(float)
    for group, part in zip(groups, closeness.parts(groups), strict=True):
        best = 0
        for each in np.ndindex(*(group.astype(int) + 1)):
            size = sum(each)
            if size and np.abs(np.array(each) / size - shares).sum() / 2 <= 0.2 + 1e-12:
                best = max(best, size)
        assert (part <= group).all()
        assert part.sum() == best


POLICY = """
[fields.ward]
role = "quasi"
hierarchy = {{ prefix = [1] }}

[fields.ill]
role = "sensitive"

[require]
k = 3
max_suppression = {most}
t_closeness = [{{ t = 0.05 }}]

[solve]
solver = "local"
{more}
"""


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_a_policy_may_allow_it_to_suppress(tmp_path: Path, engine: str) -> None:
    rows = ["E1,flu"] * 12 + ["E1,cold"] * 4 + ["W1,flu"] * 4 + ["W1,cold"] * 4
    (tmp_path / "people.csv").write_text("\n".join(["ward,ill", *rows]) + "\n", encoding="utf-8")
    suppressed = []
    for number, more in enumerate(("", "suppress = true")):
        policy = tmp_path / f"{number}.toml"
        policy.write_text(POLICY.format(most=0.3, more=more), encoding="utf-8")
        made = sfumato.release(
            tmp_path / "people.csv", policy, to=tmp_path / f"out{number}", engine=engine
        )
        assert made.outcome == "pass"
        suppressed.append(made.rows_suppressed)
    assert suppressed[0] == 0
    assert suppressed[1] == 1
