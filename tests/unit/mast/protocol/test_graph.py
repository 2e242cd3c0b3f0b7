"""The claim graph on small graphs drawn by hand; random ones are in tests/property."""

import pytest

from mast.errors import CycleRejection, DependencyRejection, DuplicateRejection, UnknownClaimError
from mast.protocol.graph import ClaimGraph, shown


def drawn(**parents: str) -> ClaimGraph[str]:
    """Build a graph from ``child="parent parent"`` in order."""
    graph: ClaimGraph[str] = ClaimGraph()
    for claim, names in parents.items():
        graph.add(claim, names.split())
    return graph


@pytest.fixture
def diamond() -> ClaimGraph[str]:
    """root -> left, right -> join -> leaf; and a claim apart."""
    return drawn(root="", left="root", right="root", join="left right", leaf="join", apart="")


def test_a_claim_stands_when_it_is_held_and_nothing_above_is_withdrawn(diamond: ClaimGraph[str]):
    assert all(diamond.stands(claim) for claim in ("root", "left", "right", "join", "leaf", "apart"))
    assert not diamond.stands("nowhere")


def test_withdrawing_fells_what_derives_and_nothing_else(diamond: ClaimGraph[str]):
    assert diamond.withdraw("left") == {"left", "join", "leaf"}
    assert [claim for claim in diamond.digraph if diamond.stands(claim)] == ["root", "right", "apart"]


def test_withdrawing_again_or_above_fells_only_what_still_stood(diamond: ClaimGraph[str]):
    diamond.withdraw("join")
    assert diamond.withdraw("join") == set()
    assert diamond.withdraw("root") == {"root", "left", "right"}


def test_withdrawing_below_what_has_fallen_is_remembered_as_a_blocker(diamond: ClaimGraph[str]):
    diamond.withdraw("root")
    assert diamond.withdraw("leaf") == set()
    assert set(diamond.blockers("leaf")) == {"root", "leaf"}


def test_a_claim_withdrawn_before_it_is_held_is_added_fallen():
    graph = drawn(root="")
    assert graph.withdraw("late") == set()
    graph.add("late", ["root"])
    graph.add("child", ["late"])
    assert [graph.stands(claim) for claim in ("root", "late", "child")] == [True, False, False]


def test_a_child_of_a_fallen_parent_is_added_fallen(diamond: ClaimGraph[str]):
    diamond.withdraw("right")
    diamond.add("grandchild", ["leaf"])
    diamond.add("mixed", ["apart", "grandchild"])
    assert not diamond.stands("grandchild")
    assert not diamond.stands("mixed")


def test_blockers_are_the_withdrawn_claims_each_with_a_path_down(diamond: ClaimGraph[str]):
    diamond.withdraw("root")
    diamond.withdraw("right")
    blockers = diamond.blockers("leaf")
    assert set(blockers) == {"root", "right"}
    assert blockers["right"] == ("right", "join", "leaf")
    assert blockers["root"][0] == "root"
    assert blockers["root"][-2:] == ("join", "leaf")


def test_a_standing_claim_has_no_blockers_and_one_not_held_blocks_itself(diamond: ClaimGraph[str]):
    diamond.withdraw("left")
    assert diamond.blockers("right") == {}
    assert diamond.blockers("nowhere") == {"nowhere": ("nowhere",)}


def test_a_closure_lists_parents_before_children_without_repeating(diamond: ClaimGraph[str]):
    assert diamond.closure(["leaf", "left", "apart"]) == ["root", "left", "right", "join", "leaf", "apart"]
    assert diamond.closure([]) == []


def test_roots_are_the_claims_without_parents_above(diamond: ClaimGraph[str]):
    assert diamond.roots(["leaf"]) == ["root"]
    assert diamond.roots(["apart", "join"]) == ["apart", "root"]


def test_the_reach_and_blast_radius_count_what_derives(diamond: ClaimGraph[str]):
    assert diamond.reach("left") == {"left", "join", "leaf"}
    assert diamond.blast_radius("root") == 4
    assert diamond.blast_radius("leaf") == 0
    assert diamond.reach("nowhere") == set()


def test_parents_keep_the_order_in_which_they_were_stated():
    graph = drawn(b="", a="", c="", child="c a b")
    assert graph.parents("child") == ("c", "a", "b")


REFUSED_CLAIMS = {
    "held already": ("left", [], DuplicateRejection, "claim left is in the graph already"),
    "its own parent": ("new", ["root", "new"], CycleRejection, "claim new names itself as a parent"),
    "a parent not held": ("new", ["root", "ghost"], DependencyRejection, "claim new builds on ghost, which is not in"),
    "a parent named twice": ("new", ["root", "root"], DuplicateRejection, "claim new names a parent twice"),
    "seventeen parents": (
        "new",
        [str(n) for n in range(17)],
        DependencyRejection,
        "has 17 parents, expected at most 16",
    ),
}


@pytest.mark.parametrize(("claim", "parents", "rejection", "text"), REFUSED_CLAIMS.values(), ids=REFUSED_CLAIMS)
def test_a_claim_that_does_not_fit_is_refused_and_the_graph_unchanged(
    diamond: ClaimGraph[str], claim: str, parents: list[str], rejection: type[Exception], text: str
):
    before = (set(diamond.digraph.nodes), set(diamond.digraph.edges))
    with pytest.raises(rejection, match=text):
        diamond.add(claim, parents)
    assert (set(diamond.digraph.nodes), set(diamond.digraph.edges)) == before


@pytest.mark.parametrize("ask", ["parents", "blast_radius", "closure", "roots"])
def test_asking_about_a_claim_that_is_not_held_is_an_error_that_names_it(diamond: ClaimGraph[str], ask: str):
    argument = ["leaf", "ghost"] if ask in ("closure", "roots") else "ghost"
    with pytest.raises(UnknownClaimError, match=r"^claim ghost is not in the graph$"):
        getattr(diamond, ask)(argument)


def test_anything_withdrawn_is_known_even_when_it_is_not_held(diamond: ClaimGraph[str]):
    assert not diamond.anything_withdrawn
    diamond.withdraw("somewhere_else")
    assert diamond.anything_withdrawn
    assert diamond.is_withdrawn("somewhere_else")
    assert not diamond.is_withdrawn("root")


def test_membership_and_length_are_of_the_held_claims(diamond: ClaimGraph[str]):
    diamond.withdraw("somewhere_else")
    assert len(diamond) == 6
    assert "leaf" in diamond
    assert "somewhere_else" not in diamond


def test_messages_show_ids_by_their_first_twelve_digits_and_names_whole():
    assert shown(bytes.fromhex("0123456789abcdef")) == "0123456789ab…"
    assert shown("root_A") == "root_A"


def test_a_diamond_ladder_of_sixty_levels_costs_one_step_per_claim():
    """2**60 paths lead down the ladder; work that followed paths would never end."""
    graph: ClaimGraph[int] = ClaimGraph()
    graph.add(0)
    bottom = 0
    for level in range(60):
        left, right, joined = 3 * level + 1, 3 * level + 2, 3 * level + 3
        graph.add(left, [bottom])
        graph.add(right, [bottom])
        graph.add(joined, [left, right])
        bottom = joined
    assert len(graph.closure([bottom])) == 181
    assert graph.roots([bottom]) == [0]
    assert graph.blast_radius(0) == 180
    assert len(graph.withdraw(0)) == 181
    assert not graph.stands(bottom)
    path = graph.blockers(bottom)[0]
    assert (path[0], path[-1], len(path)) == (0, bottom, 121)
