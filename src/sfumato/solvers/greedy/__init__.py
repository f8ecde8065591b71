"""Greedy: levels of whole fields and blank cells for wide tables under bounded knowledge."""

from .greedy import Greedy, GreedySettings

__all__ = ["Greedy", "GreedySettings"]
