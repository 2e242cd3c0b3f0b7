"""Organizations that sign nothing: ordinary messages and logs, and whatever the agent asks for.

No parents, no receipts, no local invalidation (behaviour of the earlier system, section 1.12). Only the agent's
own ``verify`` has anything checked, and only the business contract stands between ``proceed`` and the effect.
"""

from mast.errors import Rejection
from mast.organizations.messages import (
    Act,
    Effect,
    Parcel,
    ParcelKind,
    Provide,
    Recover,
    Republish,
    Revise,
    Revoke,
    Woken,
)
from mast.organizations.plain import incoming
from mast.organizations.plain.acting import Acting
from mast.organizations.plain.providing import Providing, Recovering, Republishing, Revising, Revoking
from mast.organizations.state import PlainState
from mast.organizations.step import Behaviour


def _nothing_rings(_state: PlainState, _message: Woken, _out: list[Effect]) -> None:
    """No clock of its own: only activities wait."""


def _tells_nobody(_state: PlainState, _parcel: Parcel, _rejection: Rejection, _out: list[Effect]) -> None:
    """Ordinary messages have no answer to a refusal."""


PLAIN = Behaviour(
    parcels={
        ParcelKind.HANDOFF: incoming.handoff,
        ParcelKind.STATUS_QUERY: incoming.status_query,
        ParcelKind.STATUS_REPLY: incoming.to_activity,
        ParcelKind.FACT_QUERY: incoming.fact_query,
        ParcelKind.FACT_REPLY: incoming.to_activity,
    },
    activities={
        Provide: Providing,
        Act: Acting,
        Revoke: Revoking,
        Revise: Revising,
        Republish: Republishing,
        Recover: Recovering,
    },
    woken=_nothing_rings,
    refuse=_tells_nobody,
)
