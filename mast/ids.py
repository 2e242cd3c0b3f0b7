"""Names and numbers that must not be mixed up."""

from typing import NewType

OrganizationName = NewType("OrganizationName", str)
"""Name of an organization, unique in a world; also its name in the key directory."""

PacketId = NewType("PacketId", bytes)
"""SHA-256 of a packet's signed bytes, 32 bytes."""

ClaimId = NewType("ClaimId", bytes)
"""The packet id of a claim; where nothing is signed, the digest of its name."""

ClaimName = NewType("ClaimName", str)
"""What people call a claim (``root_A``); unique among the claims of one workflow and revision."""

TaskName = NewType("TaskName", str)

Tick = NewType("Tick", int)
"""Virtual time, in ticks from 0."""
