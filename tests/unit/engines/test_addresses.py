"""Addresses are told from paths, and what is secret in them is in no name and no message."""

from __future__ import annotations

import pytest

from sfumato.engines import (
    is_address,
    is_postgres,
    name_of_address,
    open_database,
    open_source,
    without_secrets,
)
from sfumato.errors import SourceError

SECRET = "geheim"
ADDRESSES = [
    f"postgresql://ann:{SECRET}@host/db",
    f"postgres://ann:{SECRET}@host",
    f"postgresql://ann:{SECRET}/{SECRET}@host/db",
    f"postgresql://ann:{SECRET}?{SECRET}@host/db",
    f"postgresql://ann:{SECRET}#{SECRET}@host/db",
    f"postgresql://ann:{SECRET}@{SECRET}@host/db",
    f"postgresql:///db?user=ann&password={SECRET}",
    f"postgresql:///?password={SECRET}@",
    f"postgresql://[{SECRET}/db?password={SECRET}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_part_of_a_password_is_in_a_name_or_a_message(address):
    assert is_postgres(address)
    assert SECRET not in name_of_address(address)
    assert SECRET not in without_secrets(f"unrecognized arguments: '{address}' and more")
    assert SECRET not in without_secrets(address.replace("//", "/"))  # as a Path would write it


@pytest.mark.parametrize("opened", [open_source, open_database])
@pytest.mark.parametrize("engine", ["duckdb", "spark", "reference"])
def test_no_other_engine_takes_the_address_for_a_path(opened, engine):
    with pytest.raises(SourceError, match=f"The engine {engine} was asked for") as error:
        opened(ADDRESSES[0], engine=engine)
    assert SECRET not in str(error.value)


def test_a_file_is_no_address_of_postgresql(tmp_path):
    with pytest.raises(SourceError, match="not the address of a PostgreSQL database"):
        open_source(tmp_path / "patients.csv", engine="postgres")


def test_files_are_called_after_the_database_in_letters_that_files_may_have():
    assert name_of_address("postgresql://host/my%20clinic%2F2") == "2"
    assert name_of_address("postgresql://host/my%20clinic") == "my-clinic"
    assert name_of_address("postgresql:///?dbname=clinic&host=/tmp") == "clinic"
    assert name_of_address("spark:clinic.visits") == "clinic.visits"
    assert name_of_address("spark:../up") == "up"


def test_paths_are_no_addresses(tmp_path):
    assert not is_address(tmp_path)
    assert not is_address("data/patients.csv")
    assert not is_address({"patients": []})
