"""The claim graph: what withdrawing costs beside `networkx.descendants`, and whether size shows where it should not.

The graph is a layered random DAG: 50 layers, 1 to 3 parents from the layer above, drawn by a multiplicative hash.
"""

import gc
import time
from statistics import median

import networkx as nx

from benchmarks.figures import Figure, report
from mast.protocol.graph import ClaimGraph

LAYERS = 50


def layered_parents(claims: int) -> list[tuple[int, ...]]:
    """Return the parents of each claim, by number."""
    width = claims // LAYERS
    parents: list[tuple[int, ...]] = []
    state = 88_172_645_463_325_252
    for claim in range(claims):
        layer = claim // width
        if layer == 0:
            parents.append(())
            continue
        chosen: list[int] = []
        state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 7
        state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
        for draw in range(1 + state % 3):
            parent = (layer - 1) * width + (state >> (8 + 16 * draw)) % width
            if parent not in chosen:
                chosen.append(parent)
        parents.append(tuple(chosen))
    return parents


def build(claims: int) -> ClaimGraph[int]:
    """Return the graph of that size."""
    graph: ClaimGraph[int] = ClaimGraph()
    for claim, parents in enumerate(layered_parents(claims)):
        graph.add(claim, parents)
    return graph


def seconds(call) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def small_claims(graph: ClaimGraph[int], claims: int, wanted: int = 9) -> list[int]:
    """Return late claims that reach about 200 others (150 to 250)."""
    width = claims // LAYERS
    found = []
    for claim in range((LAYERS - 12) * width, claims):
        if 150 <= graph.blast_radius(claim) <= 250:
            found.append(claim)
            if len(found) == wanted:
                break
    return found


def small_cost(graph: ClaimGraph[int], claims: int) -> float:
    """Median seconds to withdraw a claim that reaches about 200, per 200 claims fallen, once warm."""
    costs = []
    for claim in small_claims(graph, claims):
        graph.reach(claim)  # warms the caches on both sizes alike
        started = time.perf_counter()
        fallen = graph.withdraw(claim)
        if len(fallen) > 100:
            costs.append((time.perf_counter() - started) * 200 / len(fallen))
    return median(costs)


def diamond_ladder(levels: int = 60) -> float:
    """Seconds to add, check and withdraw a ladder with 2**levels paths."""
    started = time.perf_counter()
    graph: ClaimGraph[str] = ClaimGraph()
    graph.add("0")
    for level in range(levels):
        graph.add(f"{level}l", (str(level),))
        graph.add(f"{level}r", (str(level),))
        graph.add(str(level + 1), (f"{level}l", f"{level}r"))
    assert graph.stands(str(levels))
    assert len(graph.closure([str(levels)])) == 3 * levels + 1
    graph.withdraw("0")
    assert not graph.stands(str(levels))
    assert list(graph.blockers(str(levels))) == ["0"]
    return time.perf_counter() - started


def measure(claims: int = 1_000_000, small: int = 10_000) -> list[Figure]:
    """Measure on graphs of *claims* and *small* claims."""
    small_graph = build(small)
    small_seconds = small_cost(small_graph, small)
    del small_graph
    graph = build(claims)
    gc.freeze()
    root = max(range(40), key=graph.blast_radius)
    reached = graph.blast_radius(root)
    theirs = median(seconds(lambda: nx.descendants(graph.digraph, root)) for _ in range(3))
    large_seconds = small_cost(graph, claims)
    ours = seconds(lambda: graph.withdraw(root))
    deepest = claims - 1
    asked = median(seconds(lambda: [graph.stands(deepest) for _ in range(1000)]) / 1000 for _ in range(5))
    ladder = min(diamond_ladder() for _ in range(3))
    gc.unfreeze()
    return [
        Figure(
            f"withdrawing a claim that reaches {reached:,} of {claims:,}, against networkx.descendants",
            ours / theirs,
            at_most=1 / 3,
            detail=f"{ours * 1e3:.0f} ms against {theirs * 1e3:.0f} ms",
        ),
        Figure(
            f"withdrawing a claim that reaches 200, at {claims:,} claims against {small:,}",
            large_seconds / small_seconds,
            at_most=2,
            detail=f"{large_seconds * 1e6:.0f} µs against {small_seconds * 1e6:.0f} µs",
        ),
        Figure("asking whether the deepest claim stands, µs", asked * 1e6, at_most=2, detail="median of 5 x 1000"),
        Figure(
            "diamond ladder of 60 levels added, checked and withdrawn, ms",
            ladder * 1e3,
            at_most=10,
            detail="2^60 paths",
        ),
    ]


if __name__ == "__main__":
    report(measure())
