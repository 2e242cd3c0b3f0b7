"""What travelled where in a run, as graphs: of its claims, and of its organizations.

One rule: a graph shows what the events and the hidden truth say; it is for people to look at, and scores nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from mast.experiments.scoring import ShownClaim, TaskScore, is_bad
from mast.organizations import records
from mast.protocol.graph import ClaimGraph
from mast.scenario import World

if TYPE_CHECKING:
    import networkx as nx

Event = Mapping[str, Any]


def claim_graph(world: World, events: Sequence[Event]) -> "nx.DiGraph[str]":
    """Return the claims of *world* and those issued beside them, with what *events* say of each."""
    graph: ClaimGraph[str] = ClaimGraph()
    for claim, spec in world.claims.items():
        graph.add(claim, spec.statement.parents)
    issued = _issued(events)
    for name in issued:
        if name not in graph:
            graph.add(name)
    tasks: dict[str, list[str]] = {name: [] for name in graph.digraph}
    for task in world.tasks:
        for name in graph.closure(claim for claim in task.claims if claim in graph):
            tasks[name].append(task.name)
    reached: dict[str, list[str]] = {name: [] for name in graph.digraph}
    for handoff in _forwarded(events):
        for shown in handoff["detail"]["claims"]:
            reached[shown["name"]].append(handoff["to_agent_id"])
    for name, attributes in graph.digraph.nodes(data=True):
        event = issued.get(name)
        statement = event["body"]["arguments"] if event else {}
        attributes["issuer"] = event["agent_id"] if event else None
        attributes["order"] = statement.get("value", {}).get("order")
        attributes["invalid"] = bool(statement) and is_bad(world.truth, _shown({**statement, "name": name}))
        attributes["reached"] = tuple(dict.fromkeys(reached[name]))
        attributes["tasks"] = tuple(tasks[name])
    return graph.digraph


def propagation_graph(world: World, events: Sequence[Event], tasks: Iterable[TaskScore]) -> "nx.DiGraph[str]":
    """Return the organizations of *world* and the handoffs that were accepted in the forward phase."""
    graph: ClaimGraph[str] = ClaimGraph()
    for organization in world.organizations:
        graph.add(organization)
    organizations = graph.digraph
    for name, attributes in organizations.nodes(data=True):
        attributes["reached"] = False
        attributes["tasks"] = {task.task: task.result for task in tasks if task.owner == name}
    for handoff in _forwarded(events):
        sender, recipient = handoff["detail"]["from"], handoff["to_agent_id"]
        claims = handoff["detail"]["claims"]
        bad = tuple(claim["name"] for claim in claims if is_bad(world.truth, _shown(claim)))
        if not organizations.has_edge(sender, recipient):
            organizations.add_edge(sender, recipient, claims=(), bad=())
        edge = organizations.edges[sender, recipient]
        edge["claims"] += tuple(claim["name"] for claim in claims)
        edge["bad"] += bad
        organizations.nodes[recipient]["reached"] |= bool(bad)
    return organizations


def _shown(claim: Mapping[str, Any]) -> ShownClaim:
    return msgspec.convert(claim, ShownClaim)


def _issued(events: Iterable[Event]) -> dict[str, Event]:
    """Return the event with which each claim was first issued."""
    found: dict[str, Event] = {}
    for event in events:
        if event["type"] == "tool_call" and event["body"]["tool"] == records.ISSUE:
            found.setdefault(event["body"]["arguments"]["claim"], event)
    return found


def _forwarded(events: Iterable[Event]) -> Iterator[Mapping[str, Any]]:
    """Yield the handoffs of the forward phase that were accepted."""
    for event in events:
        stage = (event["turn_id"] or "/").split("/")[1]
        if event["type"] == "agent_handoff" and stage == "forward" and event["body"]["detail"]["status"] == "accepted":
            yield event["body"]
