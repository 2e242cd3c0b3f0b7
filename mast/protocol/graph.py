"""The claim graph: a DAG of claims that keeps everyone's standing up to date as it grows.

One rule: a claim stands iff it is held and neither it nor any ancestor is withdrawn (revoked or disputed).
Withdrawing walks each newly affected descendant once; asking is a set lookup. Standing is monotone: what has
been withdrawn never stands again, and a replacement is another claim.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import networkx as nx

from mast.errors import CycleRejection, DependencyRejection, DuplicateRejection, UnknownClaimError
from mast.protocol.packets import MAX_PARENTS

Node = TypeVar("Node", bound=Hashable)


class ClaimGraph(Generic[Node]):
    """Claims and what they derive from; an edge leads from a parent to its child.

    Attributes:
        digraph: the graph itself, for reading.
    """

    __slots__ = ("_children", "_fallen", "_withdrawn", "digraph")

    def __init__(self) -> None:
        self.digraph: nx.DiGraph[Node] = nx.DiGraph()
        # NOTE: networkx's own algorithms read this mapping; its public view costs five times as much per step.
        self._children = self.digraph._succ  # type: ignore[attr-defined] # noqa: SLF001
        self._withdrawn: set[Node] = set()
        self._fallen: set[Node] = set()

    def __contains__(self, claim: Node) -> bool:
        return claim in self._children

    def __len__(self) -> int:
        return len(self._children)

    def add(self, claim: Node, parents: Sequence[Node] = ()) -> None:
        """Add *claim*, deriving from *parents*, which must be in the graph.

        A claim withdrawn before it arrived, or with a fallen parent, is added fallen.

        Raises:
            DuplicateRejection: if the claim is there already, or a parent is named twice.
            CycleRejection: if the claim names itself as a parent.
            DependencyRejection: if a parent is not in the graph, or there are more than 16.
        """
        children = self._children
        if claim in children:
            raise DuplicateRejection(f"claim {shown(claim)} is in the graph already")
        if parents:
            self._check_parents(claim, parents)
            for parent in parents:
                self.digraph.add_edge(parent, claim)
        else:
            self.digraph.add_node(claim)
        if claim in self._withdrawn or not self._fallen.isdisjoint(parents):
            self._fallen.add(claim)

    def withdraw(self, claim: Node) -> set[Node]:
        """Withdraw *claim* and return the held claims that stood until now and no longer do.

        A claim that is not held yet is remembered: it will be added fallen. Withdrawing again changes nothing.
        """
        self._withdrawn.add(claim)
        if claim not in self._children or claim in self._fallen:
            return set()
        children, fallen = self._children, self._fallen
        affected: set[Node] = set()
        wave = {claim}
        while wave:
            affected |= wave
            fallen |= wave
            reached: set[Node] = set()
            for node in wave:
                reached.update(children[node])
            # Below a claim that fell earlier everything has fallen already.
            wave = reached - fallen
        return affected

    def stands(self, claim: Node) -> bool:
        """Whether *claim* is held, and neither it nor any ancestor is withdrawn."""
        return claim in self._children and claim not in self._fallen

    @property
    def anything_withdrawn(self) -> bool:
        """Whether any claim at all, held or not, is known to be withdrawn."""
        return bool(self._withdrawn)

    def is_withdrawn(self, claim: Node) -> bool:
        """Whether *claim* itself is withdrawn."""
        return claim in self._withdrawn

    def parents(self, claim: Node) -> tuple[Node, ...]:
        """Return the parents of *claim* in the order they were stated.

        Raises:
            UnknownClaimError: if the claim is not in the graph.
        """
        self._check_held(claim)
        return tuple(self.digraph.pred[claim])

    def closure(self, claims: Iterable[Node]) -> list[Node]:
        """Return *claims* and all their ancestors, parents before children, in an order fixed by the graph.

        Raises:
            UnknownClaimError: if one of *claims* is not in the graph.
        """
        parents_of = self.digraph._pred  # type: ignore[attr-defined] # noqa: SLF001 - see __init__
        order: dict[Node, None] = {}
        for claim in claims:
            self._check_held(claim)
            if claim in order:
                continue
            stack: list[tuple[Node, Iterator[Node]]] = [(claim, iter(parents_of[claim]))]
            while stack:
                node, rest = stack[-1]
                for parent in rest:
                    if parent not in order:
                        stack.append((parent, iter(parents_of[parent])))
                        break
                else:
                    order[node] = None
                    stack.pop()
        return list(order)

    def roots(self, claims: Iterable[Node]) -> list[Node]:
        """Return the claims without parents that *claims* derive from."""
        parents_of = self.digraph._pred  # type: ignore[attr-defined] # noqa: SLF001 - see __init__
        return [claim for claim in self.closure(claims) if not parents_of[claim]]

    def blockers(self, claim: Node) -> dict[Node, tuple[Node, ...]]:
        """Return what keeps *claim* from standing: each withdrawn claim with one path from it down to *claim*.

        A claim that is not held blocks itself.
        """
        if claim not in self._children:
            return {claim: (claim,)}
        if claim not in self._fallen:
            return {}
        found: dict[Node, tuple[Node, ...]] = {}
        below: dict[Node, Node | None] = {claim: None}
        wave = [claim]
        while wave:
            upper: list[Node] = []
            for node in wave:
                if node in self._withdrawn:
                    found[node] = _path_down(node, below)
                for parent in self.digraph.pred[node]:
                    if parent in self._fallen and parent not in below:
                        below[parent] = node
                        upper.append(parent)
            wave = upper
        return found

    def blast_radius(self, claim: Node) -> int:
        """Return how many claims derive from *claim*, itself not counted.

        Raises:
            UnknownClaimError: if the claim is not in the graph.
        """
        self._check_held(claim)
        return len(self.reach(claim)) - 1

    def reach(self, claim: Node) -> set[Node]:
        """Return *claim* and every claim that derives from it; nothing when it is not held."""
        if claim not in self._children:
            return set()
        seen = {claim}
        wave = {claim}
        while wave:
            reached: set[Node] = set()
            for node in wave:
                reached.update(self._children[node])
            wave = reached - seen
            seen |= wave
        return seen

    def _check_parents(self, claim: Node, parents: Sequence[Node]) -> None:
        if len(parents) > MAX_PARENTS:
            raise DependencyRejection(
                f"claim {shown(claim)} has {len(parents)} parents, expected at most {MAX_PARENTS}"
            )
        if claim in parents:
            raise CycleRejection(f"claim {shown(claim)} names itself as a parent")
        for parent in parents:
            if parent not in self._children:
                raise DependencyRejection(f"claim {shown(claim)} builds on {shown(parent)}, which is not in the graph")
        if len(set(parents)) != len(parents):
            raise DuplicateRejection(f"claim {shown(claim)} names a parent twice")

    def _check_held(self, claim: Node) -> None:
        if claim not in self._children:
            raise UnknownClaimError(f"claim {shown(claim)} is not in the graph")


def shown(claim: Hashable) -> str:
    """Return *claim* as messages name it: the first twelve hex digits of an id, or the value itself."""
    return f"{claim.hex()[:12]}…" if isinstance(claim, bytes) else str(claim)


def _path_down(node: Node, below: dict[Node, Node | None]) -> tuple[Node, ...]:
    path = [node]
    step = below[node]
    while step is not None:
        path.append(step)
        step = below[step]
    return tuple(path)
