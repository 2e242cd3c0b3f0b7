"""What can go wrong in a world, one file per kind."""

from functools import reduce
from importlib import import_module
from operator import or_
from pkgutil import iter_modules
from typing import Annotated, Final

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from mast.scenario.faults.fault import Fault

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

FAULTS: Final[dict[str, type[Fault]]] = dict(sorted(Fault.kinds.items()))
"""Every kind of fault, by the name a file gives it."""


class _ByKind:
    """Tells pydantic that a fault's class is found by its ``kind``."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of the union of all kinds."""
        del source
        union = reduce(or_, FAULTS.values())
        return handler.generate_schema(Annotated[union, Field(discriminator="kind")])


AnyFault = Annotated[Fault, _ByKind()]
"""A fault of any kind, as the models of files hold it."""

__all__ = ["FAULTS", "AnyFault", "Fault"]
