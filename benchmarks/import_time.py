"""Import time: each package in a fresh process."""

import json
import subprocess
import sys
from statistics import median

from benchmarks.figures import Figure, report

OPTIONAL = ("pandas", "matplotlib", "google.adk", "langgraph", "opentelemetry", "psycopg", "nats", "mcp")


def seconds(package: str) -> float:
    """Seconds that ``import package`` takes in a new process, its start not counted."""
    program = f"import time; a = time.perf_counter(); import {package}; print(time.perf_counter() - a)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout)


def optional_loaded(package: str) -> list[str]:
    """Optional libraries that importing *package* loads."""
    program = f"import json, sys, {package}; print(json.dumps([name for name in {OPTIONAL} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measure() -> list[Figure]:
    """Measure the three packages, and the front door of mast once it is used."""
    figures = []
    for package in ("mast", "trailforge", "trustrail", "mast.report.front"):
        taken = median(seconds(package) for _ in range(5))
        loaded = optional_loaded(package)
        detail = f"optional libraries loaded: {', '.join(loaded) or 'none'}"
        figures.append(Figure(f"import {package}, s", taken, at_most=0.5, detail=detail))
    return figures


if __name__ == "__main__":
    report(measure())
