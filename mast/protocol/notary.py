"""The notary: signs packets for its owner, and reads packets that others signed.

One rule: a packet is read only after its signature holds, and what is read is what was signed.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from mast.errors import (
    BindingRejection,
    MalformedRejection,
    SignatureRejection,
    WorkflowRejection,
)
from mast.ids import OrganizationName
from mast.protocol.packets import MAX_PACKET_BYTES, MAX_VALUE_DEPTH, AnyPacket, Claim, Packet
from trustrail.errors import CanonicalizationError, SignatureError, UnknownKeyError
from trustrail.foundation import (
    PublicKey,
    SignedEnvelope,
    SigningKey,
    Verifier,
    canonical_struct,
    open_envelope,
    parse_msgpack,
    require_canonical,
    seal,
)

P = TypeVar("P", bound=Packet)


class Notary:
    """Signs as one organization, in one workflow.

    Attributes:
        owner: the organization it signs for.
        workflow: the only workflow whose packets it signs or reads.
        signatures: packets signed.
        verifications: signatures checked.
    """

    __slots__ = ("_directory", "_signer", "_verifier", "owner", "signatures", "verifications", "workflow")

    def __init__(
        self,
        owner: OrganizationName,
        workflow: str,
        key: SigningKey,
        directory: Mapping[str, PublicKey],
        verifier: Verifier,
    ) -> None:
        self.owner = owner
        self.workflow = workflow
        self.signatures = 0
        self.verifications = 0
        self._signer = verifier.signer(key)
        self._directory = directory
        self._verifier = verifier

    def sign(self, packet: AnyPacket) -> SignedEnvelope:
        """Sign *packet*, whose issuer is the owner.

        Raises:
            MalformedRejection: if its content has no canonical form or is too long; nothing was signed.
        """
        try:
            if type(packet) is Claim:
                require_canonical(packet.value, max_depth=MAX_VALUE_DEPTH)
            payload = canonical_struct(packet)
        except CanonicalizationError as error:
            raise MalformedRejection(f"{_kind(packet)} by {self.owner} cannot be signed: {error}") from error
        if len(payload) > MAX_PACKET_BYTES:
            raise _too_long(payload, self.owner)
        self.signatures += 1
        return seal(payload, self.owner, self._signer)

    def read(self, envelope: SignedEnvelope, kind: type[P]) -> P:
        """Return the packet in *envelope*, which must be a *kind* of this workflow, signed by its issuer.

        Raises:
            SignatureRejection: if the signature does not hold or the issuer is unknown.
            MalformedRejection: if the payload is not such a packet.
            WorkflowRejection: if it belongs to another workflow.
        """
        if len(envelope.payload) > MAX_PACKET_BYTES:
            raise _too_long(envelope.payload, envelope.issuer)
        self.verifications += 1
        try:
            payload = open_envelope(envelope, self._directory, self._verifier)
        except (SignatureError, UnknownKeyError) as error:
            raise SignatureRejection(f"packet {envelope.id.hex()[:12]}… by {envelope.issuer!r}: {error}") from error
        packet = decode(payload, kind, envelope.issuer)
        if packet.workflow != self.workflow:
            raise WorkflowRejection(
                f"{_kind(packet)} {envelope.id.hex()[:12]}… is of the workflow {packet.workflow!r}, "
                f"expected {self.workflow!r}"
            )
        return packet

    def knows(self, organization: str) -> bool:
        """Whether the directory has a key for *organization*."""
        return organization in self._directory


def decode(payload: bytes, kind: type[P], issuer: str) -> P:
    """Return the *kind* of packet in *payload*, without checking any signature.

    Raises:
        MalformedRejection: if it is not one, names another issuer than *issuer*, or states a value that has no
            canonical form.
    """
    try:
        packet: P = _decoder(kind)(payload)
        if isinstance(packet, Claim):
            require_canonical(packet.value, max_depth=MAX_VALUE_DEPTH)
    except RecursionError as error:
        nesting = f"is nested deeper than {MAX_VALUE_DEPTH}"
        raise MalformedRejection(f"packet by {issuer!r} is not a {_tag(kind)}: it {nesting}") from error
    except (CanonicalizationError, msgspec.DecodeError) as error:
        raise MalformedRejection(f"packet by {issuer!r} is not a {_tag(kind)}: {error}") from error
    if canonical_struct(packet) != payload:
        # A repeated key, or a longer form of a number or length: one statement would have two ids.
        raise MalformedRejection(f"packet by {issuer!r} is not a {_tag(kind)} in canonical form")
    if packet.issuer != issuer:
        raise MalformedRejection(f"{_kind(packet)} names the issuer {packet.issuer!r}, but {issuer!r} signed it")
    return packet


def kind_of(payload: bytes) -> str | None:
    """Return the tag of the packet in *payload* as it names itself, or None when it is none at all."""
    try:
        content = parse_msgpack(payload, max_bytes=MAX_PACKET_BYTES)
    except CanonicalizationError:
        return None
    return content[0] if isinstance(content, tuple) and content and isinstance(content[0], str) else None


@cache
def _decoder(kind: type[Packet]) -> Callable[[bytes], Any]:
    return msgspec.msgpack.Decoder(kind).decode


def require_issuer(packet: Packet, expected: str) -> None:
    """Return when *packet* was issued by *expected*.

    Raises:
        BindingRejection: if somebody else issued it.
    """
    if packet.issuer != expected:
        raise BindingRejection(f"{_kind(packet)} is by {packet.issuer!r}, expected {expected!r}")


def _kind(packet: Packet) -> str:
    return _tag(type(packet)).replace("_", " ")


def _tag(kind: type[Packet]) -> str:
    return str(kind.__struct_config__.tag)


def _too_long(payload: bytes, issuer: str) -> MalformedRejection:
    return MalformedRejection(f"packet by {issuer!r} is {len(payload)} bytes long, expected at most {MAX_PACKET_BYTES}")
