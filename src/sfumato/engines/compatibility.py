"""Which engines and file formats can take which shapes of data, by their declarations."""

from __future__ import annotations

from sfumato.parts import Shape
from sfumato.policy import NOT_YET, WORKS, Compatibility

from .declaration import EngineDeclaration
from .formats import FormatDeclaration


def engine_in(engine: EngineDeclaration, shape: Shape) -> Compatibility:
    """An engine with a shape. The protocol of engines has what every shape takes."""
    return WORKS if shape in engine.shapes else NOT_YET


def read_in(declared: FormatDeclaration, shape: Shape) -> Compatibility:
    """A format that is read, with a shape: several tables are one file of them, or a folder with a
    file for each.

    Example:
        >>> from sfumato.engines.formats import FORMATS
        >>> read_in(FORMATS["csv"], Shape.SEVERAL_TABLES).state.value
        'works'
    """
    return WORKS


def released_in(declared: FormatDeclaration, shape: Shape) -> Compatibility:
    """A format that releases are written in, with a shape: several tables are a file for each."""
    return WORKS
