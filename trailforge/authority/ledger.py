"""The two unit ledgers every reservation moves: the tenant's and the store's. Pure rules, no storage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trailforge.errors import AuthorityUnavailableError, UnitsDeniedError

GLOBAL_SCOPE: Final = "global"
"""Name of the store-wide ledger."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One ledger as stored."""

    scope: str
    reserved: int
    spent: int
    in_flight_cap: int
    total_cap: int


def figures(place: str, row: Sequence[object]) -> list[int]:
    """Return the figures of a stored *row*; some stores hold whatever bytes are in their files.

    Raises:
        AuthorityUnavailableError: if one of them is of another kind than was written.
    """
    found = [figure for figure in row if type(figure) is int]
    if len(found) != len(row):
        raise AuthorityUnavailableError(f"{place} holds figures that are no integers; restore the store from a copy")
    return found


def tenant_scope(tenant: str) -> str:
    """Return the name of the ledger of *tenant*."""
    return f"tenant:{tenant}"


def denial(run_id: str, ledgers: Sequence[LedgerRow], reserve: int, settle: int) -> UnitsDeniedError:
    """Return the error for a reservation the *ledgers* do not cover, naming the first cap that denies it.

    Args:
        run_id: the run that asked.
        ledgers: both ledgers as they stand.
        reserve: units asked for.
        settle: units the same transition would have moved from reserved to spent.
    """
    for ledger in ledgers:
        scope = GLOBAL_SCOPE if ledger.scope == GLOBAL_SCOPE else "tenant"
        in_flight = ledger.in_flight_cap - ledger.reserved + settle
        total = ledger.total_cap - ledger.reserved - ledger.spent
        for limit, available in (("in_flight", in_flight), ("total", total)):
            if reserve > available:
                return UnitsDeniedError(
                    run_id=run_id, scope=scope, limit=limit, needed=reserve, available=max(available, 0)
                )
    return UnitsDeniedError(run_id=run_id, scope="tenant", limit="ledger", needed=reserve, available=0)
