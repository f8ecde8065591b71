"""Apply a recoding, write, recount, and say what was done: manifest, report, verification."""

from .checks import Check, outcome_of
from .identifiers import Key, reveal, reveal_by_search
from .preparing import Prepared, prepare
from .proposing import beside, write_new
from .releasing import Release, release
from .revealing import reveal_encrypted
from .verifying import verify

__all__ = [
    "Check",
    "Key",
    "Prepared",
    "Release",
    "beside",
    "outcome_of",
    "prepare",
    "release",
    "reveal",
    "reveal_by_search",
    "reveal_encrypted",
    "verify",
    "write_new",
]
