"""Generated worlds have the shape they are named after, and are the same on every machine."""

import pytest
from pydantic import ValidationError

from mast.errors import ScenarioError
from mast.organizations.messages import Revoke
from mast.scenario import GENERATORS, generated_world
from mast.scenario.generators.chain import Chain
from mast.scenario.generators.diamond_ladder import DiamondLadder
from mast.scenario.generators.draws import distinct, draw
from mast.scenario.generators.layered import Layered
from mast.scenario.generators.preferential_tree import PreferentialTree
from mast.scenario.generators.random_dag import RandomDag
from mast.scenario.generators.star import Star
from mast.scenario.generators.tree import Tree


def test_there_are_seven_generators() -> None:
    assert set(GENERATORS) == {
        "chain",
        "diamond_ladder",
        "layered",
        "preferential_tree",
        "random_dag",
        "star",
        "tree",
    }


def test_every_spoke_of_a_star_hangs_on_the_hub() -> None:
    """source, authority and hub, then five spokes; two claims; one task a spoke."""
    world = Star(spokes=5).world()

    assert len(world.organizations) == 3 + 5
    assert len(world.claims) == 2
    assert len(world.tasks) == len(world.truth.affected) == 5


def test_a_chain_is_cut_in_its_middle() -> None:
    """Links 1 to 6 derive c1 to c6 from the root c0; the middle one of six is c3."""
    world = Chain(length=6).world()

    assert len(world.claims) == 7
    assert world.injections[0].instruction == Revoke(claim="c3")
    assert world.truth.invalid == {"c3", "c4", "c5", "c6"}
    assert len(world.truth.affected) == 1


def test_a_tree_has_all_its_leaves() -> None:
    """Levels of 1, 3 and 9 claims, and 27 leaves that act; the first of the 3 has 9 leaves below it."""
    world = Tree(branching=3, depth=2).world()

    assert len(world.claims) == 1 + 3 + 9
    assert len(world.tasks) == 27
    assert len(world.truth.affected) == 9


def test_a_diamond_ladder_has_three_claims_a_rung() -> None:
    """Revoking join 2 of 4 leaves rungs 1 and 2 but for itself: invalid are join 2 and the six claims after it."""
    world = DiamondLadder(rungs=4).world()

    assert len(world.claims) == 1 + 3 * 4
    assert world.claims["join_4"].statement.parents == ("left_4", "right_4")
    assert len(world.truth.invalid) == 1 + 3 * 2


def test_each_claim_of_a_random_dag_has_as_many_parents_as_asked() -> None:
    world = RandomDag(claims=200, parents=3, seed=5).world()
    specs = list(world.claims.values())

    assert len(specs) == 200
    assert [len(spec.statement.parents) for spec in specs] == [0] * 3 + [3] * 197
    assert len(world.truth.affected) >= 1


def test_a_layered_world_has_the_size_asked_for() -> None:
    world = Layered(claims=1234, organizations=77).world()

    assert len(world.claims) == 1234
    assert len(world.organizations) == 77
    assert len(world.truth.affected) >= 1


def test_parents_of_a_layered_world_are_near_and_in_the_layer_before() -> None:
    generator = Layered(claims=1200, organizations=60, window=8, parents_min=2, parents_max=3, seed=3)
    world = generator.world()

    for name, spec in world.claims.items():
        layer, place = map(int, name.removeprefix("c").split("_"))
        parents = [tuple(map(int, parent.removeprefix("c").split("_"))) for parent in spec.statement.parents]
        assert len(parents) in ((0,) if layer == 0 else (2, 3))
        assert all(above == layer - 1 and abs(where - place) <= generator.window for above, where in parents)


def test_one_organization_is_served_by_another_in_one_handoff() -> None:
    world = Layered(claims=1200, organizations=60).world()
    edges = [(route.sender, route.recipient) for route in world.routes]

    assert len(edges) == len(set(edges))


def test_another_seed_gives_another_world_and_the_same_seed_the_same() -> None:
    assert Layered(seed=1).world() == Layered(seed=1).world()
    assert Layered(seed=1).world().claims != Layered(seed=2).world().claims


@pytest.mark.parametrize("name", GENERATORS)
def test_a_world_can_be_made_without_a_fault(name: str) -> None:
    world = GENERATORS[name](revoke_at=None).world()

    assert world.injections == ()
    assert world.truth.affected == set()


REFUSED = {
    "more parents at least than at most": (Layered, {"parents_min": 3, "parents_max": 2}, "parents_min is 3"),
    "fewer claims in the window than parents": (Layered, {"window": 2}, "window is 2"),
    "fewer organizations than layers": (Layered, {"organizations": 7}, "organizations is 7, .* at least .* = 8"),
    "layers smaller than the window": (Layered, {"claims": 40}, "claims is 40"),
    "organizations without a claim": (Layered, {"claims": 105}, "claims is 105, .* at least .* = 106"),
    "nobody left to issue": (RandomDag, {"organizations": 2}, "organizations is 2"),
    "an organization that would build on itself": (
        PreferentialTree,
        {"organizations": 1},
        "greater than or equal to 2",
    ),
    "a tree smaller than its receivers": (PreferentialTree, {"claims": 4}, "claims is 4, .* at least .* = 5"),
    "fewer claims than receivers": (RandomDag, {"claims": 5}, "claims is 5"),
    "a forest": (Tree, {"branching": 1000, "depth": 3}, "leaves are too many"),
    "no spokes": (Star, {"spokes": 0}, "greater than or equal to 1"),
    "seventeen parents": (RandomDag, {"parents": 17}, "less than or equal to 16"),
    "a tick before the beginning": (Chain, {"revoke_at": -1}, "greater than or equal to 0"),
}


@pytest.mark.parametrize(("generator", "settings", "message"), REFUSED.values(), ids=REFUSED)
def test_parameters_that_make_no_world_are_refused(generator: type, settings: dict, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        generator(**settings)


def test_a_generator_is_asked_for_by_name() -> None:
    assert generated_world("star", spokes=3) == Star(spokes=3).world()


def test_wrong_settings_are_reported_together_with_the_nearest_name() -> None:
    with pytest.raises(ScenarioError) as caught:
        generated_world("layered", clams=7, layers=1)

    assert caught.value.problems == (
        "generator.layers is 1; expected 2 or more",
        "generator.clams is not a known key; did you mean 'claims'?",
    )
    with pytest.raises(ScenarioError, match=r"generator\.name is 'lyered'; did you mean 'layered'"):
        generated_world("lyered")


def test_a_random_dag_of_one_parent_is_a_random_recursive_tree() -> None:
    """In a random recursive tree of n nodes a node has H_n descendants, itself included, on average.

    H_1000 = 7.485. The mean depth of one tree has the limiting variance 2 - pi^2/6 = 0.355, so the mean of 30 trees
    has a standard deviation of 0.109.

    References:
        H. Mahmoud, "Limiting distributions for path lengths in recursive trees", Prob. Eng. Inf. Sci. 5, 1991.
    """
    means = []
    for seed in range(30):
        world = RandomDag(claims=1_000, parents=1, seed=seed).world()
        depth: dict[str, int] = {}
        for name, spec in world.claims.items():
            depth[name] = 1 + max((depth[parent] for parent in spec.statement.parents), default=0)
        means.append(sum(depth.values()) / len(depth))

    assert abs(sum(means) / 30 - 7.485) < 4 * 0.109


@pytest.mark.slow
def test_popular_claims_of_a_preferential_tree_carry_more() -> None:
    """Claim i of n carries ((2n - 1) / (2i - 1) + 1) / 2 claims on average: 26.8 for the 10th of 500.

    (An urn of derivation ends: 2k - 1 of them lie in a part of k claims, and each draw adds two where it falls.)
    Such a part is at most about as uncertain as it is large, so the mean of 200 trees is within 4 * 26.8 / sqrt(200)
    = 7.6; without preference it would be 500 / 10 = 50.
    """
    sizes = []
    for seed in range(200):
        carried = {"c9"}
        for name, spec in PreferentialTree(claims=500, seed=seed).world().claims.items():
            if not carried.isdisjoint(spec.statement.parents):
                carried.add(name)
        sizes.append(len(carried))

    assert abs(sum(sizes) / 200 - 26.8) < 7.6


@pytest.mark.slow
def test_closures_of_a_random_dag_grow_like_the_square_root() -> None:
    """The closure of the newest of n claims with two parents has 2.088 sqrt(n) claims on average.

    The limit is (pi / sqrt 8) chi(4), whose standard deviation is 0.36 of its mean; 40 worlds leave 0.057 of it.

    References:
        S. Janson, arXiv 2302.12467.
    """
    sizes = []
    for seed in range(40):
        claims = RandomDag(claims=2_000, seed=seed).world().claims
        found, ahead = set(), ["c1999"]
        while ahead:
            name = ahead.pop()
            if name not in found:
                found.add(name)
                ahead += claims[name].statement.parents
        sizes.append(len(found) / 2_000**0.5)

    assert abs(sum(sizes) / 40 - 2.088) < 4 * 0.057 * 2.088


def test_draws_are_even() -> None:
    """10,000 draws below 10: each digit is expected 1,000 times, with a standard deviation of 30."""
    counts = [0] * 10
    for entity in range(10_000):
        counts[draw(1, "stream", entity, 0, 10)] += 1

    assert all(abs(count - 1_000) < 5 * 30 for count in counts)


def test_a_draw_depends_on_each_of_its_keys() -> None:
    bound = 1 << 60
    draws = {
        draw(seed, stream, entity, counter, bound)
        for seed in (0, 1)
        for stream in "ab"
        for entity in (0, 1)
        for counter in (0, 1)
    }

    assert len(draws) == 16


def test_each_pair_is_drawn_equally_often() -> None:
    """6,000 pairs of 4 numbers: each of the 6 is expected 1,000 times, with a standard deviation of 29."""
    counts: dict[tuple[int, ...], int] = {}
    for entity in range(6_000):
        pair = tuple(distinct(1, "pairs", entity, 2, 4))
        counts[pair] = counts.get(pair, 0) + 1

    assert len(counts) == 6
    assert all(abs(count - 1_000) < 5 * 29 for count in counts.values())


@pytest.mark.slow
def test_cost_per_claim_does_not_grow_with_the_world() -> None:
    """Routes per organization and claims per route are bounded, so a ten times larger world has ten times as much."""
    small, large = (Layered(claims=size, organizations=size // 100).world() for size in (10_000, 100_000))

    assert len(large.claims) == 100_000
    assert len(large.organizations) == 1_000
    assert len(large.routes) <= 12 * len(small.routes)
    assert sum(len(route.claims) for route in large.routes) <= 12 * sum(len(route.claims) for route in small.routes)
