"""A stopwatch at both doors, over sockets: refusals that data decides take the same time, whatever
the reason.

To know that the stopwatch is good, refusals are made 20 ms slower: without pacing it sees that,
with pacing it does not. The least of several times counts, because other programs on the machine
make the others longer."""

from __future__ import annotations

import time

import pytest
from gate_clients import a_gate
from gate_stopwatch import DOORS, REFUSALS, a_world, kinds_of, times_of

from sfumato.errors import NotAnswered
from sfumato.gate import response_timing
from sfumato.gate.keeper import GateKeeper

TIMES, ROUNDS = 10, 20
"""Another round is asked for where the machine was too busy: noise only ever makes times longer."""
SLOWER = 0.02


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return a_world(tmp_path_factory.mktemp("town"), count=400).path


@pytest.fixture
def slow_refusals(monkeypatch):
    ask = GateKeeper.ask

    def slowly(self, *words, **named):
        try:
            return ask(self, *words, **named)
        except NotAnswered:
            time.sleep(SLOWER)
            raise

    monkeypatch.setattr(GateKeeper, "ask", slowly)


def least(path, folder, door, kinds, *, enough):
    """The least seconds of each kind of reply, of as many rounds as are needed to see what there is
    to see."""
    least = dict.fromkeys(kinds, float("inf"))
    with a_gate(path, folder) as gate:
        asked = kinds_of(gate.keeper)
        with DOORS[door](gate) as ask:
            for seed in range(1, ROUNDS + 1):
                found = times_of(ask, {kind: asked[kind] for kind in kinds}, times=TIMES, seed=seed)
                least = {kind: min(least[kind], each.min()) for kind, each in found.items()}
                if enough(least):
                    break
    return least


@pytest.mark.long("a control at each door; that ours is not read stays")
@pytest.mark.parametrize("door", DOORS)
def test_a_stopwatch_reads_a_gate_without_pacing(path, tmp_path, monkeypatch, slow_refusals, door):
    monkeypatch.setattr(response_timing, "leaves_at", lambda taken: taken)

    def seen(found):
        return found["too few"] - found["not admitted"] > SLOWER * 0.9

    found = least(path, tmp_path / "gate", door, ("not admitted", "too few"), enough=seen)
    assert seen(found)


@pytest.mark.long("hundreds of timed answers at each door; one door stays", but=("httpx",))
@pytest.mark.parametrize("door", DOORS)
def test_a_stopwatch_does_not_read_ours(path, tmp_path, slow_refusals, door):
    """Whatever the reason, and though refusals take longer than what is not admitted: all leave
    with the grid."""

    def alike(found):
        return max(found.values()) - min(found.values()) < SLOWER / 2

    found = least(path, tmp_path / "gate", door, ("not admitted", *REFUSALS), enough=alike)
    assert min(found.values()) >= response_timing.STEP
    assert alike(found)
