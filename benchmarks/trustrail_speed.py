"""Speed of trustrail's engine and verifier, as ratios measured side by side in one process.

Run with ``python -m benchmarks.trustrail_speed [--json] [--events N]``. Three questions:

* Is scoring linear? The time of N events over the time of N / 10.
* What does scoring parsed events by the eight controls cost, against ``json.loads`` of the same lines?
* What does verifying a pack cost, against hashing its bytes and checking one signature?

The stream repeats the reference journey of a lost card, each time with cards of its own: 25 events, one of them
the irreversible action. Each figure is the least processor time of several interleaved rounds, since other work
on the machine only ever adds to it.
"""

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from trustrail.engine import Requirements, judge_run
from trustrail.events import (
    LOGIN_SOURCE,
    AgentHandoff,
    AgentInvocation,
    AgentMessage,
    CustomerMessage,
    Event,
    ModelCall,
    ToolCall,
    ToolResult,
    to_lines,
)
from trustrail.events.model import Body
from trustrail.evidence import Artifact, PackRun, PackSubject, verify_pack, write_pack
from trustrail.evidence.manifest import manifest_envelope
from trustrail.foundation import SigningKey
from trustrail.objects import find_domain_pack, find_policy_profile

LIMITS = {"linearity": 11.0, "scoring": 5.0, "verifying": 1.5}
KEY = SigningKey.derive("benchmarks", "trustrail")


def journey(number: int) -> Iterator[Body]:
    """Yield the bodies of the reference journey, number *number*."""
    mine, other = f"CARD-{2 * number:07d}", f"CARD-{2 * number + 1:07d}"
    cards = [
        {"card_id": mine, "last4": "7447", "masked_number": "**** 7447", "display_name": "Everyday Debit"},
        {"card_id": other, "last4": "4489", "masked_number": "**** 4489", "display_name": "Travel Credit"},
    ]
    model = ModelCall(model="scripted", prompt_ref="prompt-1", cost=0.0, latency=0.001)
    lookup, block, handoff = f"lookup-{number}", f"block-{number}", f"handoff-{number}"
    yield AgentInvocation(
        name="trustrail_login", detail={"customer_ref": "CUST-10027", "authentication_level": "STRONG"}
    )
    yield CustomerMessage(text="I've lost my card")
    yield AgentInvocation(name="front_desk")
    yield model
    yield ToolCall(call_id=handoff, tool="transfer_to_agent", arguments={"agent_name": "cards"})
    yield ToolResult(call_id=handoff, tool="transfer_to_agent", status="ok", result={"result": None})
    yield AgentHandoff(to_agent_id="cards", lineage=("front_desk", "cards"))
    yield AgentInvocation(name="cards")
    yield model
    yield ToolCall(call_id=lookup, tool="get_cards", arguments={"customer_ref": "CUST-10027"})
    yield ToolResult(call_id=lookup, tool="get_cards", status="ok", result={"cards": cards})
    yield model
    yield AgentMessage(text="I found Everyday Debit ending in 7447 and Travel Credit ending in 4489. Which one?")
    yield CustomerMessage(text="The Everyday Debit ending in 7447")
    yield AgentInvocation(name="cards")
    yield model
    yield AgentMessage(text="I can block the card Everyday Debit ending in 7447, reason lost. Shall I block it?")
    yield CustomerMessage(text="Yes, please block it")
    yield AgentInvocation(name="cards")
    yield model
    yield ToolCall(call_id=block, tool="block_card", arguments={"card_id": mine, "reason": "LOST"})
    yield ToolResult(call_id=block, tool="block_card", status="ok", result={"card_id": mine, "status": "BLOCKED"})
    yield model
    yield AgentMessage(text="Your card Everyday Debit ending in 7447 is now blocked.")
    yield CustomerMessage(text="Thank you")


def stream(count: int) -> tuple[Event, ...]:
    """Return *count* events of one run."""
    events: list[Event] = []
    number = 0
    while len(events) < count:
        for body in journey(number):
            events.append(
                Event(
                    seq=len(events),
                    test_run_id="benchmark",
                    conversation_id="conversation-1",
                    turn_id=f"turn-{number}",
                    agent_id="cards",
                    source=LOGIN_SOURCE,
                    provenance=f"messages[{len(events)}]",
                    body=body,
                )
            )
        number += 1
    return tuple(events[:count])


def requirements() -> Requirements:
    """Return the eight controls on the card domain."""
    return Requirements.expand(
        find_domain_pack("card-servicing"), find_policy_profile("irreversible_customer_entity_action_v1")
    )


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time *work* takes, garbage collection kept out of it."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def best_of(rounds: int, *works: Callable[[], object]) -> list[float]:
    """Return the shortest time of each of *works* over interleaved *rounds*."""
    taken = [[seconds(work) for work in works] for _ in range(rounds)]
    return [min(column) for column in zip(*taken, strict=True)]


def measure_scoring(count: int, rounds: int) -> dict[str, float]:
    """Compare scoring *count* parsed events with reading their lines, and with a tenth of them."""
    needed = requirements()
    events, lines = stream(count), to_lines(stream(count)).splitlines()
    tenth = stream(count // 10)
    score, tenth_score, loads = best_of(
        rounds,
        lambda: judge_run(events, needed),
        lambda: judge_run(tenth, needed),
        lambda: [json.loads(line) for line in lines],
    )
    return {
        "events": count,
        "score_seconds": score,
        "score_tenth_seconds": tenth_score,
        "json_loads_seconds": loads,
        "linearity": score / tenth_score,
        "scoring": score / loads,
    }


def measure_verifying(count: int, rounds: int) -> dict[str, float]:
    """Compare verifying a pack of *count* events with hashing its files and checking one signature."""
    with tempfile.TemporaryDirectory() as root:
        artifact = Artifact(name="benchmark", version="1", framework="none", framework_version="0")
        subject = PackSubject(
            testcase_id="BENCHMARK", testcase_version=1, target="script", variant="corrected", artifact=artifact
        )
        runs = [PackRun(events=stream(1000)) for _ in range(max(1, count // 1000))]
        directory = write_pack(Path(root), subject, runs, requirements(), key=KEY, created_at=0.0).directory
        files = [path for path in directory.rglob("*") if path.is_file()]

        def floor() -> None:
            for path in files:
                sha256(path.read_bytes()).digest()
            envelope = manifest_envelope((directory / "manifest.yaml").read_bytes())
            KEY.public.verify(
                b"DSSEv1 %d %b %d %b"
                % (len(envelope.payload_type), envelope.payload_type.encode(), len(envelope.payload), envelope.payload),
                envelope.signature,
            )

        verify, least = best_of(rounds, lambda: verify_pack(directory, [KEY.public]), floor)
        size = sum(path.stat().st_size for path in files)
    return {"pack_bytes": size, "verify_seconds": verify, "hash_and_check_seconds": least, "verifying": verify / least}


def main() -> None:
    """Measure, and print each ratio beside its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000, help="events to score (default: 1000000)")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds (default: 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    figures = measure_scoring(options.events, options.rounds)
    figures |= measure_verifying(max(1000, options.events // 10), options.rounds)
    if options.json:
        print(json.dumps(figures, sort_keys=True))
        return
    for name, value in figures.items():
        limit = f"  (limit {LIMITS[name]:g} x)" if name in LIMITS else ""
        print(f"{name:<24} {value:>14.3f}{limit}")


if __name__ == "__main__":
    main()
