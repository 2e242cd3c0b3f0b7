"""The same world, mechanisms and seed give the same bytes: on every runtime, in every process, every time."""

import os
import subprocess
import sys
from pathlib import Path

import pykka
import pytest

from mast.errors import ScenarioError
from mast.protocol.mechanisms import mechanisms_named
from mast.runtime import RUNTIMES, RunRecord, run_world
from mast.scenario import load_scenario, load_world
from mast.scenario.shipped import shipped_file
from trustrail.events import from_lines
from trustrail.foundation import HashChain, VerifyMode, verify_chain

ROOT = Path(__file__).resolve().parents[3]

SPREAD = [
    ("long_chain_fork", "active", "L2"),
    ("long_chain_fork", "late_notice", "L0"),
    ("long_chain_fork", "tampered_handoff", "L4"),
    ("long_chain_fork", "confirmed_repair", "L3"),
    ("converge_then_fork", "confirmed_repair", "L4"),
    ("converge_then_fork", "conflicting_sources", "L4"),
    ("converge_then_fork", "root_retraction", "L3_coarse"),
    ("reused_org_independent", "confirmed_repair", "L0"),
    ("reused_org_independent", "intermediate_retraction", "L4_no_push"),
    ("reused_org_independent", "authority_unknown", "L4"),
    ("reused_org_independent", "branch_retraction", "broadcast_workload"),
]


def run(topology: str, case: str, layer: str, **options) -> RunRecord:
    world = load_world(topology, case)
    return run_world(world, mechanisms_named(layer), run_id=f"{topology}/{case}/{layer}", **options)


@pytest.mark.parametrize(("topology", "case", "layer"), SPREAD, ids=["/".join(cell) for cell in SPREAD])
def test_threads_and_virtual_time_write_the_same_bytes(topology: str, case: str, layer: str):
    virtual, threads = (run(topology, case, layer, runtime=runtime) for runtime in ("virtual", "threads"))
    assert threads.lines == virtual.lines
    assert threads.digest == virtual.digest
    assert (threads.signatures, threads.verifications) == (virtual.signatures, virtual.verifications)


def test_an_example_with_several_faults_and_latency_is_the_same_on_both_runtimes():
    world = load_scenario(shipped_file("examples", "several_faults"))
    records = [run_world(world, mechanisms_named("L4"), run_id="x", runtime=runtime) for runtime in RUNTIMES]
    assert len({record.digest for record in records}) == 1


def test_another_seed_gives_other_keys_and_so_another_log():
    assert (
        run("long_chain_fork", "active", "L4", seed=1).digest != run("long_chain_fork", "active", "L4", seed=2).digest
    )


def test_remembering_checks_changes_what_is_paid_and_not_what_is_written():
    """`cached` and `always` sign alike; the log and the counts of checks are the same, computed ones are fewer."""
    always, cached = (
        run("long_chain_fork", "late_notice", "L4", verify=mode) for mode in (VerifyMode.ALWAYS, VerifyMode.CACHED)
    )
    assert cached.lines == always.lines
    assert cached.verifications == always.verifications == always.computed
    assert cached.computed < always.computed


def test_the_mac_mode_reaches_the_same_results_and_says_its_name():
    record = run("long_chain_fork", "confirmed_repair", "L4", verify=VerifyMode.MAC)
    signed = run("long_chain_fork", "confirmed_repair", "L4")
    assert record.verify is VerifyMode.MAC
    assert [len(record.lines), record.signatures] == [len(signed.lines), signed.signatures]


PROGRAM = """
import sys
from mast.protocol.mechanisms import mechanisms_named
from mast.runtime import run_world
from mast.scenario import load_world
for cell in sys.argv[1:]:
    topology, case, layer = cell.split("/")
    print(run_world(load_world(topology, case), mechanisms_named(layer), run_id=cell).digest)
"""


def test_the_hash_seed_of_the_process_shows_in_no_digest():
    cells = ["/".join(SPREAD[index]) for index in (1, 4, 5)]
    here = [run(*cell.split("/")).digest for cell in cells]
    for seed in ("0", "1", "random"):
        finished = subprocess.run(
            [sys.executable, "-c", PROGRAM, *cells],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert finished.stdout.split() == here, f"PYTHONHASHSEED={seed}"


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_every_actor_is_stopped_after_a_run(runtime: str):
    before = set(pykka.ActorRegistry.get_all())
    run("long_chain_fork", "confirmed_repair", "L4", runtime=runtime)
    assert set(pykka.ActorRegistry.get_all()) == before


@pytest.mark.parametrize(("topology", "case", "layer"), SPREAD, ids=["/".join(cell) for cell in SPREAD])
def test_every_event_of_a_run_is_read_by_the_strict_reader(topology: str, case: str, layer: str):
    record = run(topology, case, layer)
    events = from_lines(b"".join(line + b"\n" for line in record.lines))
    assert len(events) == len(record.lines) > 0
    assert [event.seq for event in events] == list(range(len(events)))
    assert {event.source for event in events} == {"mast"}
    assert {event.test_run_id for event in events} == {record.run_id}


def test_the_digest_of_a_run_is_the_head_of_the_chain_over_its_lines():
    record = run("long_chain_fork", "late_notice", "L4")
    chain = HashChain()
    links = [(line, chain.append(line)) for line in record.lines]
    assert verify_chain(links, head=bytes.fromhex(record.digest)).hex() == record.digest


def test_an_unknown_runtime_is_refused_with_the_nearest_name():
    with pytest.raises(ScenarioError, match=r"runtime is 'thread'; did you mean 'threads'\?"):
        run("long_chain_fork", "active", "L1", runtime="thread")
