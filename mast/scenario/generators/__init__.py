"""Worlds made from parameters, one file per family."""

from functools import reduce
from importlib import import_module
from operator import or_
from pkgutil import iter_modules
from typing import Annotated, Final

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from mast.scenario.generators.generator import Generator

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

GENERATORS: Final[dict[str, type[Generator]]] = dict(sorted(Generator.names.items()))
"""Every generator, by the name a file gives it."""


class _ByName:
    """Tells pydantic that a generator's class is found by its ``name``."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of the union of all generators."""
        del source
        union = reduce(or_, GENERATORS.values())
        return handler.generate_schema(Annotated[union, Field(discriminator="name")])


AnyGenerator = Annotated[Generator, _ByName()]
"""Any generator, as the model of a scenario file holds it."""

__all__ = ["GENERATORS", "AnyGenerator", "Generator"]
