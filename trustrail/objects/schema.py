"""JSON Schemas (draft 2020-12) of the object files, for editors and other tools."""

from typing import Any, Final

from trustrail.errors import UnknownObjectError
from trustrail.objects.nearest import did_you_mean
from trustrail.objects.reader import OBJECT_TYPES, TrustrailObject

KINDS: Final[dict[str, type[TrustrailObject]]] = {
    schema_version.split(".")[1]: kind for schema_version, kind in OBJECT_TYPES.items()
}
"""The object types by their word in ``schema_version``: control, domain_pack, policy_profile, …"""


def object_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of one *kind* of object file.

    Raises:
        UnknownObjectError: if there is no such kind.
    """
    if kind not in KINDS:
        raise UnknownObjectError(f"no object is a {kind!r}{did_you_mean(kind, KINDS)}")
    schema = KINDS[kind].model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
