"""What LangGraph's checkpoint namespace tells, for every bridge that passes it on."""

ROOT_GRAPH = "LangGraph"
"""Name of the outermost graph, which the namespace leaves out."""


def agent_of(namespace: str | None) -> str | None:
    """Return the graph a step belongs to: the innermost subgraph around the node, or the outermost graph.

    A namespace is ``graph:id|…|node:id``, outermost first.
    """
    if namespace is None:
        return None
    graphs = namespace.split("|")[:-1]
    return graphs[-1].partition(":")[0] if graphs else ROOT_GRAPH
