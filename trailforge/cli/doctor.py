"""What ``trailforge doctor`` finds: the machine, and the store when there is one."""

from pathlib import Path

from trailforge.authority import Authority, Caps
from trailforge.authority.port import UNBOUNDED
from trailforge.authority.sqlite_diagnosis import library_facts
from trailforge.cli.opening import open_authority
from trailforge.cli.options import DEFAULT_STORE
from trailforge.harness import RunStatus
from trailforge.runner import survey_isolations


def examine(store: str, schema: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the facts about this machine and the store, and everything that makes the store unfit for use.

    Args:
        store: SQLite file or PostgreSQL URL; when empty, `DEFAULT_STORE` where it exists, else the machine alone.
        schema: schema of a PostgreSQL store.

    Raises:
        UsageError: if a named store does not exist.
        StoreRefusedError: if it cannot be trusted.
    """
    if not store and not Path(DEFAULT_STORE).exists():
        return {"store": f"none yet; {DEFAULT_STORE} does not exist", **library_facts(), **_isolation_facts()}, ()
    with open_authority(store or DEFAULT_STORE, schema) as authority:
        diagnosis = authority.diagnose()
        return {**diagnosis.facts, **_store_facts(authority), **_isolation_facts()}, diagnosis.problems


def _store_facts(authority: Authority) -> dict[str, str]:
    runs, units = authority.runs(), authority.units()
    return {
        **{name: _cap(getattr(authority.caps, name)) for name in Caps.__dataclass_fields__},
        "units_reserved": str(units.reserved),
        "units_spent": str(units.spent),
        **{f"runs_{each.value}": str(sum(r.status == each for r in runs)) for each in RunStatus},
    }


def _isolation_facts() -> dict[str, str]:
    """Say which isolations the runner may take here; none is no fault of the store."""
    survey = survey_isolations()
    found = {**{name: f"available: {version}" for name, version in survey.versions.items()}, **survey.problems}
    return {
        **{f"isolation_{name}": found[name] for name in sorted(found)},
        "isolation_chosen": next(iter(survey.versions), "none: commands cannot be run isolated here"),
    }


def _cap(cap: int) -> str:
    return "unbounded" if cap == UNBOUNDED else str(cap)
