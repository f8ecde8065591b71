"""Random small databases of people, their visits and the tests made there, random policies for
them, and a plain recount of what a release of them must keep: loops and dictionaries, nothing of
Sfumato."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from itertools import combinations

from hypothesis import strategies as st

FIELDS = {
    "people": ("id", "mark", "a", "b"),
    "visits": ("id", "person", "mark", "c"),
    "tests": ("visit", "person", "mark", "d"),
}
VALUES = ("p", "q", "r", "s")
ODD = (" x", '"', "'", "\n", "é", ",NULL", ";")
TREE = {"tree": {"left": ["p", "q"], "right": ["r", "s"]}}
cells = st.one_of(st.none(), st.sampled_from(VALUES))
places = st.integers(0, 10_000)


@st.composite
def databases(draw):
    """Rows by table. Marks say whose a row is, for the recount; some links are null, or lead
    nowhere."""
    dirty, odd = draw(st.integers(0, 5)) == 0, draw(st.sampled_from(["", "", *ODD]))
    people = [
        {"id": f"{n}{odd}", "mark": f"m{n}", "a": draw(cells), "b": draw(cells)}
        for n in range(draw(st.integers(2, 12)))
    ]
    visits, tests = [], []
    for n, place in enumerate(draw(st.lists(places, max_size=20))):
        who = people[place % len(people)] if place % 3 else people[place % min(3, len(people))]
        visits.append(
            {"id": f"{n}{odd}", "person": who["id"], "mark": who["mark"], "c": draw(cells)}
        )
    for place in draw(st.lists(places, max_size=20)) if visits else ():
        visit = visits[place % len(visits)]
        tests.append(
            {
                "visit": visit["id"],
                "person": visit["person"],
                "mark": visit["mark"],
                "d": draw(cells),
            }
        )
    if dirty:
        _spoil(draw, visits, tests)
    return {"people": people, "visits": visits, "tests": tests}


def _spoil(draw, visits, tests):
    for rows, name in ((visits, "person"), (tests, "visit"), (tests, "person")):
        if rows and draw(st.booleans()):
            rows[draw(places) % len(rows)][name] = draw(st.sampled_from([None, "99"]))


def write(database, folder):
    folder.mkdir()
    for name, rows in database.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS.get(name) or list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return folder


def read(path):
    with path.open(newline="") as file:
        return [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(file)]


row_counts = st.fixed_dictionaries(
    {},
    optional={
        "bin_size": st.integers(2, 3),
        "linking": st.sampled_from([0.0, 0.5, 1.0]),
        "merging": st.sampled_from(["datafly", "fewest-rows"]),
    },
)


@st.composite
def policies(draw):
    """A policy as a table. Quasi fields are in the table of people alone, or in any."""
    below = draw(st.booleans())
    k = draw(st.integers(2, 3))
    valued = st.sampled_from(["sensitive", "insensitive"])
    lower = st.sampled_from(["quasi", "quasi", "sensitive"]) if below else valued
    ways = draw(st.booleans())
    person = {"role": "direct", "replace": draw(st.sampled_from(["number", "number", "hash"]))}
    shown = draw(st.integers(0, 5)) > 0
    whose = person if shown else "direct"
    tables = {
        "people": {
            "key": "id",
            "fields": {
                "id": person,
                "mark": "insensitive",
                "a": _quasi(draw, draw(st.sampled_from(["quasi", "insensitive"]))),
                "b": _quasi(draw, "quasi"),
            },
        },
        "visits": {
            "key": "id",
            "links": {"person": "people.id"},
            "orphans": draw(st.sampled_from(["refuse", "remove", "remove"])),
            "row_counts": draw(row_counts),
            "fields": {
                "id": {"role": "direct", "replace": "number"},
                "person": whose,
                "mark": "insensitive",
                "c": _quasi(draw, draw(lower)),
            },
        },
        "tests": {
            "links": {"visit": "visits.id"} | ({"person": "people.id"} if ways else {}),
            "orphans": draw(st.sampled_from(["refuse", "remove", "remove"])),
            "row_counts": draw(row_counts),
            "fields": {
                "visit": {"role": "direct", "replace": "number"},
                "person": person if ways and draw(st.booleans()) else "direct",
                "mark": "insensitive",
                "d": _quasi(draw, draw(lower)),
            },
        },
    }
    if not draw(st.integers(0, 2)):
        del tables["tests"]
    solvers = (
        ["anytime", "optimal"]
        if below
        else ["anytime", "datafly2", "k_similar", "local", "mu_argus"]
    )
    require = {"k": k, "max_suppression": draw(st.sampled_from([0.0, 0.3, 1.0]))}
    sets = [
        one
        for name, field in (("visits", "c"), ("tests", "d"))
        for one in _sets(draw, tables, name, field, shown)
    ]
    return {
        "entity": "people.id",
        "tables": tables,
        "require": require | ({"k_m": sets} if sets else {}),
        "solve": {"solver": draw(st.sampled_from(solvers))},
        "order": draw(st.sampled_from(["scramble", "sorted"])),
    }


def _quasi(draw, role):
    hierarchy = draw(st.sampled_from([None, TREE])) if role == "quasi" else None
    return {"role": role} | ({"hierarchy": hierarchy} if hierarchy else {})


def _sets(draw, tables, table, field, shown):
    if (
        table not in tables
        or not shown
        or tables[table]["fields"][field]["role"] == "quasi"
        or draw(st.booleans())
    ):
        return
    tables[table]["fields"][field]["hierarchy"] = draw(st.sampled_from([TREE, {"suppress": True}]))
    yield {
        "table": table,
        "field": field,
        "k": draw(st.integers(2, 3)),
        "m": draw(st.integers(1, 3)),
        "within_bins": draw(st.booleans()),
    }


# ---------------------------------------------------------------------------------- one table with
# rows of one person


@st.composite
def repeated(draw):
    """Rows of one table in which people have several, and a policy for it."""
    rows = [
        {"id": f"{draw(places) % 9}", "a": draw(cells), "b": draw(cells), "c": draw(cells)}
        for _ in range(draw(st.integers(2, 25)))
    ]
    shown = draw(st.integers(0, 3)) > 0
    fields = {
        "id": {"role": "direct", "replace": "number"} if shown else "direct",
        "a": _quasi(draw, "quasi"),
        "b": _quasi(draw, draw(st.sampled_from(["quasi", "insensitive"]))),
        "c": {"role": "sensitive"},
    }
    require = {
        "k": draw(st.integers(2, 3)),
        "max_suppression": draw(st.sampled_from([0.0, 0.3, 1.0])),
    }
    if shown and draw(st.booleans()):
        fields["c"] |= {"hierarchy": TREE}
        require["k_m"] = {"field": "c", "k": draw(st.integers(2, 3)), "m": draw(st.integers(1, 3))}
    counts = draw(row_counts)
    counts = {key: value for key, value in counts.items() if key != "linking" or value < 1}
    return rows, {"entity": "id", "fields": fields, "require": require, "row_counts": counts}


def check_one_table(rows, said):
    """What must hold of a release of one table that shows whose rows it has."""
    quasi = [name for name in ("a", "b") if said["fields"][name]["role"] == "quasi"]
    people, sets = defaultdict(set), defaultdict(set)
    for row in rows:
        people[tuple(row[name] for name in quasi)].add(row["id"])
        sets[row["id"]].update([] if row["c"] is None else [row["c"]])
    assert all(len(found) >= said["require"]["k"] for found in people.values())
    if said["row_counts"].get("linking") != 0:
        numbers = Counter(Counter(row["id"] for row in rows).values())
        assert min(numbers.values()) >= said["row_counts"].get("bin_size", said["require"]["k"])
    asked = said["require"].get("k_m")
    if asked:
        sizes = range(1, asked["m"] + 1)
        held = Counter(
            some
            for found in sets.values()
            for n in sizes
            for some in combinations(sorted(found), n)
        )
        assert all(number >= asked["k"] for number in held.values())


# --------------------------------------------------------------------------------------------------------
# the recount


class Recount:
    """What was released, with whose row each row is by its mark, and all that must hold of it."""

    def __init__(self, policy, rows, source):
        self.policy, self.rows, self.source = policy, rows, source
        self.people = {row["mark"]: row for row in rows["people"]}
        self.visits = {row["id"]: row for row in rows.get("visits", ())}

    def quasi(self, table):
        return [
            n
            for n, said in self.policy["tables"][table]["fields"].items()
            if isinstance(said, dict) and said["role"] == "quasi"
        ]

    def check(self):
        self.check_links()
        self.check_bins()
        for table in [name for name in ("visits", "tests") if name in self.rows]:
            if self.policy["tables"]["visits"]["fields"]["person"] != "direct":
                self.check_numbers(table)
        for asked in self.policy["require"].get("k_m", ()):
            self.check_sets(asked)

    def check_links(self):
        """Pseudonyms are one to one, the same in every table, and lead to the row that they led to
        in the source."""
        whose = {row["id"]: row["mark"] for row in self.rows["people"]}
        assert len(whose) == len(self.rows["people"]) == len(self.people)
        for row in (*self.rows.get("visits", ()), *self.rows.get("tests", ())):
            assert row["mark"] in self.people
            assert "person" not in row or whose[row["person"]] == row["mark"]
        assert len(self.visits) == len(self.rows.get("visits", ()))
        for row in self.rows.get("tests", ()):
            assert self.visits[row["visit"]]["mark"] == row["mark"]

    def check_bins(self):
        """Each bin over a table's quasi fields and those above it has k people."""
        for table, rows in self.rows.items():
            if self.quasi(table):
                people = defaultdict(set)
                for row in rows:
                    people[self._bin(table, row)].add(row["mark"])
                assert all(len(found) >= self.policy["require"]["k"] for found in people.values())

    def _bin(self, table, row):
        found = [self.people[row["mark"]][name] for name in self.quasi("people")]
        if table == "tests":
            found += [self.visits[row["visit"]][name] for name in self.quasi("visits")]
        return (*found, *(row[name] for name in self.quasi(table) if table != "people"))

    def check_numbers(self, table):
        """Each number of rows is that of enough people, also among those who share their quasi
        values if known."""
        said = self.policy["tables"][table]["row_counts"]
        if said.get("linking") == 0:
            return
        size = said.get("bin_size", self.policy["require"]["k"])
        rows = Counter(row["mark"] for row in self.rows[table])
        joint = self.quasi("people") if said.get("linking") == 1 else []
        people = Counter(
            (rows[mark], *(row[name] for name in joint)) for mark, row in self.people.items()
        )
        assert min(people.values()) >= size

    def check_sets(self, asked):
        """Each combination of values that somebody has is had by enough, also among their like
        where asked."""
        sets = defaultdict(set)
        for row in self.rows[asked["table"]]:
            if row[asked["field"]] is not None:
                sets[row["mark"]].add(row[asked["field"]])
        within = self.quasi("people") if asked["within_bins"] else []
        held = Counter(
            (some, *(self.people[mark][name] for name in within))
            for mark, found in sets.items()
            for size in range(1, asked["m"] + 1)
            for some in combinations(sorted(found), size)
        )
        assert all(people >= asked["k"] for people in held.values())
