"""Parquet files, and folders of them."""

from .declaration import FormatDeclaration

DECLARATION = FormatDeclaration(
    key="parquet",
    doc="columns with types, in a file or a folder of files",
    title="Parquet",
    suffixes=(".parquet",),
    keeps_types=True,
    released=True,
)
