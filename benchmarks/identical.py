"""Same scenario, same seed, same bytes: the digests of the 150 runs in every runtime, worker count and hash seed."""

import json
import os
import subprocess
import sys

from benchmarks.figures import Figure, report

VARIANTS = {
    "virtual, hash seed 0": (("--runtime", "virtual"), "0"),
    "virtual, hash seed 1": (("--runtime", "virtual"), "1"),
    "virtual, hash seed random": (("--runtime", "virtual"), "random"),
    "threads, hash seed random": (("--runtime", "threads"), "random"),
    "two workers, hash seed random": (("--workers", "2"), "random"),
}


def digests(options: tuple[str, ...], hash_seed: str) -> dict[str, str]:
    """Return the digest of each run, from the shell command in a process of its own."""
    command = [sys.executable, "-c", "from mast.cli import main; main()", "bench", "layered", "--json", *options]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return {
        f"{run['topology']}/{run['case']}/{run['layer']}/{run['seed']}": run["digest"]
        for run in json.loads(done.stdout)["runs"]
    }


def measure() -> list[Figure]:
    """Compare every variant with the first."""
    results = {name: digests(*variant) for name, variant in VARIANTS.items()}
    first = next(iter(results.values()))
    same = sum(all(other.get(run) == digest for other in results.values()) for run, digest in first.items())
    detail = "; ".join(results)
    return [Figure("runs with one digest in every variant, of 150", same, at_least=150, detail=detail)]


if __name__ == "__main__":
    report(measure())
