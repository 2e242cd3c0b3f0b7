"""The published plans: layered matrix, ablations, fixtures of two business variants, freeze scope.

Counts and arms are those of the earlier system's plans: layered 3 x 10 x 5 = 150, ablations 20 per topology = 60,
fixtures 60 x 5 + 50 = 350, freeze scope 3 x 2 x 2 x 4 = 48.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from mast.experiments.plan import Plan, PlannedRun, WorldSource, planned_run
from mast.protocol.mechanisms import ABLATIONS, FREEZE_ARMS, LAYERS, mechanisms_named
from trustrail.foundation import VerifyMode

TOPOLOGIES: Final = ("long_chain_fork", "converge_then_fork", "reused_org_independent")

CASES: Final = (
    "active",
    "tampered_handoff",
    "root_retraction",
    "intermediate_retraction",
    "branch_retraction",
    "late_notice",
    "signed_false",
    "conflicting_sources",
    "confirmed_repair",
    "authority_unknown",
)

ABLATED_CASES: Final = {
    "L4_no_push": ("active", "late_notice", "intermediate_retraction"),
    "L4_no_fact": ("signed_false", "conflicting_sources", "confirmed_repair", "authority_unknown"),
    "L4_no_recovery": ("confirmed_repair",),
    "L3_coarse": ("intermediate_retraction", "branch_retraction"),
    "verify_all": CASES,
}
"""Which cases show what each ablation takes away."""

VARIANTS: Final = ("invoice_cny", "invoice_usd")
"""The two businesses of the fixtures, by variant number."""

FIXTURE_SEED: Final = 1000
"""Seed of the first variant's fixtures; the variant's number is added."""

FREEZE_FAULTS: Final = {"shared_upstream": "shared_A", "branch_middle": "branch_A_a"}
FREEZE_TIMINGS: Final = ("all_before_deadline", "critical_edge_late")
REVOKED_AT: Final = 10  # ticks
LATE_DELAY: Final = 20  # ticks; the deadline is 10 ticks after the revocation


def layered_plan(
    *, seeds: Sequence[int] = (0,), ablations: bool = False, verify: VerifyMode = VerifyMode.CACHED
) -> Plan:
    """Return the layered matrix, followed by the *ablations* when asked for: 150 or 210 runs per seed."""
    runs = [
        _run(topology, case, layer, seed)
        for seed in seeds
        for topology in TOPOLOGIES
        for case in CASES
        for layer in LAYERS
    ]
    if ablations:
        runs += [
            _run(topology, case, layer, seed)
            for seed in seeds
            for topology in TOPOLOGIES
            for layer, cases in ABLATED_CASES.items()
            for case in cases
        ]
    return Plan("layered+ablations" if ablations else "layered", tuple(runs), verify)


def fixture_plan(*, repeats: int = 1, verify: VerifyMode = VerifyMode.CACHED) -> Plan:
    """Return the plan of 60 fixtures: 300 main runs and 50 ablation runs, *repeats* times with other seeds."""
    runs = [
        _run(topology, case, layer, _fixture_seed(variant, repeat), VARIANTS[variant])
        for repeat in range(repeats)
        for topology in TOPOLOGIES
        for case in CASES
        for variant in range(len(VARIANTS))
        for layer in LAYERS
    ]
    runs += [
        _run(TOPOLOGIES[0], case, layer, _fixture_seed(0, repeat), VARIANTS[0])
        for repeat in range(repeats)
        for case in CASES
        for layer in ABLATIONS
    ]
    return Plan("fixtures", tuple(runs), verify)


def freeze_plan(*, verify: VerifyMode = VerifyMode.CACHED) -> Plan:
    """Return the freeze-scope plan: what a notice's reach and a freeze's scope save and cost, 48 runs."""
    return Plan("freeze", tuple(_freeze_runs()), verify)


def _run(topology: str, case: str, layer: str, seed: int, business: str = "default") -> PlannedRun:
    source = WorldSource(topology=topology, case=case, business=business)
    return planned_run(source, layer, mechanisms_named(layer), seed)


def _fixture_seed(variant: int, repeat: int) -> int:
    return FIXTURE_SEED + variant + len(VARIANTS) * repeat


def _freeze_runs() -> Iterator[PlannedRun]:
    for topology in TOPOLOGIES:
        for fault, claim in FREEZE_FAULTS.items():
            for timing in FREEZE_TIMINGS:
                for arm, mechanisms in FREEZE_ARMS.items():
                    faults: list[dict[str, object]] = [{"kind": "revoke", "claim": claim, "at": REVOKED_AT}]
                    if timing == "critical_edge_late":
                        edge = f"{fault}/{mechanisms.notices}"
                        late = {"delay": LATE_DELAY, "edge": edge, "parcels": ["notice", "revocation"]}
                        faults.append({"kind": "late_link", **late})
                    source = WorldSource(topology=topology, business="release", faults=tuple(faults))
                    yield planned_run(source, arm, mechanisms, 0, case=f"{fault}+{timing}")
