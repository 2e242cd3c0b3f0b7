"""Where an event came from, read back from its ``provenance``."""

import re
from typing import Final

from trustrail.events.model import Event

_MESSAGE_PLACE: Final = re.compile(r"(?:messages|lines)\[(\d+)\]")


def message_index(event: Event) -> int | None:
    """Return the position, from 0, of the recorded message *event* came from; None if it was no message."""
    found = _MESSAGE_PLACE.match(event.provenance or "")
    return int(found.group(1)) if found else None
