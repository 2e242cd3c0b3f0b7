"""Whatever its parameters, a generated world can be seeded and its truth is what its graph says."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from mast.scenario import Generator, World
from mast.scenario.generators.chain import Chain
from mast.scenario.generators.diamond_ladder import DiamondLadder
from mast.scenario.generators.layered import Layered
from mast.scenario.generators.preferential_tree import PreferentialTree
from mast.scenario.generators.random_dag import RandomDag
from mast.scenario.generators.star import Star
from mast.scenario.generators.tree import Tree

SEEDS = st.integers(0, 2**53 - 1)


@st.composite
def layered(draw: st.DrawFn) -> Layered:
    layers, window = draw(st.integers(2, 6)), draw(st.integers(1, 6))
    organizations = draw(st.integers(layers + 2, 40))
    most = draw(st.integers(1, window))
    return Layered(
        claims=draw(st.integers(max(layers * window, organizations + layers), 150)),
        organizations=organizations,
        layers=layers,
        window=window,
        parents_min=draw(st.integers(1, most)),
        parents_max=most,
        tasks_per_sink=draw(st.integers(1, 4)),
        seed=draw(SEEDS),
    )


@st.composite
def random_dag(draw: st.DrawFn) -> RandomDag:
    parents, receivers = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    return RandomDag(
        claims=draw(st.integers(parents + receivers, 60)),
        organizations=draw(st.integers(parents + 1, 12)),
        parents=parents,
        receivers=receivers,
        seed=draw(SEEDS),
    )


GENERATED = st.one_of(
    layered(),
    random_dag(),
    st.builds(
        PreferentialTree,
        claims=st.integers(5, 60),
        organizations=st.integers(2, 12),
        receivers=st.integers(1, 4),
        seed=SEEDS,
    ),
    st.builds(Star, spokes=st.integers(1, 20)),
    st.builds(Chain, length=st.integers(1, 20)),
    st.builds(Tree, branching=st.integers(1, 3), depth=st.integers(1, 4)),
    st.builds(DiamondLadder, rungs=st.integers(1, 20)),
)


def closure(parents: Mapping[str, tuple[str, ...]], name: str) -> set[str]:
    found, ahead = set(), [name]
    while ahead:
        here = ahead.pop()
        if here not in found:
            found.add(here)
            ahead += parents[here]
    return found


def parents_of(world: World) -> dict[str, tuple[str, ...]]:
    return {name: spec.statement.parents for name, spec in world.claims.items()}


@given(GENERATED)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_every_claim_can_be_issued_and_handed_over_in_the_order_of_the_routes(generator: Generator) -> None:
    world = generator.world()
    parents = parents_of(world)
    held: dict[str, set[str]] = {name: set() for name in world.organizations}

    for route in world.routes:
        assert route.sender != route.recipient
        for claim in route.claims:
            assert world.claims[claim].issuer == route.sender
            assert set(parents[claim]) <= held[route.sender]
            held[route.sender].add(claim)
            held[route.recipient] |= closure(parents, claim)

    assert set(world.claims) == {claim for route in world.routes for claim in route.claims}
    assert all(task.claims[0] in held[task.owner] for task in world.tasks)


@given(GENERATED)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_truth_names_exactly_what_rests_on_the_revoked_claim(generator: Generator) -> None:
    world = generator.world()
    parents = parents_of(world)
    (injection,) = world.injections
    revoked = injection.instruction.claim

    assert injection.organization == world.claims[revoked].issuer
    assert world.truth.invalid == {name for name in parents if revoked in closure(parents, name)}
    assert world.truth.affected == {task.name for task in world.tasks if revoked in closure(parents, task.claims[0])}
    assert world.truth.affected, "a revocation that reaches no task would show nothing"


@given(GENERATED)
@settings(max_examples=30, deadline=None, derandomize=True)
def test_parents_precede_children_are_distinct_and_state_the_same(generator: Generator) -> None:
    seen: dict[str, dict] = {}
    for name, spec in generator.world().claims.items():
        parents = spec.statement.parents
        assert len(parents) == len(set(parents)) <= 16
        assert all(seen[parent] == spec.statement.value for parent in parents)
        seen[name] = dict(spec.statement.value)


@given(layered())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_a_layered_world_has_as_many_claims_and_organizations_as_asked(generator: Layered) -> None:
    world = generator.world()

    assert len(world.claims) == generator.claims
    assert len(set(world.organizations)) == generator.organizations


@given(GENERATED)
@settings(max_examples=15, deadline=None, derandomize=True)
def test_the_same_parameters_make_the_same_world(generator: Generator) -> None:
    assert generator.world() == generator.world()
    assert len(set(generator.world().organizations)) == len(generator.world().organizations)
