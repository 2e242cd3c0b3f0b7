"""Whether the names in a topology and a business refer to something, and whether the world can be seeded.

Every function yields all problems it finds; none stops at the first.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Final

from mast.errors import ScenarioError, nearest
from mast.organizations.agents import AGENTS
from mast.protocol.contracts import CONTRACTS
from mast.protocol.rules import RULES
from mast.scenario.entry import MAX_PROBLEMS, Problem
from mast.scenario.files import AgentEntry, Business, ClaimEntry, Topology
from mast.scenario.world import Schedule

_LONGEST_CYCLE: Final = 20
"""Names of a cycle that are all written out."""


def topology_problems(topology: Topology, misshapen: Collection[str] = ()) -> Iterator[Problem]:
    """Yield every problem of *topology* alone.

    References to claims that are *misshapen*, and therefore left out, are no further problems.
    """
    claims = {*topology.claims, *misshapen}
    organizations = set(topology.organizations)
    checks = chain(
        _repeated(topology.organizations, ("organizations",)),
        _claim_problems(topology, claims, organizations),
        _route_problems(topology, claims, organizations),
        _task_problems(topology, claims, organizations),
        _edge_problems(topology, organizations),
        cycle_problems({name: claim.parents for name, claim in topology.claims.items()}),
    )
    found = list(islice(checks, MAX_PROBLEMS))
    yield from found if found or misshapen else islice(_seeding_problems(topology), MAX_PROBLEMS)


def business_problems(business: Business, topology: Topology) -> Iterator[Problem]:
    """Yield every problem of *business* when it is used with *topology*."""
    organizations = {*topology.organizations}
    if business.authorization is not None:
        organizations.add(business.authorization.issuer)
    for predicate, organization in business.authorities.items():
        yield from _unknown(organization, organizations, "an organization", ("authorities", predicate))
    if business.fact_authority is not None:
        yield from _unknown(business.fact_authority, organizations, "an organization", ("fact_authority",))
    yield from _unknown(business.claim.rule, RULES, "a derivation rule", ("claim", "rule"))
    yield from schedule_problems(business.schedule.moved(Schedule()))
    yield from _unknown(business.operation, CONTRACTS, "an operation", ("operation",))
    if business.operation in CONTRACTS and business.operation not in business.losses:
        yield Problem(("losses",), f"has no loss for the operation {business.operation!r}")
    for predicate, claim in root_predicates(business, topology).items():
        if predicate not in business.authorities:
            yield Problem(
                ("authorities",),
                f"names nobody for {predicate!r}, the predicate of root {claim!r}"
                f"{nearest(predicate, business.authorities)}",
            )


def schedule_problems(schedule: Schedule) -> Iterator[Problem]:
    """Yield a problem for each phase that starts before the one it follows."""
    phases = {"seed": schedule.seed, "forward": schedule.forward, "act": schedule.act, "end": schedule.end}
    planned = [(name, tick) for name, tick in phases.items() if tick is not None]
    for (before, earlier), (name, tick) in pairwise(planned):
        if tick < earlier:
            yield Problem(("schedule",), f"has {name} at tick {tick}, before {before} at tick {earlier}")


def agent_problems(agents: AgentEntry) -> Iterator[Problem]:
    """Yield a problem if no agent of that kind is registered, and for each setting it cannot use."""
    yield from _unknown(agents.kind, AGENTS, "a kind of agent", ("agents", "kind"))
    try:
        AGENTS[agents.kind](agents.settings, 0)
    except KeyError:
        return
    except ScenarioError as error:
        for problem in error.problems:
            yield Problem(("agents", "settings"), problem.removeprefix("agents.settings").removeprefix("."))


def root_predicates(business: Business, topology: Topology) -> dict[str, str]:
    """Return the predicates of claims without parents, each with one claim that has it."""
    predicates = {
        claim.predicate or business.claim.predicate: name
        for name, claim in topology.claims.items()
        if not claim.parents
    }
    if business.authorization is not None:
        predicates.setdefault(business.authorization.predicate, "authorization")
    return predicates


def parents_first(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names of *parents* so that parents precede children, otherwise in the order given.

    Names that are on a cycle, or derive from one, are left out.
    """
    order: dict[str, None] = {}
    waiting: dict[str, list[str]] = {}
    missing: dict[str, dict[str, None]] = {}
    for name, needs in parents.items():
        missing[name] = dict.fromkeys(need for need in needs if need not in order and need in parents)
        for need in missing[name]:
            waiting.setdefault(need, []).append(name)
        ready = [] if missing[name] else [name]
        while ready:
            done = ready.pop()
            order[done] = None
            for child in reversed(waiting.pop(done, [])):
                missing[child].pop(done)
                if not missing[child]:
                    ready.append(child)
    return list(order)


def cycle_problems(parents: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Yield one problem for each cycle met when walking from child to parent, with the cycle written out."""
    left = set(parents) - set(parents_first(parents))
    while left:
        path = [min(left)]
        while True:
            step = next((parent for parent in parents[path[-1]] if parent in left), None)
            if step is None:
                break
            if step in path:
                cycle = [*path[path.index(step) :], step]
                yield Problem(("claims", step, "parents"), f"close a cycle: {_drawn(cycle)}")
                break
            path.append(step)
        left -= set(path)


def _drawn(cycle: Sequence[str]) -> str:
    shown = cycle if len(cycle) <= _LONGEST_CYCLE else [*cycle[:3], f"… {len(cycle) - 5} more …", *cycle[-2:]]
    return " <- ".join(shown)


def _unknown(name: str, known: Collection[str], kind: str, path: tuple[str | int, ...]) -> Iterator[Problem]:
    if name not in known:
        yield Problem(path, f"is {name!r}, which is not {kind}{nearest(name, known)}")


def _repeated(names: Sequence[str], path: tuple[str | int, ...]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield Problem((*path, index), f"is {name!r} for the second time; names must be unique")
        seen.add(name)


def _claim_problems(topology: Topology, claims: Collection[str], organizations: Collection[str]) -> Iterator[Problem]:
    if not claims:
        yield Problem(("claims",), "is empty; expected at least one claim")
    for name, claim in topology.claims.items():
        path = ("claims", name)
        yield from _unknown(claim.issuer, organizations, "an organization", (*path, "issuer"))
        yield from _repeated(claim.parents, (*path, "parents"))
        if claim.rule is not None:
            yield from _unknown(claim.rule, RULES, "a derivation rule", (*path, "rule"))
        for index, parent in enumerate(claim.parents):
            yield from _unknown(parent, claims, "a claim", (*path, "parents", index))


def _route_problems(topology: Topology, claims: Collection[str], organizations: Collection[str]) -> Iterator[Problem]:
    for number, route in enumerate(topology.routes):
        path = ("routes", number)
        yield from _unknown(route.sender, organizations, "an organization", (*path, "sender"))
        yield from _unknown(route.recipient, organizations, "an organization", (*path, "recipient"))
        if route.sender == route.recipient:
            yield Problem((*path, "recipient"), f"is {route.recipient!r}, the sender itself")
        yield from _repeated(route.claims, (*path, "claims"))
        for index, claim in enumerate(route.claims):
            yield from _unknown(claim, claims, "a claim", (*path, "claims", index))


def _task_problems(topology: Topology, claims: Collection[str], organizations: Collection[str]) -> Iterator[Problem]:
    for name, task in topology.tasks.items():
        path = ("tasks", name)
        yield from _unknown(task.owner, organizations, "an organization", (*path, "owner"))
        yield from _unknown(task.claim, claims, "a claim", (*path, "claim"))
        for index, claim in enumerate(task.supporting):
            yield from _unknown(claim, claims, "a claim", (*path, "supporting", index))
        if task.claim in topology.claims and topology.claims[task.claim].order is None:
            yield Problem((*path, "claim"), f"is {task.claim!r}, which names no order; give the claim an order")


def _edge_problems(topology: Topology, organizations: Collection[str]) -> Iterator[Problem]:
    for name, text in topology.critical_edges.items():
        sender, recipient = edge_ends(text)
        for end in (sender, recipient):
            yield from _unknown(end, organizations, "an organization", ("critical_edges", name))
        if sender == recipient:
            yield Problem(("critical_edges", name), f"is {text!r}; expected two different organizations")


def edge_ends(text: str) -> tuple[str, str]:
    """Return sender and recipient of an edge written ``sender -> recipient``."""
    sender, _, recipient = text.partition("->")
    return sender.strip(), recipient.strip()


def _seeding_problems(topology: Topology) -> Iterator[Problem]:
    """Play the routes in order: whoever sends a claim must hold it, or hold what it derives it from."""
    held: dict[str, set[str]] = {name: set() for name in topology.organizations}
    for number, route in enumerate(topology.routes):
        mine = held[route.sender]
        for index, name in enumerate(route.claims):
            claim = topology.claims[name]
            path = ("routes", number, "claims", index)
            if name not in mine and claim.issuer != route.sender:
                yield Problem(path, f"is {name!r}, which {route.sender!r} has not been handed before")
            for parent in claim.parents:
                if claim.issuer == route.sender and name not in mine and parent not in mine:
                    yield Problem(
                        path,
                        f"is {name!r}, which derives from {parent!r}, which {route.sender!r} does not hold yet; "
                        "hand it over in an earlier route",
                    )
            mine.add(name)
        held[route.recipient] |= _with_ancestors(topology.claims, route.claims)
    handed = {name for names in held.values() for name in names}
    for name in topology.claims:
        if name not in handed:
            yield Problem(("claims", name), "is handed to nobody; add a route")
    for name, task in topology.tasks.items():
        for used in (task.claim, *task.supporting):
            if used in handed and used not in held[task.owner]:
                yield Problem(("tasks", name), f"rests on {used!r}, which no route hands to {task.owner!r}")


def _with_ancestors(claims: Mapping[str, ClaimEntry], names: Sequence[str]) -> set[str]:
    reached: set[str] = set()
    ahead = list(names)
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += claims[name].parents
    return reached
