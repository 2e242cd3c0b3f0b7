"""The audit of a store: do its ledgers and notices agree with what its journals tell?

A journal is a hash chain and its checkpoint repeats where it leads; ledgers and notices are sums and copies of what
journals say, and are held against them here. A run that was deleted leaves its spent units behind and nothing else,
so a ledger may have spent more than its journals tell, never less.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trailforge.authority import Authority, Notice, StoredRun, Units
from trailforge.harness.events import events_from_text
from trailforge.harness.state import RunState
from trailforge.harness.transitions import Announce, ReserveUnits, SettleUnits, step
from trailforge.work import goal_from_json
from trustrail.foundation import parse_json


@dataclass(slots=True)
class _Told:
    """What a journal says happened to ledgers and notices."""

    reserved: int = 0
    spent: int = 0
    notices: list[Notice] = field(default_factory=list)


def audit(authority: Authority, runs: Iterable[StoredRun]) -> tuple[str, ...]:
    """Return what is missing, and in what ledgers and notices differ from *runs*, all runs there are, verified.

    Raises:
        AuthorityUnavailableError: if the store cannot be read.
    """
    problems = list(authority.diagnose().damage)
    tenants: defaultdict[str, _Told] = defaultdict(_Told)
    for run in runs:
        told = _told(run)
        tenants[run.tenant].reserved += told.reserved
        tenants[run.tenant].spent += told.spent
        if list(authority.notices(run.run_id)) != told.notices:
            problems.append(f"notices of run {run.run_id} are not the {len(told.notices)} its journal announces")
    for tenant, told in sorted(tenants.items()):
        problems += _differences(f"ledger of tenant {tenant!r}", authority.units(tenant), told)
    everyone = _Told(
        reserved=sum(told.reserved for told in tenants.values()),
        spent=sum(authority.units(tenant).spent for tenant in tenants),
    )
    problems += _differences("global ledger", authority.units(), everyone)
    return tuple(problems)


def _told(run: StoredRun) -> _Told:
    told = _Told()
    state = RunState(goal=goal_from_json(parse_json(run.plan)["goal"]))
    for entry in run.entries:
        for event in events_from_text(entry.text):
            state, effects = step(state, event)
            for effect in effects:
                match effect:
                    case ReserveUnits(units):
                        told.reserved += units
                    case SettleUnits(units):
                        told.reserved -= units
                        told.spent += units
                    case Announce(status, task, reason):
                        kind = status.value
                        told.notices.append(
                            Notice(run_id=run.run_id, sequence=entry.sequence, kind=kind, task_id=task, reason=reason)
                        )
    return told


def _differences(ledger: str, stored: Units, told: _Told) -> Iterator[str]:
    if stored.reserved != told.reserved:
        yield f"{ledger} has {stored.reserved} units reserved, journals tell {told.reserved}"
    if stored.spent < told.spent:
        yield f"{ledger} has {stored.spent} units spent, journals tell {told.spent}"
