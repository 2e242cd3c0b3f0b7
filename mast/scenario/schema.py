"""The JSON Schema of scenario files, made from the models that read them."""

from typing import Any

from pydantic import TypeAdapter

from mast.scenario.files import SCHEMA_VERSION, AnyFile


def scenario_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every kind of scenario file satisfies.

    References between names, cycles and seeding order are beyond a schema; loading checks them.
    """
    schema = TypeAdapter(AnyFile).json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:mast:{SCHEMA_VERSION}",
        "title": "mast scenario files",
        **schema,
    }
