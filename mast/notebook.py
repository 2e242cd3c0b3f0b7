"""Drawings for notebooks: how far something bad travelled in a run. matplotlib is imported when first drawn with.

One rule: colours mean the same in every drawing. Red is something that should not be relied on and was passed on or
acted upon; orange is it where it was made or stopped; blue is fine; grey took no part.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mast.errors import MissingExtraError
from mast.report.run_result import RunResult

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

BAD: Final = "#c0392b"
STOPPED: Final = "#e59866"
GOOD: Final = "#5d8aa8"
IDLE: Final = "#c8ccd0"

Places = Mapping[str, tuple[float, float]]


def draw_propagation(result: RunResult, ax: "Axes | None" = None) -> "Axes":
    """Draw which organizations passed on what in the forward phase; what should not have travelled is red.

    Args:
        result: a finished run.
        ax: where to draw; a new figure when None.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    graph = result.propagation()
    places = _places(_planned_edges(result), list(graph))
    for sender, recipient in ((s, r) for s, r in _planned_edges(result) if not graph.has_edge(s, r)):
        graph.add_edge(sender, recipient, claims=(), bad=())
    edges = {(s, r): BAD if bad else GOOD if claims else IDLE for s, r, claims, bad in _passed(graph)}
    nodes = {name: BAD if graph.nodes[name]["reached"] else GOOD if _took_part(graph, name) else IDLE for name in graph}
    return _drawn(result.name, places, nodes, edges, ax)


def draw_claims(result: RunResult, ax: "Axes | None" = None) -> "Axes":
    """Draw the claims and what derives from what; a claim that should not be relied on is red where it was accepted.

    Args:
        result: a finished run.
        ax: where to draw; a new figure when None.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    graph = result.graph()
    places = _places(list(graph.edges), list(graph))
    nodes = {
        name: (BAD if node["reached"] else STOPPED) if node["invalid"] else GOOD if node["reached"] else IDLE
        for name, node in graph.nodes(data=True)
    }
    edges = {edge: BAD if BAD == nodes[edge[0]] == nodes[edge[1]] else IDLE for edge in graph.edges}
    return _drawn(result.name, places, nodes, edges, ax)


def _planned_edges(result: RunResult) -> list[tuple[str, str]]:
    routes = dict.fromkeys((route.sender, route.recipient) for route in result.world.routes if route.forwarded)
    return [(str(sender), str(recipient)) for sender, recipient in routes]


def _passed(graph: "nx.DiGraph[str]") -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    return [(sender, recipient, edge["claims"], edge["bad"]) for sender, recipient, edge in graph.edges(data=True)]


def _took_part(graph: "nx.DiGraph[str]", name: str) -> bool:
    return any(graph.edges[edge]["claims"] for edge in (*graph.in_edges(name), *graph.out_edges(name)))


def _places(edges: list[tuple[str, str]], names: list[str]) -> Places:
    """Return a place for each name that has an edge: as far right as its longest way from a start, evenly spread."""
    depth = {name: 0 for name in names if any(name in edge for edge in edges)}
    for _ in depth:
        deeper = {recipient: depth[sender] + 1 for sender, recipient in edges if depth[sender] >= depth[recipient]}
        if not deeper:
            break
        depth.update(deeper)
    columns: dict[int, list[str]] = {}
    for name, column in depth.items():
        columns.setdefault(column, []).append(name)
    return {
        name: (float(column), (len(members) - 1) / 2 - row)
        for column, members in columns.items()
        for row, name in enumerate(members)
    }


def _drawn(
    title: str, places: Places, nodes: Mapping[str, str], edges: Mapping[tuple[str, str], str], ax: "Axes | None"
) -> "Axes":
    try:
        from matplotlib import pyplot as plt
    except ModuleNotFoundError as error:
        raise MissingExtraError("matplotlib", "notebook") from error
    if ax is None:
        _, ax = plt.subplots(figsize=(8, 3))
    for (start, end), color in edges.items():
        arrow: dict[str, Any] = {"arrowstyle": "-|>", "color": color, "shrinkA": 12, "shrinkB": 12, "lw": 1.6}
        ax.annotate("", xy=places[end], xytext=places[start], arrowprops=arrow)
    for name, (across, up) in places.items():
        ax.scatter([across], [up], s=220, color=nodes[name], zorder=3)
        ax.annotate(name, (across, up), xytext=(0, -16), textcoords="offset points", ha="center", fontsize=7)
    ax.set_title(title, fontsize=9)
    ax.margins(0.12, 0.3)
    ax.set_axis_off()
    return ax
