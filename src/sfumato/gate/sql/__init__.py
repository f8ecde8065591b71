"""SQL at the gate: lists name everything that may pass; everything else is refused."""

from .admission import Catalogue, admit, admit_all
from .predicates import Predicate
from .questions import Question

__all__ = ["Catalogue", "Predicate", "Question", "admit", "admit_all"]
