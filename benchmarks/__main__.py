"""Measure every number of the simulator: ``python -m benchmarks [--json]``. Exit code 1 when one falls short."""

import argparse
import json
import sys
from dataclasses import asdict

from benchmarks import claim_graph, growth, identical, import_time, layered_speed, message_rate
from benchmarks.figures import report


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = []
    for benchmark in (layered_speed, message_rate, claim_graph, growth, identical, import_time):
        measured = benchmark.measure()
        figures += measured
        if not options.json:
            report(measured)
            sys.stdout.flush()
    if options.json:
        print(json.dumps({"figures": [{**asdict(figure), "met": figure.met} for figure in figures]}))
    return 0 if all(figure.met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
