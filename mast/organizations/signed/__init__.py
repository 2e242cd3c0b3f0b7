"""Organizations that sign: what they do with what arrives, and the work they can be busy with."""

from mast.organizations.messages import Act, Parcel, ParcelKind, Provide, Recover, Republish, Revise, Revoke
from mast.organizations.signed import incoming
from mast.organizations.signed.acting import Acting
from mast.organizations.signed.providing import Providing, Republishing
from mast.organizations.signed.rebuilding import Rebuilding
from mast.organizations.signed.recovering import Recovering
from mast.organizations.signed.revising import Revising, Revoking
from mast.organizations.step import Behaviour

SIGNED = Behaviour(
    parcels={
        ParcelKind.HANDOFF: incoming.handoff,
        ParcelKind.HANDOFF_RECEIPT: incoming.handoff_receipt,
        ParcelKind.REFUSAL: incoming.to_activity,
        ParcelKind.STATUS_QUERY: incoming.status_query,
        ParcelKind.STATUS_REPLY: incoming.to_activity,
        ParcelKind.FACT_QUERY: incoming.fact_query,
        ParcelKind.FACT_REPLY: incoming.to_activity,
        ParcelKind.REVOCATION: incoming.revocation,
        ParcelKind.NOTICE: incoming.notice,
        ParcelKind.NOTICE_RECEIPT: incoming.notice_receipt,
        ParcelKind.REBUILD: incoming.rebuild,
    },
    activities={
        Provide: Providing,
        Act: Acting,
        Revoke: Revoking,
        Revise: Revising,
        Republish: Republishing,
        Recover: Recovering,
        Parcel: Rebuilding,
    },
    woken=incoming.woken,
    refuse=incoming.refuse,
)
