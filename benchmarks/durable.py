"""trailforge against the field, side by side: ``python -m benchmarks.durable [--json] [--repetitions N]``.

Every engine runs once per repetition in rotated order, each time in a fresh process and folder; a ratio is the median
of the per-repetition ratios. DBOS and Call4Agents live in an environment of their own (``.benchmarks/competitors``,
made on first use), so that their dependencies touch nothing; a competitor that cannot be had is reported as missing.
The targets are those of ``benchmarks/durable.md``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMPETITORS = ROOT / ".benchmarks" / "competitors"
PACKAGES = {"dbos": "dbos>=3.4,<4", "call4agents": "call4agents>=0.5,<0.6"}
"""Competitors outside the project's extras, at the releases the targets were set for."""

STEPS = 100
RESUME_STEPS = 128

TARGETS = {
    "dbos": (5.0, "at least", "times the steps/s of DBOS on SQLite"),
    "langgraph": (3.0, "at least", "times the steps/s of LangGraph SqliteSaver, durability sync"),
    "call4agents": (1.3, "at least", "times the steps/s of Call4Agents"),
    "floor": (1.3, "at most", "times the time of two raw commits per task"),
    "fsyncs_per_task": (2.1, "at most", "fsyncs per task"),
    "growth": (1.2, "at most", "times the ms/task of 16 tasks at 128"),
    "resume": (0.4, "at most", "times LangGraph's time from process start to the first new task"),
    "bytes_per_task": (1000.0, "at most", "bytes of database per task"),
    "busy_errors": (0.0, "at most", "SQLITE_BUSY reaching a caller, eight processes on one file"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure trailforge beside other durable engines.")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--repetitions", type=int, default=7, help="repetitions, the median counts (default 7)")
    parser.add_argument("--offline", action="store_true", help="do not install missing competitors")
    options = parser.parse_args()
    pythons, missing = interpreters(install=not options.offline)
    result = measure(pythons, options.repetitions) | {"missing": missing}
    print(json.dumps(result, sort_keys=True) if options.json else table(result))


def interpreters(*, install: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return the interpreter for each engine, and how to get those that are missing."""
    found = {"trailforge": sys.executable, "floor": sys.executable}
    missing: dict[str, str] = {}
    if imports(sys.executable, "langgraph.checkpoint.sqlite"):
        found["langgraph"] = sys.executable
    else:
        missing["langgraph"] = "pip install mast-simulator[langgraph]"
    for name, requirement in PACKAGES.items():
        python = str(COMPETITORS / "bin" / "python")
        if imports(sys.executable, name):
            found[name] = sys.executable
        elif imports(python, name) or (install and installed(python, requirement) and imports(python, name)):
            found[name] = python
        else:
            missing[name] = f"python -m venv {COMPETITORS.relative_to(ROOT)} && its pip install '{requirement}'"
    return found, missing


def installed(python: str, requirement: str) -> bool:
    if not Path(python).exists():
        venv.create(COMPETITORS, with_pip=True)
    done = subprocess.run([python, "-m", "pip", "install", "-q", requirement], capture_output=True, check=False)
    return done.returncode == 0


def imports(python: str, module: str) -> bool:
    if not Path(python).exists():
        return False
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def child(python: str, engine: str, measure_name: str, steps: int, folder: Path) -> dict[str, Any]:
    """Run one measurement in a fresh process; a killed one returns nothing."""
    command = [python, "-m", "benchmarks.durable_engines", engine, measure_name, str(steps), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if measure_name == "die":
        return {}
    if done.returncode != 0:
        raise SystemExit(f"{engine} {measure_name} failed: {done.stderr[-2000:]}")
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


def measure(pythons: dict[str, str], repetitions: int) -> dict[str, Any]:
    seconds: dict[str, list[float]] = {engine: [] for engine in pythons}
    warm: dict[str, list[float]] = {engine: [] for engine in pythons}
    resumes: dict[str, list[float]] = {engine: [] for engine in ("trailforge", "langgraph") if engine in pythons}
    linear: dict[int, list[float]] = {16: [], RESUME_STEPS: []}
    engines = list(pythons)
    for repetition in range(repetitions):
        for engine in engines[repetition % len(engines) :] + engines[: repetition % len(engines)]:
            with tempfile.TemporaryDirectory() as folder:
                seconds[engine].append(child(pythons[engine], engine, "run", STEPS, Path(folder))["seconds"])
            with tempfile.TemporaryDirectory() as folder:
                warm[engine].append(child(pythons[engine], engine, "warm", STEPS, Path(folder))["seconds"])
        for engine, times in resumes.items():
            times.append(resume_seconds(pythons[engine], engine))
        for steps, times in linear.items():
            with tempfile.TemporaryDirectory() as folder:
                measured = child(sys.executable, "trailforge", "run", steps, Path(folder))
                times.append(1000 * measured["seconds"] / steps)
    result: dict[str, Any] = {
        "steps_per_s": {engine: STEPS / median(times) for engine, times in seconds.items()},
        "ratios": ratios_of(seconds),
        "steps_per_s_warm": {engine: STEPS / median(times) for engine, times in warm.items()},
        "ratios_warm": ratios_of(warm),
        "ms_per_task": {str(steps): median(times) for steps, times in linear.items()},
        "growth": median(large / small for small, large in zip(linear[16], linear[RESUME_STEPS], strict=True)),
        "resume_s": {engine: median(times) for engine, times in resumes.items()},
        "resume": resume_ratio(resumes),
        "eight_processes": eight_processes(),
        "repetitions": repetitions,
    }
    result |= file_costs()
    result["busy_errors"] = result["eight_processes"]["errors"]
    result["targets"] = judged(result)
    return result


def ratios_of(seconds: dict[str, list[float]]) -> dict[str, float | None]:
    """Return medians of per-repetition ratios: times as many steps/s as the others, times the time of the floor."""
    ours = seconds["trailforge"]
    ratios: dict[str, float | None] = {"dbos": None, "langgraph": None, "call4agents": None}
    for engine in ratios.keys() & seconds.keys():
        ratios[engine] = median(other / own for other, own in zip(seconds[engine], ours, strict=True))
    ratios["floor"] = median(own / raw for own, raw in zip(ours, seconds["floor"], strict=True))
    return ratios


def resume_ratio(resumes: dict[str, list[float]]) -> float | None:
    if "langgraph" not in resumes:
        return None
    return median(own / other for own, other in zip(resumes["trailforge"], resumes["langgraph"], strict=True))


def resume_seconds(python: str, engine: str) -> float:
    """Time from the start of a new process to its first new step, after a SIGKILL halfway."""
    with tempfile.TemporaryDirectory() as folder:
        child(python, engine, "die", RESUME_STEPS, Path(folder))
        started = time.time()
        measured = child(python, engine, "resume", RESUME_STEPS, Path(folder))
        return float(measured["first_step_at"]) - started


def file_costs() -> dict[str, float]:
    """Count the flushes of a run through a SQLite VFS that counts, and the bytes the database grows by."""
    from benchmarks.durable_engines import Body, trailforge
    from tests.faults.trailforge.fault_vfs import FaultVfs

    with tempfile.TemporaryDirectory() as name, FaultVfs("benchmark-counting") as vfs:
        folder = Path(name)
        run = trailforge(folder, Body(), vfs="benchmark-counting")
        run(2, "warm-up", "run")
        before, size = vfs.syncs, database_bytes(folder)
        run(STEPS, "measured", "run")
        return {
            "fsyncs_per_task": (vfs.syncs - before) / STEPS,
            "bytes_per_task": (database_bytes(folder) - size) / STEPS,
        }


def database_bytes(folder: Path) -> int:
    """Size of the database once its WAL is folded in."""
    import apsw

    connection = apsw.Connection(str(folder / "trailforge.db"))
    connection.execute("PRAGMA wal_checkpoint(FULL)")
    pages = connection.pragma("page_count") * connection.pragma("page_size")
    connection.close()
    return int(pages)


def eight_processes() -> dict[str, float]:
    """Eight processes, one file, 25 tasks each: how many failed, and the steps/s of all together."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.durable_engines", "trailforge", "run", "25", folder]
        environment = {**os.environ, "BENCH_RUN": ""}
        started = time.perf_counter()
        crowd = [
            subprocess.Popen(
                command,
                cwd=ROOT,
                env={**environment, "BENCH_RUN": f"-{n}"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for n in range(8)
        ]
        errors = sum(process.wait() != 0 for process in crowd)
        return {"errors": errors, "steps_per_s": 8 * 25 / (time.perf_counter() - started)}


def judged(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return each target with what was measured and whether it is met; null where nothing could be measured."""
    verdicts: dict[str, dict[str, Any]] = {}
    for name, (bound, sense, meaning) in TARGETS.items():
        measured = result["ratios"].get(name) if name in result["ratios"] else result[name]
        met = None if measured is None else measured >= bound if sense == "at least" else measured <= bound
        verdicts[name] = {"measured": measured, "target": f"{sense} {bound:g}", "meaning": meaning, "met": met}
    return verdicts


def table(result: dict[str, Any]) -> str:
    lines = ["engine         steps/s  steps/s warm"]
    for engine, steps in result["steps_per_s"].items():
        lines.append(f"{engine:<12} {steps:>9.0f} {result['steps_per_s_warm'][engine]:>13.0f}")
    warm = (f"{name} {ratio:.2f}" for name, ratio in sorted(result["ratios_warm"].items()) if ratio is not None)
    lines.append(f"ratios warm: {', '.join(warm)}")
    lines += ["", f"{'target':<16} {'measured':>9}  {'wanted':<14} met  meaning"]
    for name, target in result["targets"].items():
        shown = "missing" if target["measured"] is None else f"{target['measured']:.2f}"
        met = {True: "yes", False: "NO", None: "?"}[target["met"]]
        lines.append(f"{name:<16} {shown:>9}  {target['target']:<14} {met:<4} {target['meaning']}")
    lines += [f"missing: {name}: {how}" for name, how in result["missing"].items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
