"""Where an audience stands: what is known of it decides as judging every class anew does."""

from __future__ import annotations

import numpy as np
import pytest
from example_counts import example_count
from gates import ANN, POLICY, a_gate, people
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.gate.decide.answer_nodes import DecisionContext, shape_at, shape_by_cells, shapes
from sfumato.gate.decide.disclosure_state import MOST_AUDIENCES, DisclosureState, Standings
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.decide.question_cells import QuestionFields
from sfumato.gate.link_mode import BroughtRecords

DIVERSE = POLICY + "non_uniqueness = true\n"
GAINED = POLICY + 'confidence_gain = { gain = 0.3, facts = 1, fields = ["test"] }\n'
SEVERAL = 'entity = "name"\n' + DIVERSE
FIELDS = ("age", "town", "sex")


@pytest.fixture(scope="module", params=["k", "diverse", "gained", "several", "rare"])
def kept(request, tmp_path_factory):
    """A gate over few people, so that many nodes break a rule and many small groups are left
    over."""
    policy = {
        "k": POLICY,
        "diverse": DIVERSE,
        "gained": GAINED,
        "several": SEVERAL,
        "rare": DIVERSE,
    }[request.param]
    rows = people(300, seed=7, share=0.15)
    if request.param == "several":
        rows = [row | {"name": f"Person {number // 3}"} for number, row in enumerate(rows)]
    if request.param == "rare":
        rows = [
            row | ({"sex": "X", "age": 30} if number < 3 else {}) for number, row in enumerate(rows)
        ]
    with a_gate(tmp_path_factory.mktemp(request.param), rows, policy=policy) as gate:
        yield gate.keeper


def questions(holding):
    """Whom somebody asks about: those who agree with some rows in some fields."""
    rows = st.lists(st.integers(0, len(holding) - 1), min_size=0, max_size=12)
    on = st.lists(st.sampled_from(FIELDS), min_size=1, max_size=3, unique=True)
    shows = st.sampled_from([(), ("test",), ("cost",), ("test", "cost")])
    return st.tuples(rows, on, on, shows)


@given(data=st.data())
@settings(max_examples=example_count(25), deadline=None)
def test_what_is_known_decides_as_judging_everything_anew_does(kept, data):
    conditions = kept.tables.conditions["people"]
    holding = conditions.holding
    standing = DisclosureState(Exposure.nothing(len(holding.bins), holding.fields))
    for _ in range(data.draw(st.integers(1, 5))):
        rows, on, further, shows = data.draw(questions(holding))
        wanted = asked(holding, rows, on, further, shows)
        ground = DecisionContext(
            wanted=wanted,
            conditions=conditions,
            standings=(standing,),
            meant=meant_by(wanted, holding),
        )
        anew = DecisionContext.of(wanted, conditions, [standing.exposure])
        possible = set(ground.possible(0.0).tolist())
        safe = []
        for node in range(len(ground.lattice.levels)):
            quick, slow = (
                shape_at(node, ground, allowed=0.0),
                shape_by_cells(node, anew, allowed=0.0),
            )
            assert (quick is None) == (slow is None), (node, ground.lattice.levels[node])
            if quick is not None and slow is not None:
                assert node in possible
                assert same_partition(quick.groups, slow.groups)
                assert not shows or same_partition(quick.parts, slow.parts)
                assert (quick.rows, quick.withheld, quick.loss) == (
                    slow.rows,
                    slow.withheld,
                    slow.loss,
                )
                safe.append(quick)
        if safe:
            told = data.draw(st.sampled_from(safe))
            standing = standing.after(
                told.groups,
                told.parts,
                shows=wanted.shows,
                told=told.told,
                lasting=conditions.lasting,
            )


def asked(holding, rows, on, further, shows):
    known = tuple(name for name in holding.known if name in {*on, *further})
    values = {name: holding.fields[name] for name in on}
    records = frozenset(
        tuple(values[name].values[values[name].codes[row]] for name in on) for row in rows
    )
    return QuestionFields(
        known=known, about=BroughtRecords(on=tuple(on), records=records), shows=shows
    )


def meant_by(wanted, holding):
    codes = {name: holding.bins[:, column] for column, name in enumerate(holding.known)}
    return wanted.about.marks(holding.fields, codes)


def same_partition(one, other):
    """Both leave out the same bins and put the others together alike."""
    pairs = {*zip(one.tolist(), other.tolist(), strict=True)}
    return (
        len(pairs) == len(np.unique(one)) == len(np.unique(other))
        and ((one < 0) == (other < 0)).all()
    )


def test_the_same_is_not_judged_twice(kept, monkeypatch):
    """Asked about other people at a node that was shown before, no class is judged for its
    values."""
    conditions = kept.tables.conditions["people"]
    holding = conditions.holding
    standing = DisclosureState(Exposure.nothing(len(holding.bins), holding.fields))
    wanted = QuestionFields(known=("sex",), about=None, shows=("test",))
    whole = DecisionContext.of(wanted, conditions, [standing.exposure])
    shown = shapes(whole)[0]
    after = standing.after(
        shown.groups, shown.parts, shows=("test",), told=shown.told, lasting=conditions.lasting
    )
    monkeypatch.setattr(type(conditions), "too_alike", None)
    about = BroughtRecords(on=("sex",), records=frozenset({("F",)}))
    some = QuestionFields(known=("sex",), about=about, shows=("test",))
    ground = DecisionContext(
        wanted=some, conditions=conditions, standings=(after,), meant=meant_by(some, holding)
    )
    node = next(
        n
        for n in range(len(ground.lattice.levels))
        if ground.lattice.levels_of(n) == dict(shown.levels)
    )
    assert ground.is_fixed(node)
    assert shape_at(node, ground, allowed=0.0) is not None


def test_audiences_that_have_seen_the_same_stand_together(tmp_path):
    with a_gate(tmp_path, people(200)) as gate:
        keeper = gate.keeper
        holding = keeper.holdings["people"]
        stand = keeper.exact.standings.of
        assert stand("ann", holding) is stand("bob", holding)
        keeper.ask(ANN, "SELECT sex, test FROM people")
        assert stand("everyone", holding).exposure.classes > 1
        read = Standings(keeper.state).of("everyone", holding)
        assert read.exposure.is_as(stand("everyone", holding).exposure)


def test_only_so_many_audiences_are_kept_in_memory(tmp_path):
    with a_gate(tmp_path, people(200)) as gate:
        keeper = gate.keeper
        holding = keeper.holdings["people"]
        for number in range(MOST_AUDIENCES + 5):
            keeper.exact.standings.of(f"person {number}", holding)
        assert len(keeper.exact.standings._kept) == MOST_AUDIENCES
