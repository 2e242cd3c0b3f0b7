"""Verify an evidence pack: structure, then the allow-list, then digests and what the files say, then the signature.

The verifier reads nothing outside the pack, follows no link, trusts only the keys it is given, and stops at
the first rule that is broken. It does not judge the runs again: that is `trustrail.evidence.replay`.
"""

import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from trustrail.errors import CanonicalizationError, EventFormatError, ObjectFileError, PackError, SignatureError
from trustrail.events import from_line, to_line
from trustrail.evidence.agreement import FileCheck, check_document
from trustrail.evidence.document import PackDocument, read_document
from trustrail.evidence.dsse import Envelope, check_signature
from trustrail.evidence.layout import (
    FOLDERS,
    MANIFEST,
    NOTES,
    PACK,
    REPORT,
    calls_path,
    events_path,
    is_allowed,
    is_inside,
    spans_path,
)
from trustrail.evidence.manifest import (
    PAYLOAD_TYPE,
    Statement,
    manifest_bytes,
    manifest_envelope,
    read_statement,
)
from trustrail.evidence.rules import Rule
from trustrail.foundation import PublicKey, canonical_json, digest_hex, parse_json
from trustrail.objects import parse_yaml

_SEQ: Final = re.compile(rb'"seq":(\d{1,16}),')


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedPack:
    """A pack whose every rule holds."""

    directory: Path
    statement: Statement
    document: PackDocument
    signed_by: PublicKey


def verify_pack(directory: Path, trusted: Sequence[PublicKey]) -> VerifiedPack:
    """Return the pack at *directory* once every rule holds and one of the *trusted* keys signed it.

    Raises:
        PackError: naming the first rule that is broken.
    """
    present = _present_files(directory)
    statement, envelope = _read_manifest(directory, present)
    document, pack_data = _read_document(directory, present)
    _check_paths(statement, document)
    _check_allow_list(present, statement)
    counts = {run.events: run.event_count for run in document.runs}
    if digest_hex(pack_data) != statement.files[PACK]:
        raise _changed(PACK, pack_data, statement.files[PACK])
    check_document(document, statement)
    files = FileCheck(document)
    for path in sorted(statement.files.keys() - {PACK}):
        data = _read(directory, path)
        if digest_hex(data) != statement.files[path]:
            raise _changed(path, data, statement.files[path])
        _check_last_event(path, data, counts)
        files.check(path, data)
    if envelope.payload_type != PAYLOAD_TYPE:
        raise PackError(Rule.SIGNATURE, MANIFEST, f"signs a {envelope.payload_type!r}, expected {PAYLOAD_TYPE!r}")
    try:
        signed_by = check_signature(envelope, trusted)
    except SignatureError as error:
        raise PackError(Rule.SIGNATURE, MANIFEST, str(error)) from error
    return VerifiedPack(directory=directory, statement=statement, document=document, signed_by=signed_by)


def _present_files(directory: Path) -> set[str]:
    """Return the paths of all files in the pack; refuse anything but plain files and the layout's folders."""
    found: set[str] = set()
    try:
        if not stat.S_ISDIR(os.lstat(directory).st_mode):
            raise PackError(Rule.READABLE, directory.name, "is not a directory")
        pending = [""]
        while pending:
            folder = pending.pop()
            with os.scandir(directory / folder) as entries:
                for entry in entries:
                    path = f"{folder}{entry.name}"
                    if entry.is_file(follow_symlinks=False):
                        found.add(path)
                    elif entry.is_dir(follow_symlinks=False) and path in FOLDERS:
                        pending.append(f"{path}/")
                    else:
                        kind = "is a symlink" if entry.is_symlink() else "is not a file of the layout"
                        raise PackError(Rule.NO_LINKS, path, kind)
    except OSError as error:
        raise PackError(Rule.READABLE, directory.name, f"cannot be read: {error.strerror}") from error
    return found


def _read(directory: Path, path: str) -> bytes:
    try:
        descriptor = os.open(f"{directory}/{path}", os.O_RDONLY | os.O_NOFOLLOW)
        try:
            missing = os.fstat(descriptor).st_size
            pieces = []
            while missing > 0 and (piece := os.read(descriptor, missing)):
                pieces.append(piece)
                missing -= len(piece)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise PackError(Rule.READABLE, path, f"cannot be read: {error.strerror}") from error
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _read_manifest(directory: Path, present: set[str]) -> tuple[Statement, Envelope]:
    if MANIFEST not in present:
        raise PackError(Rule.MISSING_FILE, MANIFEST, "is missing")
    data = _read(directory, MANIFEST)
    try:
        envelope = manifest_envelope(data)
        statement = read_statement(envelope.payload)
    except ValueError as error:
        _explain_yaml(data)
        raise PackError(Rule.STRUCTURE, MANIFEST, str(error)) from error
    if manifest_bytes(statement, envelope) != data:
        _explain_yaml(data)
        raise PackError(Rule.CANONICAL_FORM, MANIFEST, "is not the one spelling of its signed statement")
    return statement, envelope


def _explain_yaml(data: bytes) -> None:
    """Raise for a repeated key, the likeliest reason why a manifest is not what its statement says."""
    try:
        parse_yaml(data, file=MANIFEST)
    except ObjectFileError as error:
        rule = Rule.UNIQUE_KEYS if "repeats the key" in error.problems[0].text else Rule.STRUCTURE
        raise PackError(rule, MANIFEST, error.problems[0].text) from error


def _read_document(directory: Path, present: set[str]) -> tuple[PackDocument, bytes]:
    if PACK not in present:
        raise PackError(Rule.MISSING_FILE, PACK, "is missing")
    data = _read(directory, PACK)
    try:
        document = read_document(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        _check_canonical(PACK, data)
        rule = Rule.NOT_EMPTY if ">= 1" in str(error) else Rule.STRUCTURE
        raise PackError(rule, PACK, f"has a wrong field: {error}") from error
    if msgspec.json.encode(document, order="sorted") != data:
        _check_canonical(PACK, data)
    return document, data


def _check_canonical(path: str, data: bytes) -> None:
    """Refuse JSON with repeated keys or another spelling than the canonical one."""
    try:
        value = parse_json(data)
        if canonical_json(value) != data:
            raise PackError(Rule.CANONICAL_FORM, path, "was re-serialised: it is not in canonical form")
    except CanonicalizationError as error:
        rule = Rule.UNIQUE_KEYS if "repeats the key" in str(error) else Rule.STRUCTURE
        raise PackError(rule, path, str(error)) from error


def _check_paths(statement: Statement, document: PackDocument) -> None:
    for path in statement.files:
        if not is_inside(path):
            raise PackError(Rule.INSIDE_THE_PACK, MANIFEST, f"lists {path!r}, which leaves the pack")
        if not is_allowed(path):
            raise PackError(Rule.ALLOWED_FILE, path, "is not a file of the layout")
    for number, run in enumerate(document.runs, start=1):
        own = (events_path(number), calls_path(number), spans_path(number) if run.spans else run.spans)
        given = (run.events, run.calls, run.spans)
        if given != own and all(is_inside(path) for path in given if path is not None):
            raise PackError(Rule.STRUCTURE, PACK, f"does not give run {number} the files of its number")
    named = [PACK, REPORT, NOTES]
    named += [path for run in document.runs for path in (run.events, run.calls, run.spans) if path is not None]
    for path in named:
        if not is_inside(path):
            raise PackError(Rule.INSIDE_THE_PACK, PACK, f"names {path!r}, which leaves the pack")
        if path not in statement.files:
            raise PackError(Rule.MISSING_FILE, path, "is not listed in the signed statement")
    unused = sorted(set(statement.files) - set(named))
    if unused:
        raise PackError(Rule.EXTRA_FILE, unused[0], "is listed in the signed statement, but belongs to no run")


def _check_allow_list(present: set[str], statement: Statement) -> None:
    listed = statement.files.keys() | {MANIFEST}
    missing = sorted(listed - present)
    if missing:
        raise PackError(Rule.MISSING_FILE, missing[0], "is missing")
    extra = sorted(present - listed)
    if extra:
        raise PackError(Rule.EXTRA_FILE, extra[0], "is not listed in the signed statement")


def _check_last_event(path: str, data: bytes, counts: Mapping[str, int]) -> None:
    """Refuse a stream that does not end with the event its run says.

    A replay reads every event; here the last ``seq`` is found without parsing: after it a canonical line holds
    only strings, in which the quotes of the pattern would be escaped.
    """
    if path not in counts:
        return
    found = _SEQ.match(data, data.rfind(b'"seq":'))
    count = int(found.group(1)) + 1 if found else 0
    if count != counts[path] or not data.endswith(b"}\n"):
        raise PackError(Rule.CITED_EVENTS, path, f"has {count} events, expected {counts[path]}")


def _changed(path: str, data: bytes, expected: str) -> PackError:
    """Say how a file differs from what was signed: another spelling of the same, or another content."""
    if path.endswith(".json"):
        _check_canonical(path, data)
    if path.endswith(".jsonl"):
        for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), start=1):
            try:
                if to_line(from_line(line, number=number)) != line:
                    return PackError(Rule.CANONICAL_FORM, path, f"was re-serialised: line {number} is not canonical")
            except EventFormatError as error:
                rule = Rule.UNIQUE_KEYS if "repeats the key" in str(error) else Rule.STRUCTURE
                return PackError(rule, path, str(error))
    return PackError(
        Rule.DIGEST, path, f"was edited: its digest is {digest_hex(data)[:12]}…, expected {expected[:12]}…"
    )
