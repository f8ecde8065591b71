"""Time: an attacker with a stopwatch asks questions that take longer where the target's test is
positive.

Against a gate that hands its questions to a database, a join that has work to do only for one
person tells the test. Ours does not admit such questions, and what it decides takes a time that
depends on the test at most by chance: the attacker sees the times on the grid of `pacing`, over the
web and the wire alike. Times are CPU times of the decision, so that other programs on the machine
make no difference; the attacker would have to see through those too."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import pytest
from gate_world import Ask, Person, World, asking, pairs, people

from sfumato.gate.response_timing import leaves_at
from sfumato.gate.settings import Mode, Terms

pytestmark = pytest.mark.long("hundreds of timed answers; test_gate_stopwatch.py stays")

EVERYBODY = people()
TURNS = 5
SLOW = "SELECT COUNT(*) FROM people, RANGE(3000000)\nWHERE {alone} AND people.test > 0"
ASKED = (
    "SELECT COUNT(*) FROM people WHERE {alone} AND test = 1",
    "SELECT test FROM people WHERE NOT ({alone})",
    "SELECT age, town, test FROM people",
    SLOW,
)


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    return pairs(EVERYBODY, 6, tmp_path_factory.mktemp("gate"))


def taken(ask: Ask, sql: str, target: Person) -> float:
    started = time.process_time()
    ask(sql.replace("{alone}", target.alone))
    return time.process_time() - started


def advantage(towns, seconds: Callable[[World, Person], float]) -> float:
    """How much better than guessing the best limit between the times tells the test: 0 for
    guessing, 1 for knowing."""
    seen = [tuple(seconds(world, pair.target) for world in pair.worlds) for pair in towns]
    limits = {each for both in seen for each in both}
    return max(
        abs(statistics.mean((one > limit) - (none > limit) for none, one in seen))
        for limit in (*limits, 0.0)
    )


def test_a_stopwatch_reads_a_gate_that_hands_questions_on(towns):
    def seconds(world: World, target: Person) -> float:
        with world.plain() as ask:
            return min(taken(ask, SLOW, target) for _ in range(2))

    assert advantage(towns, seconds) > 0.9


@pytest.mark.parametrize("sql", ASKED, ids=["alone", "all but one", "everybody", "a slow join"])
def test_a_stopwatch_does_not_read_ours(towns, sql):
    def seconds(world: World, target: Person) -> float:
        turns = []
        for _ in range(TURNS):
            with world.ours(terms=Terms(mode=Mode.EXACT)) as keeper:
                turns.append(leaves_at(taken(asking(keeper), sql, target)))
        return statistics.median(turns)

    assert advantage(towns, seconds) < 0.1
