"""The utility of a release: how close it is to its source, for the uses that people put data to."""

from sfumato.measures import Utility, entropy_bits, utility

from .associations import Associations, associations
from .bias import Bias, biases
from .bin_losses import BinLosses, bin_losses
from .display_classes import DisplayClass
from .label_values import LabelValues, label_values
from .model_accuracy import Accuracy, ModelAccuracy, model_accuracies
from .one_variable import FieldChange, Statistics, field_changes
from .paired_tables import SideBySide, side_by_side
from .query_error import Errors, QueryError, query_error
from .ru_map import RISKS, UTILITIES
from .utility_measures import Usefulness, measure_usefulness

__all__ = [
    "RISKS",
    "UTILITIES",
    "Accuracy",
    "Associations",
    "Bias",
    "BinLosses",
    "DisplayClass",
    "Errors",
    "FieldChange",
    "LabelValues",
    "ModelAccuracy",
    "QueryError",
    "SideBySide",
    "Statistics",
    "Usefulness",
    "Utility",
    "associations",
    "biases",
    "bin_losses",
    "entropy_bits",
    "field_changes",
    "label_values",
    "measure_usefulness",
    "model_accuracies",
    "query_error",
    "side_by_side",
    "utility",
]
