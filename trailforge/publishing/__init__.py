"""The publisher boundary: the only place from which anything outside is changed.

`PostgresPublicationStore` is imported from its own module, so that psycopg stays optional.
Plans never do it (an EXTERNAL_WRITE is not admitted); a host hands an intent to `GuardedPublisher` here.
"""

from trailforge.publishing.adapter import Acknowledgement, Dispatch, Finding, Inspection, PublishAdapter
from trailforge.publishing.approval import Approval
from trailforge.publishing.guard import GuardedAction, HostGuard, Ruling
from trailforge.publishing.intent import ExecutionMode, Intent
from trailforge.publishing.operation import Operation, OperationState
from trailforge.publishing.publisher import GuardedPublisher
from trailforge.publishing.sqlite import SqlitePublicationStore
from trailforge.publishing.store import PublicationStore

__all__ = [
    "Acknowledgement",
    "Approval",
    "Dispatch",
    "ExecutionMode",
    "Finding",
    "GuardedAction",
    "GuardedPublisher",
    "HostGuard",
    "Inspection",
    "Intent",
    "Operation",
    "OperationState",
    "PublicationStore",
    "PublishAdapter",
    "Ruling",
    "SqlitePublicationStore",
]
