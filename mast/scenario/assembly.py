"""From a topology and a business to a world; faults are applied afterwards.

Orders, amounts and organizations are data here: this file knows none of them by name.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from mast.errors import nearest
from mast.ids import ClaimName, OrganizationName, TaskName
from mast.organizations.messages import Statement
from mast.scenario.entry import Problem
from mast.scenario.files import AgentEntry, Business, NetworkEntry, Topology
from mast.scenario.references import edge_ends, parents_first
from mast.scenario.world import (
    AgentSpec,
    ClaimSpec,
    Edge,
    Network,
    RegistryEntry,
    Route,
    Schedule,
    TaskSpec,
    Truth,
    World,
)


def template_problems(business: Business, topology: Topology) -> Iterator[Problem]:
    """Yield every problem that *business* has with its templates, when it fills them for *topology*."""
    yield from _unfilled(business.claim.value, business, "order", path=("claim", "value"))
    if "$order" in business.claim.value.values():
        for name, claim in topology.claims.items():
            if claim.order is None and claim.value is None:
                text = f"needs $order, but claim {name!r} names no order; give the claim one"
                yield Problem(("claim", "value"), text)
    if business.authorization is not None:
        yield from _unfilled(business.authorization.value, business, "order", path=("authorization", "value"))


def claim_value_problems(topology: Topology, business: Business) -> Iterator[Problem]:
    """Yield every problem that claims of *topology* have with *business*: their own values, and their names."""
    for name, claim in topology.claims.items():
        known = () if claim.order is None else ("order",)
        yield from _unfilled(claim.value or {}, business, *known, path=("claims", name, "value"))
    for order in _orders(topology) if business.authorization is not None else ():
        if authorization_name(order) in topology.claims:
            path = ("claims", authorization_name(order))
            yield Problem(path, f"is the name of the authorization of order {order!r}; give the claim another")


def authorization_name(order: str) -> str:
    """Return the name of the claim that authorizes *order*."""
    return f"authorization_{order}"


def _orders(topology: Topology) -> list[str]:
    """Return the orders that tasks are about, sorted."""
    claims = [topology.claims.get(task.claim) for task in topology.tasks.values()]
    return sorted({claim.order for claim in claims if claim is not None and claim.order is not None})


def _unfilled(template: Mapping[str, Any], business: Business, *more: str, path: tuple[str, ...]) -> Iterator[Problem]:
    """Yield a problem for each ``$name`` of *template* that stands for nothing."""
    known = {*business.parameters, "currency", "operation", *more}
    for key, value in template.items():
        if _is_reference(value) and value[1:] not in known:
            yield Problem((*path, key), f"is {value!r}, which is not a parameter{nearest(value[1:], known)}")


def assembled(topology: Topology, business: Business, *, topology_name: str, variant: str) -> World:
    """Return the world of *topology* and *business*, both free of problems, with nothing wrong in it."""
    ordered = parents_first({name: claim.parents for name, claim in topology.claims.items()})
    claims = {ClaimName(name): _claim(name, topology, business) for name in ordered}
    authorizations = _authorizations(topology, business)
    issued = {**claims, **{spec.statement.name: spec for spec in authorizations.values()}}
    organizations = dict.fromkeys(topology.organizations)
    if business.authorization is not None:
        organizations[business.authorization.issuer] = None
    expected, registry = _amounts(claims, business)
    return World(
        topology=topology_name,
        case="active",
        variant=variant,
        organizations=tuple(OrganizationName(name) for name in organizations),
        authorities={key: OrganizationName(name) for key, name in business.authorities.items()},
        fact_authority=None if business.fact_authority is None else OrganizationName(business.fact_authority),
        registry=registry,
        claims=issued,
        routes=(*_routes(topology), *_authorization_routes(topology, authorizations)),
        tasks=_tasks(topology, business, authorizations),
        losses=dict(business.losses),
        schedule=business.schedule.moved(Schedule()),
        critical_edges={
            name: Edge(*(OrganizationName(end) for end in edge_ends(text)))
            for name, text in topology.critical_edges.items()
        },
        truth=Truth(expected=expected),
    )


def to_network(entry: NetworkEntry) -> Network:
    """Return the network that *entry* describes."""
    return Network(
        latency={kind.value: ticks for kind, ticks in entry.latency.items()},
        retransmit_after=entry.retransmit_after,
        retransmit_limit=entry.retransmit_limit,
        query_timeout=entry.query_timeout,
    )


def to_agents(entry: AgentEntry) -> AgentSpec:
    """Return the agents that *entry* describes."""
    return AgentSpec(kind=entry.kind, settings=dict(entry.settings), budget=entry.budget)


def _is_reference(value: object) -> bool:
    return isinstance(value, str) and value.startswith("$")


def _filled(template: Mapping[str, Any], business: Business, order: str | None) -> dict[str, Any]:
    names = {
        **business.parameters,
        "order": order,
        "currency": business.currency,
        "operation": business.operation,
    }
    return {key: names[value[1:]] if _is_reference(value) else value for key, value in template.items()}


def _claim(name: str, topology: Topology, business: Business) -> ClaimSpec:
    entry = topology.claims[name]
    template = business.claim.value if entry.value is None else entry.value
    statement = Statement(
        name=ClaimName(name),
        parents=tuple(ClaimName(parent) for parent in entry.parents),
        rule=entry.rule or business.claim.rule,
        predicate=entry.predicate or business.claim.predicate,
        value=_filled(template, business, entry.order),
    )
    return ClaimSpec(issuer=OrganizationName(entry.issuer), statement=statement, order=entry.order)


def _authorizations(topology: Topology, business: Business) -> dict[str, ClaimSpec]:
    """Return one authorization per order that some task is about, by order, orders sorted."""
    template = business.authorization
    if template is None:
        return {}
    return {
        order: ClaimSpec(
            issuer=OrganizationName(template.issuer),
            statement=Statement(
                name=ClaimName(authorization_name(order)),
                parents=(),
                rule="relay",
                predicate=template.predicate,
                value=_filled(template.value, business, order),
            ),
            order=order,
        )
        for order in _orders(topology)
    }


def _routes(topology: Topology) -> Iterator[Route]:
    for route in topology.routes:
        yield Route(
            sender=OrganizationName(route.sender),
            recipient=OrganizationName(route.recipient),
            claims=tuple(ClaimName(claim) for claim in route.claims),
            forwarded=route.forwarded,
        )


def _authorization_routes(topology: Topology, authorizations: Mapping[str, ClaimSpec]) -> Iterator[Route]:
    """Yield a handoff of each authorization to every task owner, whatever the owner's orders are."""
    owners = dict.fromkeys(task.owner for task in topology.tasks.values())
    for spec in authorizations.values():
        for owner in owners:
            if owner != spec.issuer:
                yield Route(
                    sender=spec.issuer,
                    recipient=OrganizationName(owner),
                    claims=(spec.statement.name,),
                    forwarded=False,
                )


def _tasks(topology: Topology, business: Business, authorizations: Mapping[str, ClaimSpec]) -> tuple[TaskSpec, ...]:
    tasks = []
    for name, task in topology.tasks.items():
        order = topology.claims[task.claim].order or ""
        claims = [ClaimName(claim) for claim in (task.claim, *task.supporting)]
        if order in authorizations:
            claims.append(authorizations[order].statement.name)
        tasks.append(
            TaskSpec(
                name=TaskName(name),
                owner=OrganizationName(task.owner),
                operation=business.operation,
                claims=tuple(claims),
                order=order,
                branch=task.branch,
            )
        )
    return tuple(tasks)


def _amounts(
    claims: Mapping[ClaimName, ClaimSpec], business: Business
) -> tuple[dict[str, int], dict[tuple[str, str], RegistryEntry]]:
    """Return the correct amount of each order and the registry, both as published: nothing is wrong yet."""
    expected: dict[str, int] = {}
    registry: dict[tuple[str, str], RegistryEntry] = {}
    for spec in claims.values():
        cents = spec.statement.value.get("cents")
        if spec.order is None or spec.statement.predicate != business.claim.predicate or not isinstance(cents, int):
            continue
        expected[spec.order] = cents
        if business.fact_authority is not None:
            currency = str(spec.statement.value.get("currency", business.currency))
            registry[spec.order, currency] = RegistryEntry(cents=cents, version=business.registry_version)
    return expected, registry
