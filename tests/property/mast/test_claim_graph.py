"""The claim graph against a naive model: standing kept up to date equals standing computed from scratch."""

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from mast.errors import CycleRejection, DependencyRejection, DuplicateRejection
from mast.protocol.graph import ClaimGraph

NAMES = st.integers(0, 40)


class GraphMachine(RuleBasedStateMachine):
    """Adds and withdraws in any order; a plain digraph and a set of withdrawn names are the model."""

    held = Bundle("held")

    @initialize()
    def empty(self) -> None:
        self.graph: ClaimGraph[int] = ClaimGraph()
        self.model: nx.DiGraph[int] = nx.DiGraph()
        self.withdrawn: set[int] = set()

    @rule(target=held, name=NAMES, parents=st.lists(held, max_size=4, unique=True))
    def add(self, name: int, parents: list[int]):
        if name in self.model:
            with pytest.raises(DuplicateRejection):
                self.graph.add(name, parents)
            return multiple()
        self.graph.add(name, parents)
        self.model.add_node(name)
        self.model.add_edges_from((parent, name) for parent in parents)
        return name

    @rule(name=NAMES, parent=NAMES)
    def add_on_a_parent_not_held(self, name: int, parent: int) -> None:
        if name in self.model or parent in self.model or name == parent:
            return
        with pytest.raises(DependencyRejection):
            self.graph.add(name, [parent])

    @rule(name=NAMES)
    def add_on_itself(self, name: int) -> None:
        if name not in self.model:
            with pytest.raises(CycleRejection):
                self.graph.add(name, [name])

    @rule(name=NAMES)
    def withdraw(self, name: int) -> None:
        standing = self.standing()
        self.withdrawn.add(name)
        assert self.graph.withdraw(name) == standing - self.standing()
        assert self.graph.withdraw(name) == set()

    def standing(self) -> set[int]:
        """Recompute from scratch which claims stand."""
        return {claim for claim in self.model if not (nx.ancestors(self.model, claim) | {claim}) & self.withdrawn}

    @invariant()
    def standing_is_what_it_would_be_from_scratch(self) -> None:
        standing = self.standing()
        assert {claim for claim in range(41) if self.graph.stands(claim)} == standing

    @invariant()
    def blockers_are_the_withdrawn_ancestors_with_a_real_path(self) -> None:
        for claim in self.model:
            blockers = self.graph.blockers(claim)
            assert set(blockers) == (nx.ancestors(self.model, claim) | {claim}) & self.withdrawn
            for blocker, path in blockers.items():
                assert (path[0], path[-1]) == (blocker, claim)
                assert nx.is_path(self.model, path) if len(path) > 1 else blocker == claim

    @invariant()
    def the_graph_is_acyclic_and_holds_what_the_model_holds(self) -> None:
        assert nx.is_directed_acyclic_graph(self.graph.digraph)
        assert set(self.graph.digraph.edges) == set(self.model.edges)
        assert set(self.graph.digraph) == set(self.model)
        assert len(self.graph) == len(self.model)

    @invariant()
    def closures_are_complete_and_topological(self) -> None:
        for claim in self.model:
            closure = self.graph.closure([claim])
            assert set(closure) == nx.ancestors(self.model, claim) | {claim}
            assert len(closure) == len(set(closure))
            place = {node: index for index, node in enumerate(closure)}
            assert all(place[parent] < place[node] for node in closure for parent in self.model.pred[node])
            assert set(self.graph.roots([claim])) == {node for node in closure if not self.model.pred[node]}
            assert self.graph.reach(claim) == nx.descendants(self.model, claim) | {claim}
            assert self.graph.blast_radius(claim) == len(nx.descendants(self.model, claim))


GraphMachine.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much],
)
TestClaimGraph = GraphMachine.TestCase


@st.composite
def dags(draw: st.DrawFn) -> list[tuple[int, list[int]]]:
    """Claims in an order in which parents come first."""
    size = draw(st.integers(1, 12))
    return [
        (node, draw(st.lists(st.integers(0, node - 1), max_size=3, unique=True)) if node else [])
        for node in range(size)
    ]


@given(dags(), st.lists(st.integers(0, 11), max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_it_does_not_matter_whether_news_or_claims_come_first(claims, withdrawn, order):
    early, late = ClaimGraph[int](), ClaimGraph[int]()
    for claim in withdrawn:
        early.withdraw(claim)
    for claim, parents in claims:
        early.add(claim, parents)
        late.add(claim, parents)
    shuffled = list(withdrawn)
    order.shuffle(shuffled)
    for claim in shuffled:
        late.withdraw(claim)
    assert [early.stands(claim) for claim, _ in claims] == [late.stands(claim) for claim, _ in claims]
    assert [set(early.blockers(claim)) for claim, _ in claims] == [set(late.blockers(claim)) for claim, _ in claims]


class CountedMapping(dict):
    """A child mapping that counts how many nodes' children are looked at."""

    lookups = 0

    def __getitem__(self, key):
        self.lookups += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("levels", [10, 60])
def test_withdrawing_above_a_ladder_of_diamonds_looks_at_each_claim_once(levels: int):
    """2**levels paths lead down; the children of each of the 3 * levels + 1 claims are looked at once."""
    graph: ClaimGraph[int] = ClaimGraph()
    graph.add(0)
    for level in range(levels):
        bottom = 3 * level
        graph.add(bottom + 1, [bottom])
        graph.add(bottom + 2, [bottom])
        graph.add(bottom + 3, [bottom + 1, bottom + 2])
    counted = CountedMapping(graph._children)
    graph._children = counted
    assert len(graph.withdraw(0)) == 3 * levels + 1
    assert counted.lookups == 3 * levels + 1
    counted.lookups = 0
    assert graph.withdraw(3) == set()
    assert counted.lookups == 0
