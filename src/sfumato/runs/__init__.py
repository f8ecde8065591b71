"""The life of a run: interrupts, the owner of its files on disk, and targets that one run at a time
may write."""

from .claims import claim
from .interrupts import acknowledge, deferred, interruptible, watch
from .leftovers import (
    REPLACED,
    UNFINISHED,
    Leftover,
    find_leftovers,
    scratch_folder,
    temporary_folder,
)
from .locks import hidden_name
from .moves import exchange, link_new, rename_new
from .numeric_threads import one_thread
from .process_pool import processes, worked
from .processor_cores import on_cores, usable_cores
from .step_progress import StepProgress, is_listened_to, listening, report_step

__all__ = [
    "REPLACED",
    "UNFINISHED",
    "Leftover",
    "StepProgress",
    "acknowledge",
    "claim",
    "deferred",
    "exchange",
    "find_leftovers",
    "hidden_name",
    "interruptible",
    "is_listened_to",
    "link_new",
    "listening",
    "on_cores",
    "one_thread",
    "processes",
    "rename_new",
    "report_step",
    "scratch_folder",
    "temporary_folder",
    "usable_cores",
    "watch",
    "worked",
]
