"""The frequency set: count, recode, roll up, compare; the only room that knows the null rule."""

from .bins import Bins
from .counted_people import CountedPeople, pairs_of
from .field_losses import field_losses
from .label_overlap import overlapping
from .matching import match_counts, wild_cells
from .pairing import NOBODY, Pairing, Under
from .people_bins import PeopleBins
from .population import lowest_codes, one_meaning, population_counts
from .recoding import GlobalRecoding, LabelledRecoding, LocalRecoding, Recoding, ValueSplit
from .tuple_groups import group
from .weighted_people import WeightedPeople

__all__ = [
    "NOBODY",
    "Bins",
    "CountedPeople",
    "GlobalRecoding",
    "LabelledRecoding",
    "LocalRecoding",
    "Pairing",
    "PeopleBins",
    "Recoding",
    "WeightedPeople",
    "Under",
    "ValueSplit",
    "field_losses",
    "group",
    "lowest_codes",
    "match_counts",
    "one_meaning",
    "overlapping",
    "pairs_of",
    "population_counts",
    "wild_cells",
]
