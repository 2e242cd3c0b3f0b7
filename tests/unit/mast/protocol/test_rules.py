"""Derivation rules: `relay` and `sum_charges`, accepted and refused through claims that others issue."""

from typing import Any, NamedTuple

import pytest

from mast.errors import DerivationRejection
from mast.ids import ClaimId
from mast.protocol.rules import RULES, derive
from tests.protocol_world import ProtocolWorld, amount, refused


def charge(component: str, cents: Any, order: str = "A", currency: str = "CNY", **more: Any) -> dict[str, Any]:
    return {"order": order, "currency": currency, "component": component, "cents": cents, **more}


MANIFEST = {"order": "A", "currency": "CNY", "components": ["goods", "freight"]}
GOODS, FREIGHT = ("charge/goods", charge("goods", 10_000)), ("charge/freight", charge("freight", 700))
TOTAL = amount(10_700)


def parts(world: ProtocolWorld, manifest: Any, *charges: tuple[str, Any], manifests: int = 1) -> tuple[ClaimId, ...]:
    """Let the source state manifests and charges."""
    ids = [
        world.issue("source", f"manifest_{n}", predicate="charge_manifest", value=manifest) for n in range(manifests)
    ]
    for index, (predicate, value) in enumerate(charges):
        if predicate in world["source"].authorities:
            ids.append(world.issue("source", f"charge_{index}", predicate=predicate, value=value))
    return tuple(ids)


def summed(world: ProtocolWorld, parents: tuple[ClaimId, ...], value: Any = None, predicate: str = "total_charge"):
    return world.issue("source", "total_A", parents, rule="sum_charges", predicate=predicate, value=value or TOTAL)


def test_goods_and_freight_sum_to_the_total(world: ProtocolWorld):
    total = summed(world, parts(world, MANIFEST, GOODS, FREIGHT))
    assert world["source"].claims[total].value == {"order": "A", "currency": "CNY", "cents": 10_000 + 700}


def test_the_order_of_the_charges_does_not_matter(world: ProtocolWorld):
    manifest, goods, freight = parts(world, MANIFEST, GOODS, FREIGHT)
    assert summed(world, (freight, manifest, goods)) in world["source"].claims


class Case(NamedTuple):
    """Parents, the total stated over them, and what is wrong."""

    problem: str
    charges: tuple[tuple[str, Any], ...] = (GOODS, FREIGHT)
    manifest: Any = MANIFEST
    manifests: int = 1
    value: Any = TOTAL
    predicate: str = "total_charge"


NOT_A_SUM = {
    "a component is missing": Case("there are 1 charges, but the manifest lists 2 components", (GOODS,)),
    "a component is charged twice": Case(
        r"charge 'charge_1' is charge/goods .*, expected one of the components \['freight'\]",
        (GOODS, ("charge/goods", charge("goods", 701))),
    ),
    "a charge is in another currency": Case(
        "expected one of the components .* of order A in CNY",
        (GOODS, ("charge/freight", charge("freight", 700, currency="USD"))),
    ),
    "a charge is for another order": Case(
        "of order A in CNY", (GOODS, ("charge/freight", charge("freight", 700, order="C")))
    ),
    "a charge names another component than its predicate": Case(
        "charge 'charge_1' is charge/freight", (GOODS, ("charge/freight", charge("goods", 700)))
    ),
    "a charge has a field too many": Case(
        "charge 'charge_1'", (GOODS, ("charge/freight", charge("freight", 700, note="x")))
    ),
    "a charge has no cents": Case(
        "charge 'charge_1' is None cents, expected an integer of at least 0",
        (GOODS, ("charge/freight", {"order": "A", "currency": "CNY", "component": "freight"})),
    ),
    "a charge is negative": Case("is -700 cents", (GOODS, ("charge/freight", charge("freight", -700)))),
    "a charge is no integer": Case("is 700.5 cents", (GOODS, ("charge/freight", charge("freight", 700.5)))),
    "a charge is true": Case("is True cents", (GOODS, ("charge/freight", charge("freight", True)))),
    "another parent is no charge": Case("is total_charge", (GOODS, ("total_charge", amount(700)))),
    "there is no manifest": Case("there are 0 charge manifests, expected exactly 1", manifests=0),
    "there are two manifests": Case("there are 2 charge manifests, expected exactly 1", manifests=2),
    "the manifest lists nothing": Case("manifest 'manifest_0' is", manifest={**MANIFEST, "components": []}),
    "the manifest lists a component twice": Case(
        "expected order, currency and distinct component names", manifest={**MANIFEST, "components": ["goods", "goods"]}
    ),
    "the manifest lists an empty name": Case(
        "manifest 'manifest_0'", manifest={**MANIFEST, "components": ["goods", ""]}
    ),
    "the manifest lists a number": Case("manifest 'manifest_0'", manifest={**MANIFEST, "components": ["goods", 1]}),
    "the manifest lists no list": Case("manifest 'manifest_0'", manifest={**MANIFEST, "components": "goods"}),
    "the manifest has a field too many": Case("manifest 'manifest_0'", manifest={**MANIFEST, "note": "x"}),
    "the manifest has no currency": Case(
        "manifest 'manifest_0'", manifest={"order": "A", "components": ["goods", "freight"]}
    ),
    "the sum is one cent off": Case(
        r"states total_charge .*10701.*, expected total_charge .*10700.* by sum_charges", value=amount(10_701)
    ),
    "the sum is of another order": Case("claim 'total_A' states", value=amount(10_700, "C")),
    "the sum is of another predicate": Case("claim 'total_A' states charge/goods", predicate="charge/goods"),
}


@pytest.mark.parametrize("case", NOT_A_SUM.values(), ids=NOT_A_SUM)
def test_what_does_not_sum_up_is_refused(world: ProtocolWorld, case: Case):
    parents = parts(world, case.manifest, *case.charges, manifests=case.manifests)
    with refused(world["source"], DerivationRejection, case.problem):
        summed(world, parents, case.value, case.predicate)


def test_a_relayed_fact_is_exactly_its_parents_fact(world: ProtocolWorld):
    root = world.root()
    world.hand("source", "middle", root)
    relayed = world.issue("middle", "shared_A", (root,))
    assert world["middle"].claims[relayed].value == amount()


NOT_A_RELAY = {
    "another amount": {"value": amount(12_801)},
    "another predicate": {"predicate": "charge/goods"},
    "a field more": {"value": {**amount(), "note": "x"}},
    "a field less": {"value": {"order": "A", "cents": 12_800}},
}


@pytest.mark.parametrize("content", NOT_A_RELAY.values(), ids=NOT_A_RELAY)
def test_a_relay_that_changes_the_fact_is_refused(world: ProtocolWorld, content: dict[str, Any]):
    root = world.root()
    world.hand("source", "middle", root)
    with refused(
        world["middle"], DerivationRejection, r"claim 'shared_A' states .*, expected total_charge .* by relay"
    ):
        world.issue("middle", "shared_A", (root,), **{"predicate": "total_charge", "value": amount(), **content})


def test_a_relay_of_parents_that_disagree_is_refused(world: ProtocolWorld):
    parents = (world.root(), world.root("root_A2", amount(15_600)))
    with refused(world["source"], DerivationRejection, r"'root_A2' states .*15600.*, but 'root_A' states .*12800"):
        world.issue("source", "joined", parents)


def test_a_relay_of_parents_that_agree_is_accepted(world: ProtocolWorld):
    parents = (world.root(), world.root("root_A2"))
    assert world["source"].graph.stands(world.issue("source", "joined", parents))


@pytest.mark.parametrize("derived", [False, True], ids=["root", "derived"])
def test_an_unknown_rule_is_refused_with_the_nearest_name(world: ProtocolWorld, derived: bool):
    parents = (world.root(),) if derived else ()
    with refused(world["source"], DerivationRejection, "'rely'; did you mean 'relay'"):
        world.issue("source", "shared_A", parents, rule="rely", predicate="total_charge", value=amount())


def test_a_rule_registered_by_name_is_used_like_the_others(world: ProtocolWorld, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(RULES, "double", lambda parents: (parents[0].predicate, amount(2 * parents[0].value["cents"])))
    doubled = world.issue(
        "source", "twice", (world.root(),), rule="double", predicate="total_charge", value=amount(25_600)
    )
    assert world["source"].claims[doubled].value["cents"] == 25_600
    with refused(world["source"], DerivationRejection, "by double"):
        world.issue("source", "thrice", (world.root(),), rule="double", predicate="total_charge", value=amount(38_400))


def test_nothing_follows_by_a_rule_that_is_not_registered(world: ProtocolWorld):
    with pytest.raises(DerivationRejection, match="no rule is called 'average'; expected one of relay, sum_charges"):
        derive("average", [world["source"].claims[world.root()]])


@pytest.mark.parametrize("other", [True, 1.0], ids=repr)
def test_a_relayed_fact_is_exactly_the_parents_and_not_what_python_takes_for_it(world: ProtocolWorld, other: Any):
    """1 == True == 1.0 in Python; they are three JSON values."""
    root = world.issue("source", "root_A", predicate="total_charge", value=amount(1))
    with pytest.raises(DerivationRejection, match="relay"):
        world.issue("source", "again_A", (root,), predicate="total_charge", value=amount(other))


def test_a_total_in_fractions_is_not_the_sum_of_whole_cents(world: ProtocolWorld):
    with pytest.raises(DerivationRejection, match="sum_charges"):
        summed(world, parts(world, MANIFEST, GOODS, FREIGHT), amount(10_700.0))
