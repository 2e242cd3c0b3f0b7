"""Signed evidence packs: write, verify, replay, and the report a reviewer reads."""

from trustrail.evidence.document import PackDocument
from trustrail.evidence.dsse import Envelope, check_signature, key_id, pre_authentication_encoding, sign
from trustrail.evidence.keys import read_public_key, read_signing_key, write_public_key, write_signing_key
from trustrail.evidence.manifest import Artifact
from trustrail.evidence.replay import Replay, replay_pack
from trustrail.evidence.report import report_html
from trustrail.evidence.rules import Rule
from trustrail.evidence.verify import VerifiedPack, verify_pack
from trustrail.evidence.write import Note, PackRun, PackSubject, WrittenPack, write_pack

__all__ = [
    "Artifact",
    "Envelope",
    "Note",
    "PackDocument",
    "PackRun",
    "PackSubject",
    "Replay",
    "Rule",
    "VerifiedPack",
    "WrittenPack",
    "check_signature",
    "key_id",
    "pre_authentication_encoding",
    "read_public_key",
    "read_signing_key",
    "replay_pack",
    "report_html",
    "sign",
    "verify_pack",
    "write_pack",
    "write_public_key",
    "write_signing_key",
]
