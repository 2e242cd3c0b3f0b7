"""When and where things happen: actors, virtual time, the network, the observer."""

from mast.runtime.engine import RUNTIMES, RunRecord, run_world

__all__ = ["RUNTIMES", "RunRecord", "run_world"]
