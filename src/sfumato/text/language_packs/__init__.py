"""Language packs: what the detectors must know of a language besides English, one file for each."""

from .declaration import LANGUAGE_PACKS, LanguagePack, packs_for

__all__ = ["LANGUAGE_PACKS", "LanguagePack", "packs_for"]
