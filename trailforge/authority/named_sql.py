"""Named SQL: every statement of a store lives in one .sql file, under a ``-- name --`` line.

Python never builds SQL text. The lines after the name and before the statement say what it is for.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

_NAME = re.compile(r"^-- ([a-z_]+) --$", re.MULTILINE)


def load_queries(package: str, filename: str) -> Mapping[str, str]:
    """Return the statements of *filename* in *package*, by name."""
    text = files(package).joinpath(filename).read_text(encoding="utf-8")
    _, *parts = _NAME.split(text)
    names, bodies = parts[::2], parts[1::2]
    return MappingProxyType({name: _statement(body) for name, body in zip(names, bodies, strict=True)})


def load_migrations(package: str, folder: str) -> tuple[str, ...]:
    """Return the migrations in *folder* of *package* in order; migration n brings a store to schema n."""
    scripts = [entry for entry in files(package).joinpath(folder).iterdir() if entry.name.endswith(".sql")]
    return tuple(script.read_text(encoding="utf-8") for script in sorted(scripts, key=lambda entry: entry.name))


def _statement(body: str) -> str:
    lines = [line for line in body.splitlines() if not line.lstrip().startswith("--")]
    return "\n".join(lines).strip().removesuffix(";")
