"""The parts of the matrix: requirements, solvers, techniques and shapes, each as lines of a small
policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.parts import Shape
from sfumato.policy import SOLVERS as DECLARED_SOLVERS

from .case import step
from .people import ILLS

Fields = Mapping[str, str]

ILL_TREE = f"{{ tree = {{ some = {list(ILLS[:4])}, rest = {list(ILLS[4:])} }} }}".replace("'", '"')
FIELDS: dict[str, str] = {
    "id": '"direct"',
    "family": '"direct"',
    "name": '"direct"',
    "birth": '"direct"',
    "age": '"insensitive"',
    "sex": '{ role = "quasi", rank = 2 }',
    "zip": '{ role = "quasi", hierarchy = { prefix = [4, 3] }, rank = 2 }',
    "job": '"insensitive"',
    "grade": '"insensitive"',
    "income": '"insensitive"',
    "weight": '"insensitive"',
    "lat": '"insensitive"',
    "lon": '"insensitive"',
    "ill": '"sensitive"',
    "seen": '"insensitive"',
}
VISITS: dict[str, str] = {
    "id": '"direct"',
    "ward": '"insensitive"',
    "stay": '"insensitive"',
    "days": '"insensitive"',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a requirement, a solver, a technique or a shape adds to a policy."""

    require: str = ""
    fields: Fields = field(default_factory=dict)
    steps: str = ""
    solve: str = ""
    top: str = ""
    base: str | None = None
    """What is required beside it, where that is not the usual `k`."""
    below: str = ""
    """What is required in its place where quasi-identifiers are below the person's table."""
    in_tables: str = ""
    """What is required in its place where there are several tables, of the fields in `visits`."""
    visits: Fields = field(default_factory=dict)


K = "k = 2"
COMBINATIONS = "combinations = { k = 2, sizes = [1, 2] }"
DATAFLY = 'solver = "datafly"'
HASH = '{ role = "direct", replace = "hash" }'
PLAIN_QUASI = {"zip": '"quasi"', "sex": '"quasi"'}
NUMBERS = {"sex": '"insensitive"', "zip": '"insensitive"', "age": '"quasi"', "income": '"quasi"'}

COARSE_ZIPS = {"zip": '{ role = "quasi", hierarchy = { prefix = [4, 3] }, rank = 2, finest = 2 }'}

REQUIREMENTS: dict[str, Part] = {
    "k": Part(require="", base=K),
    "quasi_identifiers": Part(
        require='quasi_identifiers = [["zip"], ["sex"]]',
        below='quasi_identifiers = [["zip"], ["sex", "visits.stay"]]',
    ),
    "k_map (population)": Part(require='k_map = { k = 2, population = "register.csv" }'),
    "k_map (weight)": Part(require='k_map = { k = 3, weight = "weight" }'),
    "bin_sizes": Part(require="bin_sizes = { sex = 2 }"),
    "combinations": Part(require=COMBINATIONS),
    "key_combinations": Part(require='key_combinations = [{ fields = ["zip", "sex"], k = 2 }]'),
    "bounded_knowledge": Part(
        require='bounded_knowledge = { k = 2, m = 1, register = ["sex"], confidence = 0.9 }'
    ),
    "anonymity": Part(
        require="anonymity = { level = 0.2, r2 = 3, e = 2, loss = 0.1 }", base="", solve=DATAFLY
    ),
    "non_uniqueness": Part(require="non_uniqueness = true"),
    "l_diversity (distinct)": Part(require="l_diversity = { l = 2 }"),
    "l_diversity (entropy)": Part(require='l_diversity = { l = 1.2, kind = "entropy" }'),
    "l_diversity (recursive)": Part(require='l_diversity = { l = 2, kind = "recursive", c = 9.0 }'),
    "t_closeness": Part(require="t_closeness = { t = 0.9 }"),
    "value_spread": Part(
        require='value_spread = { width = 0.01, share = 1.0, fields = ["lat"] }',
        fields={"lat": '"sensitive"'},
    ),
    "p_sensitive": Part(require="p_sensitive = { p = 2, k = 2 }"),
    "alpha_k": Part(require="alpha_k = { alpha = 0.9, k = 2 }"),
    "delta_disclosure": Part(require='delta_disclosure = { delta = 6.0, absent = "ignored" }'),
    "beta_likeness": Part(require="beta_likeness = { beta = 30.0 }"),
    "confidence_gain": Part(require="confidence_gain = { gain = 0.9 }"),
    "delta_presence": Part(
        require='delta_presence = { population = "register.csv", min = 0.0, max = 0.9 }'
    ),
    "average_risk": Part(require="average_risk = 0.5"),
    "maximum_risk": Part(require="maximum_risk = 0.5"),
    "population_uniqueness": Part(
        require="population_uniqueness = { threshold = 0.9, sampling_fraction = 0.5 }"
    ),
    "null_map": Part(
        require="null_map = true",
        fields=PLAIN_QUASI,
        steps=step("encrypt", 'fields = ["zip", "sex"]'),
    ),
    "wrong_map": Part(
        require='wrong_map = { outside = ["lat"] }\nmax_suppression = 0.9',
        base="k = 1",
        fields=PLAIN_QUASI | {"birth": '"quasi"'},
        steps=step("swap", 'fields = ["zip", "sex", "birth"]\nmethod = "unit"'),
    ),
    "safe_harbor": Part(
        require='safe_harbor = { zips = ["zip"] }',
        fields=COARSE_ZIPS | {"seen": '"direct"', "weight": '"direct"'},
    ),
    "safe_harbor (of no field)": Part(
        require="safe_harbor = true",
        fields={"seen": '"direct"', "weight": '"direct"'},
    ),
    "k_m": Part(
        require='k_m = { field = "ill", k = 2, m = 1 }',
        in_tables='k_m = [{ table = "visits", field = "ward", k = 2, m = 1 }]',
        top='entity = "id"',
        fields={"id": HASH, "ill": f'{{ role = "sensitive", hierarchy = {ILL_TREE} }}'},
        visits={"ward": '{ role = "sensitive", hierarchy = { prefix = [1] } }'},
    ),
    "nulls = matches-anything": Part(top='nulls = "matches-anything"'),
    "reading = wildcard": Part(require='reading = "wildcard"'),
}

SOLVERS: dict[str, Part] = {
    "anytime": Part(solve='solver = "anytime"\nwork = 500'),
    "best": Part(solve='solver = "best"\nwork = 500\nrounds = 5'),
    "optimal": Part(solve='solver = "optimal"\nwork = 500'),
    "given": Part(solve='solver = "given"\nlevels = { zip = 2 }'),
    "datafly": Part(solve=DATAFLY),
    "datafly2": Part(solve='solver = "datafly2"'),
    "mu_argus": Part(solve='solver = "mu_argus"', base=f"{COMBINATIONS}\n{K}"),
    "greedy": Part(solve='solver = "greedy"'),
    "k_similar": Part(solve='solver = "k_similar"\nwork = 50'),
    "local": Part(solve='solver = "local"\nwork = 5'),
    "microaggregation": Part(solve='solver = "microaggregation"', fields=NUMBERS),
}

TECHNIQUES: dict[str, Part] = {
    name: Part(steps=step(name, lines), fields=fields)
    for name, lines, fields in (
        ("suppress", 'fields = ["grade"]\nvalues = ["none"]', {}),
        ("merge_small", 'fields = ["job"]\nleast = 4', {}),
        ("encrypt", 'fields = ["grade"]', {}),
        ("swap", 'fields = ["job"]\nmethod = "random"', {}),
        (
            "substitute",
            'fields = ["ill"]\nlevel = 1',
            {"ill": f'{{ role = "sensitive", hierarchy = {ILL_TREE} }}'},
        ),
        ("pram", 'fields = ["job"]\nkeep = 0.8', {}),
        ("blank_and_impute", 'fields = ["job"]\nshare = 0.2', {}),
        ("sample", "share = 0.8", {}),
        ("add_rows", "share = 0.2\nk = 4", {}),
        ("outliers", 'fields = ["income"]', {}),
        ("perturb", 'fields = ["income"]\nshare = 0.3', {}),
        ("round", 'fields = ["income"]\nbase = 100', {}),
        ("noise", 'fields = ["income"]\nshare = 0.2', {}),
        ("top_bottom", 'fields = ["income"]\ntop_share = 0.1', {}),
        ("microaggregate", 'fields = ["income"]\nk = 3', {}),
        ("geo_noise", 'fields = ["lat", "lon"]\npeople = 5', {}),
        ("select", 'by = ["age"]\nleast = 20', {}),
        ("wrong_map", 'fields = ["lat", "lon"]\noutside = ["ill"]\nleave_out = 0.9', {}),
        ("null_map", 'fields = ["job", "grade"]\nleave_out = 0.9', {}),
        ("null_map_noise", 'fields = ["lat", "lon"]\nleave_out = 0.9', {}),
    )
}

STEPS = "steps"
"""A step is over before anything is counted: what works with one row per person works after it."""
SHAPES: dict[str, Part] = {
    Shape.ONE_ROW.value: Part(),
    Shape.SEVERAL_ROWS.value: Part(top='entity = "id"\nrow_counts = { linking = 0.0 }'),
    Shape.SEVERAL_TABLES.value: Part(),
    Shape.ACROSS_TABLES.value: Part(),
    Shape.HOUSEHOLDS.value: Part(top='household = "family"'),
    Shape.WEIGHTS.value: Part(require='k_map = { k = 3, weight = "weight" }'),
    Shape.NULL_READINGS.value: Part(top='nulls = "matches-anything"'),
    STEPS: Part(steps=step("round", 'fields = ["age"]\nbase = 5')),
}
LINKED = (Shape.SEVERAL_TABLES.value, Shape.ACROSS_TABLES.value)
DEFAULT_SHAPE, DEFAULT_SOLVER = Shape.ONE_ROW.value, "anytime"


def policy_of(shape: str, *parts: Part) -> str:
    """The policy of a shape with everything that the parts add; `max_suppression` is generous."""
    every = [SHAPES[shape], *parts]
    fields, visits, linked = dict(FIELDS), dict(VISITS), shape in LINKED
    for part in every:
        fields |= {} if linked and part.in_tables else part.fields
        visits |= part.visits if linked else {}
    require, top = dict[str, str](), dict[str, str]()
    for part in every:
        below = part.below if shape == Shape.ACROSS_TABLES.value else ""
        require |= _by_key(below or (part.in_tables if linked else "") or part.require)
        top |= _by_key(part.top)
    for base in [part.base for part in parts if part.base is not None] or [K]:
        require |= _by_key(base)
    require.setdefault("max_suppression", "max_suppression = 0.9")
    body = _fields("fields", fields)
    if linked:
        top["entity"] = 'entity = "people.id"'
        body = _tables(fields, visits, below=shape == Shape.ACROSS_TABLES.value)
    solve = [part.solve for part in every if part.solve] or [SOLVERS[DEFAULT_SOLVER].solve]
    require |= _needed(solve[-1], require)
    steps = "".join(part.steps for part in every)
    steps = steps.replace("[[steps]]", '[[steps]]\ntable = "people"') if linked else steps
    lines = [*top.values(), body, steps, "[require]", *require.values(), "[solve]", solve[-1]]
    return _fitting("\n".join(lines) + "\n", fields)


def _needed(solve: str, require: Mapping[str, str]) -> dict[str, str]:
    """What the solver needs to be required, where nothing of it is."""
    need = DECLARED_SOLVERS[solve.split('"')[1]].abilities.need
    return {} if need is None or any(key in require for key in need.requirements) else _by_key(K)


def _by_key(lines: str) -> dict[str, str]:
    """Lines by their key: what is tried takes the place of what its shape requires."""
    return {line.split(" = ")[0]: line for line in lines.splitlines()}


def _fitting(policy: str, fields: Fields) -> str:
    """The policy, asking of numbers where only these are quasi, and without levels that are not
    there."""
    if fields["age"] == '"quasi"':
        head, tail = policy.split("[require]")
        for plain, number in (('"zip"', '"age"'), ('"sex"', '"income"'), ("{ sex =", "{ income =")):
            tail = tail.replace(plain, number)
        policy = f"{head}[require]{tail}"
    return policy.replace("\nlevels = { zip = 2 }", "") if fields["zip"] == '"quasi"' else policy


def _fields(section: str, fields: Fields) -> str:
    return "\n".join([f"[{section}]", *(f"{name} = {said}" for name, said in fields.items())])


def _tables(fields: Fields, visits: Fields, *, below: bool) -> str:
    """The clinic's two tables; links are hashed, so that rows stay linked."""
    link = {"id": HASH}
    quasi = "days" if fields["age"] == '"quasi"' else "stay"
    below_fields = {**visits, **link} | ({quasi: '"quasi"'} if below else {})
    head = '[tables.visits]\nlinks = { id = "people.id" }\nrow_counts = { linking = 0.0 }'
    people_part = [
        '[tables.people]\nkey = "id"',
        _fields("tables.people.fields", {**fields, **link}),
    ]
    return "\n".join([*people_part, head, _fields("tables.visits.fields", below_fields)])
