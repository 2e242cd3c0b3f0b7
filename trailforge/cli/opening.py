"""What a command line names, opened: a store and a set of adapters."""

import importlib
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Final

from trailforge.authority import Authority, Caps, SqliteAuthority
from trailforge.authority.postgres import PostgresAuthority
from trailforge.errors import UsageError
from trailforge.work import Adapter

_POSTGRES: Final = ("postgresql://", "postgres://")


def open_authority(
    store: str, schema: str, *, caps: Caps | None = None, must_exist: bool = True
) -> AbstractContextManager[Authority]:
    """Open the store named *store*: a PostgreSQL URL, or the path of a SQLite file.

    Raises:
        UsageError: if *must_exist* and there is no such file.
    """
    if store.startswith(_POSTGRES):
        return closing(PostgresAuthority(store, schema=schema, caps=caps))
    if must_exist and not Path(store).exists():
        raise UsageError(f"store {store} does not exist; start a run with it first, or name another --store")
    return closing(SqliteAuthority(store, caps=caps))


def load_adapters(name: str) -> tuple[Adapter, ...]:
    """Import the adapters named *name*, as ``package.module:NAME``; the module may lie in the working directory.

    Raises:
        UsageError: if there is no such module or name, or it holds something else than adapters.
    """
    module_name, separator, attribute = name.partition(":")
    if not (module_name and separator and attribute):
        raise UsageError(f"adapters {name!r} has no colon, expected package.module:NAME")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except ImportError as error:
        raise UsageError(f"adapters {name!r} cannot be imported: {error}") from error
    except AttributeError as error:
        raise UsageError(f"module {module_name!r} has no {attribute!r}") from error
    adapters = tuple(found.values() if isinstance(found, Mapping) else found if isinstance(found, Iterable) else ())
    if not adapters or not all(isinstance(adapter, Adapter) for adapter in adapters):
        raise UsageError(f"{name!r} is a {type(found).__name__}, expected one or more trailforge.work.Adapter")
    return adapters
