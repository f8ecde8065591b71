"""Queries of DuckDB beside the main thread: one thread does many, holds nothing, and may be lost."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import weakref

import pytest

from sfumato.engines.duckdb.query_thread import Worker
from sfumato.engines.duckdb.session import DuckDBSession
from sfumato.runs import StepProgress, listening


def asked(work):
    with Worker(work, lambda: None) as worker:
        worker.wait()
    return worker.result()


def test_one_query_after_the_other_is_done_by_the_same_thread():
    asked(threading.get_ident)
    time.sleep(0.05)  # The thread says that it is done, and is idle a moment later.
    before = threading.active_count()
    for _ in range(100):
        assert asked(threading.current_thread).name == "duckdb"
    assert threading.active_count() <= before + 1


def test_an_idle_thread_holds_nothing_of_the_last_query():
    class Connection:
        def execute(self):
            return 7

    connection = Connection()
    gone = weakref.ref(connection)
    assert asked(connection.execute) == 7
    del connection
    until = time.monotonic() + 60
    while gone() is not None and time.monotonic() < until:
        gc.collect()
        time.sleep(0.01)
    assert gone() is None


def test_an_error_is_raised_where_it_was_asked_and_the_next_query_is_done():
    def broken():
        raise ValueError("no such table")

    for _ in range(3):
        with pytest.raises(ValueError, match="no such table"):
            asked(broken)
    assert asked(lambda: 7) == 7


@pytest.mark.parametrize("woken", ["the main thread", "the query's thread"])
def test_a_signal_stops_the_query_and_the_next_one_is_done(woken):
    """The system may hand a signal to any thread; only the main one can obey it."""
    stopped = threading.Event()

    def work():
        here = woken == "the query's thread"
        thread = threading.current_thread() if here else threading.main_thread()
        signal.pthread_kill(thread.ident, signal.SIGINT)
        assert stopped.wait(20)

    for _ in range(3):
        stopped.clear()
        with pytest.raises(KeyboardInterrupt), Worker(work, stopped.set) as worker:
            worker.wait()
        assert stopped.is_set()
    assert asked(lambda: 7) == 7


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    """It has none of its parent's, whose idle one would never answer."""
    asked(lambda: 7)
    time.sleep(0.05)
    child = os.fork()
    if child == 0:
        os._exit(asked(lambda: 7))
    until = time.monotonic() + 60
    while (found := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < until:
        time.sleep(0.01)
    if found == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(found[1]) == 7


def test_whoever_waits_can_look_each_turn():
    looked = threading.Event()
    with Worker(lambda: looked.wait(600), lambda: None, each_turn=looked.set) as worker:
        worker.wait()
    assert worker.result()


def test_a_session_reports_the_share_of_a_query_to_a_listener(tmp_path):
    found: list[StepProgress] = []
    with listening(found.append):
        session = DuckDBSession(str(tmp_path), "1GB")
        session._report_share()  # No query runs, so DuckDB knows no share.
        assert found == []
        session._connection = FakeProgress(session._connection)
        session._report_share()
    assert found == [StepProgress(share=0.25)]


class FakeProgress:
    """A connection that says that a quarter of its query is done."""

    def __init__(self, connection):
        self._connection = connection

    def query_progress(self):
        return 25.0

    def __getattr__(self, name):
        return getattr(self._connection, name)
