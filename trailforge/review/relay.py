"""The relay: takes claimed messages to the broker and stores what it heard, doubt included."""

from trailforge.errors import BrokerUnavailableError, MessageRefusedError
from trailforge.errors.showing import shown
from trailforge.harness.attempt import shortened
from trailforge.harness.telemetry import Signal, Telemetry, unfailing
from trailforge.review.broker import Broker, BrokerAck, BrokerEvidence, Sighting
from trailforge.review.outbox import MAX_ATTEMPTS, MessageState, Outbox, OutboxMessage, new_message
from trailforge.work.values import stored_json
from trustrail.errors import CanonicalizationError
from trustrail.foundation import parse_json


class Relay:
    """Moves messages from an outbox to a broker.

    Args:
        outbox: where they wait.
        broker: where they go.
        telemetry: where signals go.
    """

    def __init__(self, outbox: Outbox, broker: Broker, *, telemetry: Telemetry | None = None) -> None:
        self._outbox = outbox
        self._broker = broker
        self._telemetry = unfailing(telemetry)

    def run_once(self, limit: int = 10) -> tuple[OutboxMessage, ...]:
        """Settle what others left behind, then claim and send up to *limit* messages; return them.

        Each is claimed on its own, so that a relay that dies leaves at most one message in doubt. The first
        provable failure ends the run: a broker that is away is not asked again at once.
        """
        for _ in self._outbox.expire():
            self._telemetry.count(Signal.AMBIGUOUS_PUBLICATION, MessageState.UNKNOWN.value)
        settled: list[OutboxMessage] = []
        for _ in range(limit):
            claimed = self._outbox.claim(1)
            if not claimed:
                break
            settled.append(self._send(claimed[0]))
            if settled[-1].state in (MessageState.PENDING, MessageState.EXHAUSTED):
                break
        return tuple(settled)

    def reconcile(self, message_id: str) -> OutboxMessage:
        """Ask the broker about a message in doubt; nothing is sent, and only a matching sighting is SENT.

        Raises:
            MessageRefusedError: if it is not UNKNOWN.
        """
        self._outbox.expire()
        message = self._outbox.find(message_id)
        if message.state is not MessageState.UNKNOWN:
            raise MessageRefusedError(message_id, f"is {message.state}, only one in UNKNOWN is reconciled")
        evidence = self._inspect(message)
        if evidence.sighting is Sighting.FOUND and evidence.digest == message.message.digest:
            return self._outbox.settle(message, MessageState.SENT, "found by inspection")
        reason = f"inspection: {evidence.sighting}"
        if evidence.sighting is Sighting.FOUND:
            reason = f"inspection: another body, {evidence.digest[:12]}…"
        return self._outbox.settle(message, MessageState.UNKNOWN, reason)

    def send_again(self, message_id: str, *, by: str) -> str:
        """Store the content of a message in doubt as a new message that names it, and return the new id.

        The old one stays as it is, so that both are visible; consumers may get the content twice.

        Raises:
            MessageRefusedError: if it is neither UNKNOWN nor EXHAUSTED, or nobody decided.
        """
        message = self._outbox.find(message_id)
        if message.state not in (MessageState.UNKNOWN, MessageState.EXHAUSTED):
            raise MessageRefusedError(message_id, f"is {message.state}, expected UNKNOWN or EXHAUSTED")
        _require_named(message_id, by)
        facts = {**parse_json(message.message.body), "sent_again_by": by}
        repeated = new_message(message.message.topic, facts, repeats=message_id)
        self._outbox.add(repeated)
        return repeated.message_id

    def _send(self, message: OutboxMessage) -> OutboxMessage:
        try:
            answer: object = self._broker.publish(message.message)
        except BrokerUnavailableError as error:
            return self._not_sent(message, shortened(str(error)))
        except Exception as error:  # noqa: BLE001 - whatever it was, the message may have arrived
            return self._doubt(message, f"the broker failed: {type(error).__name__}")
        if not isinstance(answer, BrokerAck) or answer.message_id != message.message.message_id:
            return self._doubt(message, "the acknowledgement is not for this message")
        if answer.duplicate is not False:
            return self._doubt(message, "the broker has this id already, so it delivered nothing this time")
        settled = self._outbox.settle(message, MessageState.SENT, "acknowledged")
        if settled.state is MessageState.UNKNOWN:
            self._telemetry.count(Signal.AMBIGUOUS_PUBLICATION, settled.state.value)
        return settled

    def _not_sent(self, message: OutboxMessage, reason: str) -> OutboxMessage:
        if message.attempts < MAX_ATTEMPTS:
            return self._outbox.settle(message, MessageState.PENDING, reason)
        self._telemetry.count(Signal.DISPATCH_EXHAUSTED, MessageState.EXHAUSTED.value)
        return self._outbox.settle(message, MessageState.EXHAUSTED, reason)

    def _doubt(self, message: OutboxMessage, reason: str) -> OutboxMessage:
        self._telemetry.count(Signal.AMBIGUOUS_PUBLICATION, MessageState.UNKNOWN.value)
        return self._outbox.settle(message, MessageState.UNKNOWN, reason)

    def _inspect(self, message: OutboxMessage) -> BrokerEvidence:
        try:
            evidence: object = self._broker.inspect(message.message)
        except Exception:  # noqa: BLE001 - a failed question is no evidence
            evidence = None
        if isinstance(evidence, BrokerEvidence):
            kinds = (type(evidence.sighting), type(evidence.digest))
            if kinds == (Sighting, str):
                return evidence
        return BrokerEvidence(sighting=Sighting.CANNOT_TELL)


def _require_named(message_id: str, by: object) -> None:
    """Return when *by* can be written down as who decided about a message."""
    if type(by) is not str or not by.strip():
        raise MessageRefusedError(message_id, f"was given by {shown(by)}, expected who decided")
    try:
        stored_json(by)
    except CanonicalizationError as error:
        raise MessageRefusedError(message_id, f"was given a name that {error.problem}") from error
