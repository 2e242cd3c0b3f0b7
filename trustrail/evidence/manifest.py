"""``manifest.yaml`` and the statement it carries.

The signature covers an in-toto statement (https://in-toto.io/Statement/v1) that lists every other file of the
pack by SHA-256. The manifest is that statement written out for a reader, followed by the DSSE envelope; it has
exactly one spelling, so a manifest that says anything its statement does not is refused by comparing bytes.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trustrail.errors import CanonicalizationError
from trustrail.evidence.dsse import Envelope
from trustrail.foundation import canonical_json, parse_json

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:trustrail:evidence-pack:v0.1"
COVERS: Final = (
    "The signature covers the bytes of every file listed under files, and this manifest. It says that the holder of "
    "the key produced exactly these files. It does not say that the recorded runs took place, that the recordings are "
    "complete, or that the systems they name behaved as recorded."
)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Artifact(_Part):
    """The agent under test."""

    name: str
    version: str
    framework: str
    framework_version: str


class Predicate(_Part):
    """What the statement says about the files it lists."""

    schema_version: Literal["trustrail.manifest.v0.1"] = "trustrail.manifest.v0.1"
    pack: str
    """Directory name of the pack."""
    artifact: Artifact
    versions: dict[str, str]
    created_at: str
    gate: Literal["PASS", "BLOCK"]
    covers: str = COVERS


class _Subject(_Part):
    name: str
    digest: dict[Literal["sha256"], str] = Field(min_length=1)


class _Statement(_Part):
    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: list[_Subject] = Field(min_length=1)
    predicate_type: Literal["urn:trustrail:evidence-pack:v0.1"] = Field(alias="predicateType")
    predicate: Predicate


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What is signed: the files by digest, and the predicate about them."""

    files: Mapping[str, str]
    """SHA-256 of each file, 64 hex digits, by its path in the pack."""
    predicate: Predicate


def statement_bytes(statement: Statement) -> bytes:
    """Return the canonical bytes of *statement*, the payload that is signed."""
    return canonical_json(
        {
            "_type": STATEMENT_TYPE,
            "subject": [
                {"name": path, "digest": {"sha256": statement.files[path]}} for path in sorted(statement.files)
            ],
            "predicateType": PREDICATE_TYPE,
            "predicate": statement.predicate.model_dump(),
        }
    )


def read_statement(payload: bytes) -> Statement:
    """Read a signed payload.

    Raises:
        ValueError: if it is not one canonical statement that lists each file once.
    """
    try:
        value = _parse_canonical(payload)
        read = _Statement.model_validate(value)
    except CanonicalizationError as error:
        raise ValueError(f"the signed statement {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"the signed statement has a wrong {place}: {first['msg'].lower()}") from error
    files = {subject.name: subject.digest["sha256"] for subject in read.subject}
    if len(files) != len(read.subject):
        raise ValueError("the signed statement lists a file twice")
    return Statement(files=files, predicate=read.predicate)


def _parse_canonical(payload: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Parse canonical JSON; what is not canonical is read once more, slowly, to say why."""
    try:
        value = msgspec.json.decode(payload)
        if canonical_json(value) == payload:
            return value
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    parse_json(payload)
    raise ValueError("the signed statement is not in canonical form")


def manifest_bytes(statement: Statement, envelope: Envelope) -> bytes:
    """Return the one spelling of the manifest of *statement*, signed by *envelope*."""
    said = statement.predicate
    lines = [f"{name}: {_quoted(value)}" for name, value in _top(said).items()]
    lines += ["artifact:", *(f"  {name}: {_quoted(value)}" for name, value in said.artifact.model_dump().items())]
    lines += ["versions:", *(f"  {name}: {_quoted(said.versions[name])}" for name in sorted(said.versions))]
    lines.append("files:")
    for path in sorted(statement.files):
        lines += [f"  - path: {_quoted(path)}", f"    sha256: {_quoted(statement.files[path])}"]
    lines += [
        "signature:",
        f"  payload_type: {_quoted(envelope.payload_type)}",
        f"  payload: {_quoted(base64.b64encode(envelope.payload).decode())}",
        f"  key_id: {_quoted(envelope.key_id)}",
        f"  signature: {_quoted(base64.b64encode(envelope.signature).decode())}",
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def manifest_envelope(data: bytes) -> Envelope:
    """Return the envelope a manifest carries, without judging the rest of it.

    Raises:
        ValueError: if *data* carries none.
    """
    fields = dict(_FIELD.findall(data))
    try:
        return Envelope(
            payload_type=json.loads(fields[b"payload_type"]),
            payload=base64.b64decode(json.loads(fields[b"payload"]), validate=True),
            key_id=json.loads(fields[b"key_id"]),
            signature=base64.b64decode(json.loads(fields[b"signature"]), validate=True),
        )
    except KeyError as error:
        raise ValueError(f"has no signature field {error.args[0].decode()!r}") from error
    except (binascii.Error, ValueError, TypeError) as error:
        raise ValueError("has a signature field that is not base64 text") from error


_FIELD: Final = re.compile(rb'(?m)^  (payload_type|payload|key_id|signature): (".*")$')


def _top(said: Predicate) -> dict[str, Any]:
    names = ("schema_version", "pack", "created_at", "gate", "covers")
    return {name: getattr(said, name) for name in names}


def _quoted(text: str) -> str:
    """Return *text* as a YAML double-quoted scalar in ASCII.

    A JSON string is one (YAML 1.2 section 1.3), but for characters beyond the basic plane, which JSON writes as
    two surrogates and YAML as one escape of eight digits.
    """
    if text.isascii():
        return json.dumps(text)
    escaped = (json.dumps(part)[1:-1] if part <= "\uffff" else f"\\U{ord(part):08x}" for part in text)
    return '"' + "".join(escaped) + '"'
