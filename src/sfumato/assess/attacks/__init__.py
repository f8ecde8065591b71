"""Attacks on a release, told as stories and measured against a guess and a control group. One file each."""

from .intersection import Second
from .rates import Estimate, Rate, excess
from .running import run_attacks
from .runs import AttackRun, Attacks, Outcome, Story
from .scene import TARGETS, Scene, set_scene

__all__ = [
    "TARGETS",
    "AttackRun",
    "Attacks",
    "Estimate",
    "Outcome",
    "Rate",
    "Scene",
    "Second",
    "Story",
    "excess",
    "run_attacks",
    "set_scene",
]
