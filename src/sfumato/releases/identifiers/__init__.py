"""Replacing direct identifiers (Garfinkel 2016, section 4.3.1): one file per method, and the key
they share."""

from sfumato.keys import Key, key_words

from .description import beginning, begins_as_asked
from .keyed_hash import HashReplacer
from .lookup_file import LookupFile, LookupReplacer
from .lookups import replacement_lookup
from .made_up import MadeUpReplacer
from .mask import MaskReplacer, constant_of, constant_words
from .replacer import Replacer
from .reveal import reveal, reveal_by_search
from .surrogate import SurrogateReplacer

__all__ = [
    "HashReplacer",
    "Key",
    "LookupFile",
    "LookupReplacer",
    "MadeUpReplacer",
    "MaskReplacer",
    "Replacer",
    "SurrogateReplacer",
    "beginning",
    "begins_as_asked",
    "constant_of",
    "constant_words",
    "key_words",
    "replacement_lookup",
    "reveal",
    "reveal_by_search",
]
