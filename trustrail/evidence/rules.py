"""The rules an evidence pack must keep."""

from enum import StrEnum


class Rule(StrEnum):
    """What a pack must keep, in the order it is checked."""

    READABLE = "readable"  #: the pack is a directory whose files can be read
    NO_LINKS = "no-links"  #: only plain files and the folders of the layout; no symlinks, devices or pipes
    UNIQUE_KEYS = "unique-keys"  #: no key is repeated in a manifest or a JSON file
    CANONICAL_FORM = "canonical-form"  #: every file has the one spelling it was given; nothing was re-serialised
    STRUCTURE = "structure"  #: the manifest and pack.json have their fields
    NOT_EMPTY = "not-empty"  #: there is a run, with recorded events and verdicts; no file is empty
    INSIDE_THE_PACK = "inside-the-pack"  #: every path stays inside the pack
    CITED_EVENTS = "cited-events"  #: every verdict cites events the pack holds
    MISSING_FILE = "missing-file"  #: every file the statement lists is there
    EXTRA_FILE = "extra-file"  #: no file is there that the statement does not list
    ALLOWED_FILE = "allowed-file"  #: a pack holds files of the layout only
    DIGEST = "digest"  #: every file has the digest the statement gives; nothing was edited
    AGREEMENT = "agreement"  #: statement, pack.json, streams, verdicts on calls and page say the same
    SIGNATURE = "signature"  #: a trusted key signed the statement
