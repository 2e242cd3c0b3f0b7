"""A wrong scenario file is refused as a whole, with every problem at its line and a remedy."""

from pathlib import Path

import pytest

from mast.errors import ScenarioError
from mast.scenario import load_scenario, load_world, with_faults

GOOD = """\
schema_version: mast.scenario.v0.1
kind: scenario
description: One claim from a to b.
topology:
  organizations: [a, b]
  claims:
    root: {issuer: a, order: O}
  routes:
    - {sender: a, recipient: b, claims: [root]}
  tasks:
    T: {owner: b, claim: root, branch: b}
business:
  parameters: {base: 100, late: 5}
  currency: CNY
  claim: {predicate: total_charge, value: {order: $order, currency: $currency, cents: $base}}
  operation: release
  authorities: {total_charge: a}
  losses: {release: 100}
faults:
  - {kind: revoke, claim: root, at: 10}
"""


def problems_of(tmp_path: Path, text: str | bytes) -> list[str]:
    path = tmp_path / "world.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return [problem.removeprefix(f"{tmp_path}/") for problem in caught.value.problems]


def test_the_file_that_the_cases_below_spoil_is_good(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    path.write_text(GOOD)

    world = load_scenario(path)

    assert (world.topology, world.case, world.variant) == ("world", "world", "world")
    assert world.truth.affected == {"T"}


# What is replaced in GOOD, by what, and the one problem that follows.
ONE_PROBLEM = {
    "unknown key": (
        "issuer: a, order",
        "issuer: a, oder: P, order",
        "world.yaml:7: topology.claims.root.oder is not a known key; did you mean 'order'?",
    ),
    "unknown key at the top": (
        "faults:\n",
        "fualts: []\nfaults:\n",
        "world.yaml:19: fualts is not a known key; did you mean 'faults'?",
    ),
    "unknown organization": (
        "sender: a,",
        "sender: aa,",
        "world.yaml:9: topology.routes[0].sender is 'aa', which is not an organization; did you mean 'a'?",
    ),
    "dangling parent": (
        "issuer: a, order: O",
        "issuer: a, order: O, parents: [rot]",
        "world.yaml:7: topology.claims.root.parents[0] is 'rot', which is not a claim; did you mean 'root'?",
    ),
    "dangling claim of a task": (
        "claim: root, branch",
        "claim: roott, branch",
        "world.yaml:11: topology.tasks.T.claim is 'roott', which is not a claim; did you mean 'root'?",
    ),
    "dangling claim of a fault": (
        "claim: root, at",
        "claim: rooot, at",
        "world.yaml:20: faults[0].claim is 'rooot', which is not a claim of the topology; did you mean 'root'?",
    ),
    "claim that is its own parent": (
        "issuer: a, order: O",
        "issuer: a, order: O, parents: [root]",
        "world.yaml:7: topology.claims.root.parents close a cycle: root <- root",
    ),
    "claim named twice": (
        "  routes:\n",
        "    root: {issuer: b, order: O}\n  routes:\n",
        "world.yaml:8: topology.claims.root is given twice, first on line 7; names must be unique",
    ),
    "organization named twice": (
        "[a, b]",
        "[a, b, a]",
        "world.yaml:5: topology.organizations[2] is 'a' for the second time; names must be unique",
    ),
    "negative tick": ("at: 10", "at: -10", "world.yaml:20: faults[0].at is -10; expected 0 or more"),
    "negative delay": (
        "  - {kind: revoke",
        "  - {kind: late_link, delay: -1}\n  - {kind: revoke",
        "world.yaml:20: faults[0].delay is -1; expected 0 or more",
    ),
    "wrong type": (
        "at: 10",
        "at: soon",
        "world.yaml:20: faults[0].at is 'soon'; expected a valid integer",
    ),
    "a fraction of a tick": ("at: 10", "at: 1.5", "world.yaml:20: faults[0].at is 1.5; expected a valid integer"),
    "text for a truth value": (
        "claims: [root]}",
        "claims: [root], forwarded: yes}",
        "world.yaml:9: topology.routes[0].forwarded is 'yes'; expected a valid boolean",
    ),
    "an amount beyond 2^53 - 1": (
        "base: 100",
        "base: 9007199254740992",
        (
            "world.yaml:13: business.parameters.base is 9007199254740992; "
            "expected a whole number of at most 2^53 - 1 = 9007199254740991"
        ),
    ),
    "an amount that is not a number": (
        "base: 100",
        "base: .nan",
        "world.yaml:13: business.parameters.base is .nan; expected a finite number",
    ),
    "a lone surrogate": (
        "description: One claim from a to b.",
        'description: "\\ud800"',
        "world.yaml:3: description holds a lone surrogate, which is not a character",
    ),
    "unknown fault": (
        "kind: revoke",
        "kind: revok",
        "world.yaml:20: faults[0].kind is 'revok'; did you mean 'revoke'?",
    ),
    "unknown parameter": (
        "at: 10",
        "at: $lat",
        "world.yaml:20: faults[0].at is '$lat', which is not a parameter of the business; did you mean 'late'?",
    ),
    "unknown parameter in a template": (
        "cents: $base",
        "cents: $bse",
        "world.yaml:15: business.claim.value.cents is '$bse', which is not a parameter; did you mean 'base'?",
    ),
    "unknown parameter in a claim's own value": (
        "issuer: a, order: O",
        "issuer: a, order: O, value: {order: $order, currency: CNY, cents: $bas}",
        "world.yaml:7: topology.claims.root.value.cents is '$bas', which is not a parameter; did you mean 'base'?",
    ),
    "unknown rule": (
        "predicate: total_charge, value",
        "predicate: total_charge, rule: rely, value",
        "world.yaml:15: business.claim.rule is 'rely', which is not a derivation rule; did you mean 'relay'?",
    ),
    "unknown operation": (
        "operation: release",
        "operation: relaese",
        "world.yaml:16: business.operation is 'relaese', which is not an operation; did you mean 'release'?",
    ),
    "unknown topology": (
        GOOD[GOOD.index("topology:") : GOOD.index("business:")],
        "topology: long_chain_frok\n",
        (
            "world.yaml:4: topology is 'long_chain_frok', and nothing in scenarios/topologies is called so; "
            "did you mean 'long_chain_fork'?"
        ),
    ),
    "unknown parcel kind": (
        "  - {kind: revoke",
        "  - {kind: late_link, delay: 1, parcels: [notise]}\n  - {kind: revoke",
        "world.yaml:20: faults[0].parcels[0] is 'notise'; did you mean 'notice'?",
    ),
    "fault after the end": ("at: 10", "at: 31", "world.yaml:20: faults[0].at is 31, but the run ends at tick 30"),
    "phases out of order": (
        "faults:\n",
        "schedule: {act: 3}\nfaults:\n",
        "world.yaml:19: schedule has act at tick 3, before forward at tick 12",
    ),
    "unknown agent": (
        "faults:\n",
        "agents: {kind: tap}\nfaults:\n",
        "world.yaml:19: agents.kind is 'tap', which is not a kind of agent; did you mean 'tape'?",
    ),
    "a tag": (
        "[a, b]",
        "!!python/tuple [a, b]",
        "world.yaml:5: topology.organizations has the tag tag:yaml.org,2002:python/tuple; tags are not read",
    ),
    "an anchor": (
        "[a, b]",
        "&all [a, b]",
        "world.yaml:5: topology.organizations has the anchor &all; write values out where they are used",
    ),
    "a claim nobody is handed": (
        "  routes:\n",
        "    lost: {issuer: a, order: O}\n  routes:\n",
        "world.yaml:8: topology.claims.lost is handed to nobody; add a route",
    ),
    "a root without authority": (
        "authorities: {total_charge: a}",
        "authorities: {total_chrge: a}",
        (
            "world.yaml:17: business.authorities names nobody for 'total_charge', the predicate of root 'root'; "
            "did you mean 'total_chrge'?"
        ),
    ),
    "a handoff to oneself": (
        "  tasks:\n",
        "    - {sender: a, recipient: a, claims: [root]}\n  tasks:\n",
        "world.yaml:10: topology.routes[1].recipient is 'a', the sender itself",
    ),
    "a claim twice in a handoff": (
        "claims: [root]",
        "claims: [root, root]",
        "world.yaml:9: topology.routes[0].claims[1] is 'root' for the second time; names must be unique",
    ),
    "a claim its sender was never handed": (
        "  routes:\n",
        "  routes:\n    - {sender: b, recipient: a, claims: [root]}\n",
        "world.yaml:9: topology.routes[0].claims[0] is 'root', which 'b' has not been handed before",
    ),
    "a task on a claim its owner was never handed": (
        "{owner: b,",
        "{owner: c,",
        "world.yaml:11: topology.tasks.T.owner is 'c', which is not an organization; expected one of a, b",
    ),
    "a task on a claim without order": (
        "root: {issuer: a, order: O}",
        "root: {issuer: a, value: {cents: 1}}",
        "world.yaml:11: topology.tasks.T.claim is 'root', which names no order; give the claim an order",
    ),
    "a supporting claim that is not there": (
        "branch: b}",
        "branch: b, supporting: [roots]}",
        "world.yaml:11: topology.tasks.T.supporting[0] is 'roots', which is not a claim; did you mean 'root'?",
    ),
    "a critical edge to nowhere": (
        "  tasks:\n",
        "  critical_edges: {slow: a -> c}\n  tasks:\n",
        "world.yaml:10: topology.critical_edges.slow is 'c', which is not an organization; expected one of a, b",
    ),
    "a critical edge to oneself": (
        "  tasks:\n",
        "  critical_edges: {slow: a -> a}\n  tasks:\n",
        "world.yaml:10: topology.critical_edges.slow is 'a -> a'; expected two different organizations",
    ),
    "an authority that is no organization": (
        "authorities: {total_charge: a}",
        "authorities: {total_charge: z}",
        "world.yaml:17: business.authorities.total_charge is 'z', which is not an organization; expected one of a, b",
    ),
    "a fact authority that is no organization": (
        "losses: {release: 100}",
        "losses: {release: 100}\n  fact_authority: z",
        "world.yaml:19: business.fact_authority is 'z', which is not an organization; expected one of a, b",
    ),
    "unknown rule of a claim": (
        "issuer: a, order",
        "issuer: a, rule: sum_charge, order",
        (
            "world.yaml:7: topology.claims.root.rule is 'sum_charge', which is not a derivation rule; "
            "did you mean 'sum_charges'?"
        ),
    ),
    "unknown business": (
        GOOD[GOOD.index("business:") : GOOD.index("faults:")],
        "business: relaese\n",
        (
            "world.yaml:12: business is 'relaese', and nothing in scenarios/business is called so; "
            "did you mean 'release'?"
        ),
    ),
    "neither topology nor generator": (
        GOOD[GOOD.index("topology:") : GOOD.index("business:")],
        "",
        "world.yaml:1: the file names neither a topology nor a generator; expected one of them",
    ),
    "a topology left blank": (
        GOOD[GOOD.index("topology:") : GOOD.index("business:")],
        "topology:\n",
        "world.yaml:1: the file names neither a topology nor a generator; expected one of them",
    ),
    "a generator with settings that do not go together": (
        GOOD[GOOD.index("topology:") :],
        "generator: {name: layered, window: 2}\n",
        "world.yaml:4: generator is refused: window is 2, expected at least parents_max = 3",
    ),
    "a generator beside a business": (
        GOOD[GOOD.index("topology:") :],
        "business: release\ngenerator: {name: star}\n",
        "world.yaml:4: business is given beside a generator, which makes its own; leave one of them out",
    ),
    "another version": (
        "mast.scenario.v0.1",
        "mast.scenario.v9",
        "world.yaml:1: schema_version is 'mast.scenario.v9'; expected 'mast.scenario.v0.1'",
    ),
    "another kind of file": (
        "kind: scenario",
        "kind: topology",
        "world.yaml:2: kind is 'topology'; expected 'scenario'",
    ),
}


@pytest.mark.parametrize(("old", "new", "problem"), ONE_PROBLEM.values(), ids=ONE_PROBLEM)
def test_each_mistake_is_named_with_its_line_and_remedy(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert GOOD.count(old) == 1, "the case must spoil one place"

    assert problems_of(tmp_path, GOOD.replace(old, new)) == [problem]


def test_all_problems_of_a_file_are_reported_together(tmp_path: Path) -> None:
    text = GOOD.replace("issuer: a, order", "isuer: a, order").replace("recipient: b", "recipient: c")
    text = text.replace("at: 10", "at: -1").replace("late: 5", "late: -5").replace("{release: 100}", "{forward: 1}")

    assert problems_of(tmp_path, text) == [
        "world.yaml:7: topology.claims.root.issuer is missing",
        "world.yaml:7: topology.claims.root.isuer is not a known key; did you mean 'issuer'?",
        "world.yaml:9: topology.routes[0].recipient is 'c', which is not an organization; expected one of a, b",
        "world.yaml:13: business.parameters.late is -5; expected 0 or more",
        "world.yaml:18: business.losses has no loss for the operation 'release'",
        "world.yaml:20: faults[0].at is -1; expected 0 or more",
    ]


def test_what_is_wrong_in_a_list_does_not_move_the_lines_of_later_entries(tmp_path: Path) -> None:
    extra = (
        "  - {kind: revok, claim: root}\n"
        "  - {kind: revoke, claim: rot}\n"
        "  - {kind: revision_available, claim: root, at: 99, changes: {cents: 1}}\n"
    )

    assert problems_of(tmp_path, GOOD + extra) == [
        "world.yaml:21: faults[1].kind is 'revok'; did you mean 'revoke'?",
        "world.yaml:22: faults[2].claim is 'rot', which is not a claim of the topology; did you mean 'root'?",
        "world.yaml:23: faults[3].at is 99, but the run ends at tick 30",
    ]


def test_a_task_needs_its_claim_handed_to_its_owner(tmp_path: Path) -> None:
    text = GOOD.replace("[a, b]", "[a, b, c]").replace("{owner: b,", "{owner: c,")

    assert problems_of(tmp_path, text) == [
        "world.yaml:11: topology.tasks.T rests on 'root', which no route hands to 'c'"
    ]


def test_a_claim_needs_an_order_when_the_business_writes_it_into_the_value(tmp_path: Path) -> None:
    more = "    other: {issuer: a}\n  routes:\n    - {sender: a, recipient: b, claims: [other]}\n"

    assert problems_of(tmp_path, GOOD.replace("  routes:\n", more)) == [
        "world.yaml:17: business.claim.value needs $order, but claim 'other' names no order; give the claim one"
    ]


def test_references_to_a_claim_that_is_itself_wrong_are_no_further_problems(tmp_path: Path) -> None:
    assert problems_of(tmp_path, GOOD.replace("issuer: a, order: O", "issuer: 7, order: O")) == [
        "world.yaml:7: topology.claims.root.issuer is 7; expected a valid string"
    ]


def test_a_list_that_is_something_else_is_called_a_list(tmp_path: Path) -> None:
    assert problems_of(tmp_path, GOOD.replace("organizations: [a, b]", "organizations: a")) == [
        "world.yaml:5: topology.organizations is 'a'; expected a list"
    ]


def test_a_claim_cannot_have_the_name_of_an_authorization(tmp_path: Path) -> None:
    issued = "  authorization: {issuer: a, predicate: total_charge, value: {order: $order}}\nfaults:\n"
    text = GOOD.replace("root", "authorization_O").replace("faults:\n", issued)

    assert problems_of(tmp_path, text) == [
        (
            "world.yaml:7: topology.claims.authorization_O is the name of the authorization of order 'O'; "
            "give the claim another"
        )
    ]


def test_a_cycle_is_written_out(tmp_path: Path) -> None:
    cycle = (
        "    x: {issuer: a, order: O, parents: [z]}\n"
        "    y: {issuer: a, order: O, parents: [x]}\n"
        "    z: {issuer: b, order: O, parents: [root, y]}\n"
    )

    assert problems_of(tmp_path, GOOD.replace("  routes:\n", cycle + "  routes:\n")) == [
        "world.yaml:8: topology.claims.x.parents close a cycle: x <- z <- y <- x"
    ]


def test_a_long_cycle_is_shortened(tmp_path: Path) -> None:
    names = [f"x{index}" for index in range(30)]
    claims = "".join(
        f"    {name}: {{issuer: a, order: O, parents: [{names[index - 1]}]}}\n" for index, name in enumerate(names)
    )

    (problem,) = problems_of(tmp_path, GOOD.replace("  routes:\n", claims + "  routes:\n"))
    assert problem.endswith("close a cycle: x0 <- x29 <- x28 <- … 26 more … <- x1 <- x0")


def test_a_claim_has_at_most_sixteen_parents(tmp_path: Path) -> None:
    def with_parents(count: int) -> str:
        names = [f"p{index}" for index in range(count)]
        claims = "".join(f"    {name}: {{issuer: a, order: O}}\n" for name in names)
        child = f"    child: {{issuer: b, order: O, parents: [{', '.join(names)}]}}\n"
        route = f"    - {{sender: a, recipient: b, claims: [{', '.join(names)}]}}\n"
        back = "    - {sender: b, recipient: a, claims: [child]}\n"
        return GOOD.replace("  routes:\n", claims + child + "  routes:\n" + route + back)

    path = tmp_path / "sixteen.yaml"
    path.write_text(with_parents(16))

    assert len(load_scenario(path).claims["child"].statement.parents) == 16
    assert problems_of(tmp_path, with_parents(17)) == [
        "world.yaml:25: topology.claims.child.parents has 17 items; expected at most 16"
    ]


def test_a_claim_cannot_be_derived_before_its_parents_arrive(tmp_path: Path) -> None:
    text = GOOD.replace("  routes:\n", "    child: {issuer: b, order: O, parents: [root]}\n  routes:\n")
    early = text.replace("    - {sender: a", "    - {sender: b, recipient: a, claims: [child]}\n    - {sender: a")

    assert problems_of(tmp_path, early) == [
        (
            "world.yaml:10: topology.routes[0].claims[0] is 'child', which derives from 'root', "
            "which 'b' does not hold yet; hand it over in an earlier route"
        )
    ]


def test_aliases_are_refused_before_they_can_multiply(tmp_path: Path) -> None:
    """A hundred million values would follow from these lines, if aliases were followed."""
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 9)]
    problems = problems_of(tmp_path, GOOD + "\n".join(lines) + "\n")

    assert any("l0 has the anchor &l0" in problem for problem in problems)
    assert sum("is an alias; write the value out" in problem for problem in problems) == 80


BROKEN = {
    "no YAML": (b"a: [1, 2", "world.yaml:1: the file is not YAML: expected ',' or ']', but got '<stream end>'"),
    "not UTF-8": (b"a: 1\nb: \xff\n", "world.yaml:2: the file is not UTF-8: invalid start byte"),
    "nested too deep": (
        b"[" * 10_000,
        "world.yaml:1: the file is not YAML: nesting at line 1 is deeper than 32 levels",
    ),
    "empty": (b"", "world.yaml:1: the file is empty; expected a mapping"),
    "a list": (b"[1]", "world.yaml:1: the file is [1]; expected a mapping"),
    "too large": (
        b"#" * (1 << 20) + b"\n",
        "world.yaml: is larger than 1048576 bytes; use a generator for large worlds",
    ),
}


@pytest.mark.parametrize(("data", "problem"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_scenario_at_all_is_refused(tmp_path: Path, data: bytes, problem: str) -> None:
    assert problems_of(tmp_path, data) == [problem]


def test_a_second_document_in_the_file_is_refused(tmp_path: Path) -> None:
    assert problems_of(tmp_path, GOOD + "---\na: 1\n") == [
        "world.yaml:21: the file holds more than one document; expected one"
    ]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"nowhere\.yaml: cannot be read: No such file or directory"):
        load_scenario(tmp_path / "nowhere.yaml")


def test_unknown_shipped_names_are_met_with_the_nearest() -> None:
    with pytest.raises(ScenarioError, match=r"topology is 'long_chain', .*did you mean 'long_chain_fork'"):
        load_world("long_chain")
    with pytest.raises(ScenarioError, match=r"case is 'late', .*did you mean 'active'"):
        load_world("long_chain_fork", "late")
    with pytest.raises(ScenarioError, match=r"business is 'invoice_us', .*did you mean 'invoice_usd'"):
        load_world("long_chain_fork", business="invoice_us")


def test_faults_given_in_a_program_are_checked_like_those_of_a_file() -> None:
    with pytest.raises(ScenarioError) as caught:
        load_world(
            "long_chain_fork",
            faults=[
                {"kind": "revoke", "claim": "shard_A"},
                {"kind": "late_link", "delay": 1, "edge": "chain_1 -> chian_2"},
            ],
        )

    assert caught.value.problems == (
        "faults[0].claim is 'shard_A', which is not a claim of the topology; did you mean 'shared_A'?",
        "faults[1].edge is 'chain_1 -> chian_2', but 'chian_2' is no organization; did you mean 'chain_2'?",
    )
    with pytest.raises(ScenarioError, match=r"faults\[0\]\.kind is missing"):
        with_faults(load_world("long_chain_fork"), [{"claim": "shared_A"}])
