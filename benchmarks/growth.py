"""Growth: a world of 10^5 claims against one of 10^4, each run in a process of its own at L4 with ``verify=mac``."""

import json
import resource
import subprocess
import sys
import time

from benchmarks.figures import Figure, report


def run_once(claims: int, organizations: int) -> dict[str, float]:
    """Run one generated world here; return seconds, peak MiB and what happened."""
    from mast.experiments.scoring import score
    from mast.protocol.mechanisms import LAYERS
    from mast.runtime import run_world
    from mast.scenario import generated_world
    from trustrail.foundation import VerifyMode

    world = generated_world("layered", claims=claims, organizations=organizations)
    started = time.perf_counter()
    record = run_world(world, LAYERS["L4"], run_id="growth", verify=VerifyMode.MAC)
    result = score(world, record.lines, signatures=record.signatures, verifications=record.verifications)
    elapsed = time.perf_counter() - started
    return {
        "seconds": elapsed,
        "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "claims": len(world.claims),
        "unsafe": result.metrics.unsafe_completions,
        "notices": result.metrics.notices,
    }


def in_own_process(claims: int, organizations: int) -> dict[str, float]:
    """Run one world in a new process."""
    command = [sys.executable, "-m", "benchmarks.growth", str(claims), str(organizations)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measure(large: int = 100_000, small: int = 10_000) -> list[Figure]:
    """Measure both sizes twice, alternating, and keep the shorter time of each; organizations are a hundredth."""
    pairs = [(in_own_process(small, small // 100), in_own_process(large, large // 100)) for _ in range(2)]
    little, big = (min(column, key=lambda run: run["seconds"]) for column in zip(*pairs, strict=True))
    return [
        Figure(
            f"time at {large:,} claims against {small:,} (L4, mac)",
            big["seconds"] / little["seconds"],
            at_most=12,
            detail=f"{big['seconds']:.1f} s against {little['seconds']:.1f} s",
        ),
        Figure(f"peak memory at {large:,} claims, MiB", big["mebibytes"], at_most=4096, detail="of the whole process"),
    ]


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(run_once(int(sys.argv[1]), int(sys.argv[2]))))
    else:
        report(measure())
