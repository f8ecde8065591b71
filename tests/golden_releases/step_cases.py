"""Cases of steps: every technique of the catalogue, and every replacement of identifiers."""

from __future__ import annotations

from .case import VERIFY, Case, policy_text, step
from .one_table_cases import FIELDS, ILL_TREE, WORK, K, table

STEPS = (
    Case(
        name="steps-on-categories",
        write=table(),
        policy=policy_text(
            FIELDS | {"ill": f'{{ role = "sensitive", hierarchy = {ILL_TREE} }}'},
            K,
            steps=step("suppress", 'fields = ["grade"]\nvalues = ["none"]')
            + step("merge_small", 'fields = ["job"]\nleast = 20')
            + step("substitute", 'fields = ["ill"]\nlevel = 1\nshare = 0.5')
            + step("pram", 'fields = ["grade"]\nkeep = 0.8\nwithin = ["sex"]')
            + step("blank_and_impute", 'fields = ["job"]\nshare = 0.1\nlike = ["sex"]'),
            solve=WORK,
        ),
        quick=True,
    ),
    Case(
        name="steps-on-numbers-to-parquet",
        write=table("people.parquet"),
        source="people.parquet",
        policy=policy_text(
            FIELDS | {"lat": '"insensitive"', "lon": '"insensitive"', "age": '"insensitive"'},
            K,
            steps=step("outliers", 'fields = ["income"]')
            + step("top_bottom", 'fields = ["income"]\ntop_share = 0.05')
            + step("noise", 'fields = ["income"]\nshare = 0.2')
            + step("round", 'fields = ["income"]\nbase = 100')
            + step("microaggregate", 'fields = ["age"]\nk = 5')
            + step("perturb", 'fields = ["age"]\nshare = 0.3')
            + step("geo_noise", 'fields = ["lat", "lon"]\npeople = 10'),
            solve=WORK,
        ),
    ),
    Case(
        name="steps-on-rows",
        write=table(rows=400),
        policy=policy_text(
            FIELDS | {"weight": '"insensitive"'},
            K,
            steps=step("sample", 'share = 0.5\nwithin = ["sex"]\nweight = ["weight"]')
            + step("add_rows", "share = 0.2\nk = 6"),
            solve=WORK,
        ),
    ),
    Case(
        name="steps-swap-encrypt-local",
        write=table(),
        policy=policy_text(
            FIELDS | {"id": '"direct"'},
            "k = 5",
            steps=step("swap", 'fields = ["income"]\nmethod = "rank"\nwindow = 0.1')
            + step("encrypt", 'fields = ["id"]'),
            solve='solver = "local"\nwork = 20',
        ),
    ),
    Case(
        name="steps-without-a-key",
        write=table(),
        commands=(("release", "SOURCE", "--policy", "policy.toml", "--to", "out"), VERIFY),
        policy=policy_text(
            FIELDS | {"id": '"direct"', "seen": '"insensitive"'},
            K,
            steps=step("noise", 'fields = ["income"]\nshare = 0.2')
            + step("pram", 'fields = ["job"]\nkeep = 0.8'),
            solve=WORK,
        ),
        columns_by_chance=("income", "job"),
        why_chance="without a key, noise is drawn from the system's entropy",
    ),
    Case(
        name="replaced-identifiers",
        write=table(),
        more=("--lookup", "numbers.lookup"),
        policy=policy_text(
            FIELDS
            | {
                "id": '{ role = "direct", replace = "made-up" }',
                "name": '{ role = "direct", replace = { method = "surrogate", kind = "name" } }',
                "family": '{ role = "direct", replace = "lookup" }',
                "age": '{ role = "direct", replace = "number" }',
                "grade": '{ role = "insensitive", follows = "zip" }',
                "seen": '{ role = "insensitive", shift = { days = 90, per = "id", intervals = '
                '"perturb" } }',
            },
            K,
            solve=WORK,
            top='release_to = "trial"',
            after="[recipient.trial]\nlinking = { sex = 0.0 }\ndistortion = { birth = 0.1, zip = "
            "0.9 }",
        ),
        columns_by_chance=("family", "age"),
        why_chance="lookup pseudonyms and numbers in place of keys are drawn from the system's entropy",
    ),
)
