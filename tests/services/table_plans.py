"""The plan of a release of several tables, without a release."""

from sfumato.releases.tables.checked_tables import check_fit
from sfumato.releases.tables.flow import SolvedTables, plan_tables
from sfumato.releases.tables.recoding import solve


def planned_tables(database, policy, *, key=None):
    """Every table staged and planned, as a release would write it."""
    checked = check_fit(database, policy)
    solved = SolvedTables(
        checked=checked, solved=solve(database, policy, checked.seen, progress=_silent)
    )
    return plan_tables(database, policy, solved, key=key, lookup_file=None, progress=_silent)


def _silent(stage):
    """Tests show no progress."""
