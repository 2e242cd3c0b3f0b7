"""What a command line names, opened: a store and a set of adapters."""

import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from trailforge.authority import Authority, Caps, SqliteAuthority
from trailforge.authority.postgres import PostgresAuthority
from trailforge.authority.sqlite_connection import MEMORY
from trailforge.cli.host_code import printing_aside
from trailforge.errors import StoreRefusedError, UsageError
from trailforge.harness import Harness, OpenTelemetry
from trailforge.work import Adapter

MAX_ADAPTERS: Final = 10_000
"""Most adapters that are looked at; ours, far above what a host registers: an endless sequence must end here."""

_POSTGRES: Final = ("postgresql://", "postgres://")


def open_authority(
    store: str, schema: str, *, caps: Caps | None = None, must_exist: bool = True
) -> AbstractContextManager[Authority]:
    """Open the store named *store*: a PostgreSQL URL, or the path of a SQLite file.

    Raises:
        UsageError: if *store* names no place that outlives the command, or *must_exist* and nothing is there.
        StoreRefusedError: if *must_exist* and there is no such schema, or the file there is empty: it has lost
            whatever it held.
    """
    if store.startswith(_POSTGRES):
        return closing(PostgresAuthority(store, schema=schema, caps=caps, create=not must_exist))
    if not store.strip() or store == MEMORY:
        raise UsageError(f"store is {store!r}, expected a file that is kept or a postgresql:// URL")
    if must_exist:
        _require_kept(Path(store))
    return closing(SqliteAuthority(store, caps=caps))


@contextmanager
def open_harness(
    store: str,
    schema: str,
    adapters: Iterable[Adapter] = (),
    *,
    tenant: str = "",
    telemetry: bool = False,
    caps: Caps | None = None,
    new: bool = False,
) -> Iterator[Harness]:
    """Open a harness on the store named *store*, which may be made when *new*.

    Raises:
        UsageError, StoreRefusedError: as `open_authority` does.
        MissingExtraError: if *telemetry* is asked for and the OpenTelemetry API is not installed.
    """
    watcher = OpenTelemetry() if telemetry else None
    with open_authority(store, schema, caps=caps, must_exist=not new) as authority:
        yield Harness(authority, adapters, tenant=tenant, telemetry=watcher)


def _require_kept(store: Path) -> None:
    try:
        size = store.stat().st_size
    except (OSError, ValueError) as error:
        raise UsageError(f"store {store} does not exist; start a run with it first, or name another --store") from error
    if not size:
        raise StoreRefusedError(f"store {store} is an empty file: what it held is gone; restore it from a copy")


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
        with printing_aside():
            found, adapters = _imported(module_name, attribute)
    except AttributeError as error:
        raise UsageError(f"module {module_name!r} has no {attribute!r}: {error}") from error
    except (Exception, SystemExit) as error:  # whatever the host's module does when it is imported
        raise UsageError(f"adapters {name!r} cannot be imported: {type(error).__name__}: {error}") from error
    if not adapters or not all(isinstance(adapter, Adapter) for adapter in adapters):
        raise UsageError(f"{name!r} is a {type(found).__name__}, expected one or more trailforge.work.Adapter")
    return adapters


def _imported(module_name: str, attribute: str) -> tuple[object, tuple[Adapter, ...]]:
    """Return what is named, and its items when it has any; it is the host's, and so is how it is gone through."""
    found = getattr(importlib.import_module(module_name), attribute)
    items = found.values() if isinstance(found, Mapping) else found if isinstance(found, Iterable) else ()
    return found, tuple(islice(items, MAX_ADAPTERS))
