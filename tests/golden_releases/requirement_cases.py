"""Cases of requirements: every protection model on one table, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .case import RELEASE, VERIFY, Case, policy_text, step
from .one_table_cases import FIELDS, ILL_TREE, WEIGHTED, WORK, table
from .people import Row, people, write_table


def with_register(rows: int = 300) -> Callable[[Path], object]:
    """The people, and a register of them and many others."""

    def write(folder: Path) -> None:
        write_table(people(rows, seed=1), folder / "people.csv")
        known = ("birth", "sex", "zip")
        others: list[Row] = people(rows, seed=1) + people(4 * rows, seed=2)
        write_table(
            [{name: row[name] for name in known} for row in others], folder / "register.csv"
        )

    return write


REQUIREMENTS = (
    Case(
        name="l-diversity-of-three-kinds",
        write=table(),
        policy=policy_text(
            FIELDS,
            "k = 5\nmax_suppression = 0.2\nl_diversity = [{ l = 2 }, { l = 1.5, kind = "
            '"entropy" }, '
            '{ l = 2, kind = "recursive", c = 5.0 }]',
            solve=WEIGHTED,
        ),
    ),
    Case(
        name="t-closeness-of-three-kinds",
        write=table(),
        policy=policy_text(
            FIELDS | {"income": '"sensitive"'},
            'max_suppression = 0.2\nt_closeness = [{ t = 0.5, fields = ["ill"] }, '
            '{ t = 0.4, distance = "ordered", fields = ["income"] }, '
            f'{{ t = 0.4, distance = "hierarchical", fields = ["ill"], hierarchy = {ILL_TREE} }}]',
            solve=f'solver = "optimal"\n{WORK}',
        ),
        quick=True,
    ),
    Case(
        name="values-in-bins",
        write=table(),
        policy=policy_text(
            FIELDS,
            "max_suppression = 0.3\nnon_uniqueness = true\np_sensitive = { p = 2, k = 5 }\n"
            "alpha_k = { alpha = 0.6, k = 5 }\nbeta_likeness = { beta = 6.0 }\n"
            'delta_disclosure = { delta = 3.0, absent = "ignored" }\nconfidence_gain = { '
            "gain = 0.7 }",
            solve=WORK,
        ),
    ),
    Case(
        name="risks-and-sizes",
        write=table(),
        policy=policy_text(
            FIELDS,
            "max_suppression = 0.05\naverage_risk = 0.05\nmaximum_risk = 0.2\nbin_sizes = "
            "{ sex = 10 }\n"
            "population_uniqueness = { threshold = 0.2, sampling_fraction = 0.1 }\n"
            'key_combinations = [{ fields = ["zip", "sex"], k = 4 }]',
            solve=WORK,
        ),
    ),
    Case(
        name="several-quasi-identifiers",
        write=table(),
        policy=policy_text(
            FIELDS,
            'k = 5\nmax_suppression = 0.1\nquasi_identifiers = [["birth", "zip"], ["sex", "zip"]]',
            solve=WORK,
        ),
    ),
    Case(
        name="nulls-match-anything-wildcard",
        write=table(rows=100),
        policy=policy_text(
            FIELDS,
            'k = 4\nreading = "wildcard"\nmax_suppression = 0.2',
            solve=WORK,
            top='nulls = "matches-anything"',
        ),
    ),
    Case(
        name="k-map-population",
        write=with_register(),
        policy=policy_text(
            FIELDS,
            'max_suppression = 0.1\nk_map = { k = 5, population = "register.csv" }',
            solve=WEIGHTED,
        ),
        commands=(RELEASE, (*VERIFY, "--population", "register.csv")),
        quick=True,
    ),
    Case(
        name="k-map-population-local",
        write=with_register(200),
        policy=policy_text(
            FIELDS,
            'k_map = { k = 5, population = "register.csv" }\nk = 2',
            solve='solver = "local"\nwork = 20',
        ),
    ),
    Case(
        name="k-map-weights",
        write=table(),
        policy=policy_text(
            FIELDS | {"weight": '"insensitive"'},
            'max_suppression = 0.1\nk_map = { k = 40, weight = "weight" }',
            solve=WORK,
        ),
    ),
    Case(
        name="delta-presence",
        write=with_register(),
        policy=policy_text(
            FIELDS,
            'max_suppression = 0.2\ndelta_presence = { population = "register.csv", min = '
            "0.0, max = 0.5 }",
            solve=WORK,
        ),
        commands=(RELEASE, (*VERIFY, "--population", "register.csv")),
    ),
    Case(
        name="safe-harbor",
        write=table(),
        policy=policy_text(
            FIELDS | {"id": '"direct"', "seen": '"direct"'},
            'k = 2\nmax_suppression = 0.1\nsafe_harbor = { zips = ["zip"], births = '
            '["birth"], as_of = 2020 }',
            solve=WORK,
        ),
    ),
    Case(
        name="null-map-of-encrypted-fields",
        write=table(rows=100),
        policy=policy_text(
            FIELDS | {"zip": '"quasi"', "birth": '"quasi"', "sex": '"insensitive"'},
            "null_map = true",
            steps=step("encrypt", 'fields = ["zip", "birth"]'),
        ),
    ),
    Case(
        name="wrong-map-of-swapped-units",
        write=table(rows=100),
        policy=policy_text(
            FIELDS | {"zip": '"quasi"', "birth": '"quasi"', "seen": '"insensitive"'},
            'wrong_map = { outside = ["ill", "income"] }\nmax_suppression = 0.2',
            steps=step("swap", 'fields = ["zip", "birth", "sex"]\nmethod = "unit"'),
            solve='solver = "given"',
        ),
    ),
    Case(
        name="no-recoding-found",
        write=table(rows=50),
        policy=policy_text(FIELDS, "k = 5\nt_closeness = { t = 0.001 }", solve='solver = "given"'),
    ),
    Case(
        name="policy-with-problems",
        write=table(rows=50),
        policy=policy_text(
            FIELDS | {"zip": '"quazi"', "job": '{ role = "direct", rank = 3 }'}, "k = 0\nkk = 2"
        ),
        quick=True,
    ),
)
