"""One account for everything private: measurements with noise, their cost to a person in rho, and
the noise itself, drawn only after the charge."""

from .account import (
    FROM_THE_POLICY,
    NEIGHBOURS,
    UNIT,
    PrivacyAccount,
    PrivacyLimit,
    check_account,
    displayed_epsilon,
    epsilon_of_sum,
    sum_of,
)
from .account_book import AccountBook, AccountHead, ReadCharges, read_head
from .account_file import REGISTER, REGISTER_MARK, AccountFile, read_lines, read_terms
from .charge import ChargedMeasurement, charge_first
from .conversion import epsilon_of, rho_of
from .discrete_gaussian import Counts, check_noise_source
from .measurement import (
    DISCRETE_GAUSSIAN,
    THRESHOLD,
    Measurement,
    lowest_threshold,
    rounded_up,
    sigma_for,
)

__all__ = [
    "DISCRETE_GAUSSIAN",
    "FROM_THE_POLICY",
    "NEIGHBOURS",
    "REGISTER",
    "REGISTER_MARK",
    "THRESHOLD",
    "UNIT",
    "AccountBook",
    "AccountFile",
    "AccountHead",
    "ChargedMeasurement",
    "Counts",
    "Measurement",
    "PrivacyAccount",
    "PrivacyLimit",
    "ReadCharges",
    "charge_first",
    "check_account",
    "check_noise_source",
    "displayed_epsilon",
    "epsilon_of",
    "epsilon_of_sum",
    "lowest_threshold",
    "read_head",
    "read_lines",
    "read_terms",
    "rho_of",
    "rounded_up",
    "sigma_for",
    "sum_of",
]
