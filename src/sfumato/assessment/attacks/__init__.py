"""Attacks on a release, described as stories and measured against a guess and a control group. One
file each."""

from .all_attacks import run_attacks
from .attack_run import AttackRun, Attacks, Outcome, Story
from .attack_setup import TARGETS, Scene, set_scene
from .bounded_attacker import BoundedAttacker
from .intersection import Second
from .rates import Rate, RateEstimate, excess

__all__ = [
    "TARGETS",
    "AttackRun",
    "Attacks",
    "BoundedAttacker",
    "RateEstimate",
    "Outcome",
    "Rate",
    "Scene",
    "Second",
    "Story",
    "excess",
    "run_attacks",
    "set_scene",
]
