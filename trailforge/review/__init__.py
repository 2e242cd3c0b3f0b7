"""Offline Review: a fixed demonstration path with its own store, outbox and brokers.

It is apart from the neutral harness: its PostgreSQL store is no backend for runs. `PostgresReviewStore` and
`NatsBroker` are imported from their own modules, so that their drivers stay optional.
"""

from trailforge.review.broker import Broker, BrokerAck, BrokerEvidence, InProcessBroker, Sighting
from trailforge.review.capture import Capture, Gap, GapKind, SourceFile
from trailforge.review.controller import OfflineController, ReviewRequest, fixture_reviewer
from trailforge.review.draft import Coverage, Draft
from trailforge.review.finding import Finding, Severity
from trailforge.review.outbox import MessageState, NewMessage, Outbox, OutboxMessage, new_message
from trailforge.review.relay import Relay
from trailforge.review.scope import ReviewScope, Role, review_scope
from trailforge.review.store import MemoryReviewStore, ReviewStore, StoredDraft

__all__ = [
    "Broker",
    "BrokerAck",
    "BrokerEvidence",
    "Capture",
    "Coverage",
    "Draft",
    "Finding",
    "Gap",
    "GapKind",
    "InProcessBroker",
    "MemoryReviewStore",
    "MessageState",
    "NewMessage",
    "OfflineController",
    "Outbox",
    "OutboxMessage",
    "Relay",
    "ReviewRequest",
    "ReviewScope",
    "ReviewStore",
    "Role",
    "Severity",
    "Sighting",
    "SourceFile",
    "StoredDraft",
    "fixture_reviewer",
    "new_message",
    "review_scope",
]
