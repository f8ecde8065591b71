"""SQL at the gate: what may pass is listed, everything else does not."""

from .admission import Catalogue, admit, admit_all
from .predicates import Predicate
from .questions import Question

__all__ = ["Catalogue", "Predicate", "Question", "admit", "admit_all"]
