"""Exports: the content of the register in the field's own formats; one file per format.

An export holds names, days, digests, names of fields and what people wrote in applications and
decisions. It holds no cell value and no sealed vote, and making it needs no network."""

from .export import EXPORTS, Export, export_text

__all__ = ["EXPORTS", "Export", "export_text"]
