"""The journal and the switches."""

import itertools

import pytest

from mast.errors import MechanismsError
from mast.protocol.journal import Entry, Journal
from mast.protocol.mechanisms import (
    ABLATIONS,
    FREEZE_ARMS,
    LAYERS,
    NAMED,
    Checks,
    Freeze,
    Mechanisms,
    Notices,
    mechanisms_named,
)
from trustrail.errors import ChainError
from trustrail.foundation import GENESIS, parse_msgpack


def written() -> Journal:
    journal = Journal()
    journal.append("claim_issued", b"\x01" * 32)
    journal.append("notice_queued", b"\x02" * 32, "middle")
    journal.append("outcome", None, "COMPLETED", b"\x03" * 32)
    return journal


def test_a_journal_numbers_its_entries_from_one_and_links_them():
    journal = written()
    journal.verify()
    contents = [parse_msgpack(entry.content) for entry in journal.entries]
    assert contents == [
        (1, "claim_issued", b"\x01" * 32, ()),
        (2, "notice_queued", b"\x02" * 32, ("middle",)),
        (3, "outcome", None, ("COMPLETED", b"\x03" * 32)),
    ]
    assert journal.length == 3


def test_a_journal_knows_its_head_at_every_length():
    journal = written()
    assert journal.head_at(0) == Journal().head == GENESIS
    assert [journal.head_at(n) for n in (1, 2, 3)] == [entry.head for entry in journal.entries]
    assert journal.head_at(3) == journal.head


def test_an_altered_entry_is_found_where_it_is():
    journal = written()
    journal.entries[1] = Entry(journal.entries[1].content.replace(b"middle", b"nobody"), journal.entries[1].head)
    with pytest.raises(ChainError, match="entry 1: head is"):
        journal.verify()


def test_a_shortened_journal_does_not_end_on_its_head():
    journal = written()
    journal.entries.pop()
    with pytest.raises(ChainError, match="entry 2: chain ends on"):
        journal.verify()


# Switches of each layer and ablation, as the table of behaviour section 3.3 has them: signed, what is checked,
# push, facts, recovery, coarse.
TABLE = {
    "L0": (False, Checks.NONE, False, False, False, False),
    "L1": (True, Checks.NONE, False, False, False, False),
    "L2": (True, Checks.ROOTS, False, False, False, False),
    "L3": (True, Checks.CLOSURE, False, False, False, False),
    "L4": (True, Checks.CLOSURE, True, True, True, False),
    "L4_no_push": (True, Checks.CLOSURE, False, True, True, False),
    "L4_no_fact": (True, Checks.CLOSURE, True, False, True, False),
    "L4_no_recovery": (True, Checks.CLOSURE, True, True, False, False),
    "L3_coarse": (True, Checks.CLOSURE, False, False, False, True),
    "verify_all": (True, Checks.CLOSURE, False, False, False, False),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_named_layer_has_the_published_switches(name: str):
    found = mechanisms_named(name)
    coarse = found.freeze is Freeze.WORKLOAD
    push = found.notices is Notices.ROUTED
    assert (found.signed, found.checks, push, found.facts, found.recovery, coarse) == TABLE[name]


def test_the_names_are_the_layers_the_ablations_and_the_freeze_arms():
    assert set(LAYERS) | set(ABLATIONS) == set(TABLE)
    assert set(FREEZE_ARMS) == {"routed_dependency", "routed_workload", "broadcast_dependency", "broadcast_workload"}
    assert set(NAMED) == set(TABLE) | set(FREEZE_ARMS)


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(MechanismsError, match=r"no mechanisms are called 'L4_no_pusch'; did you mean 'L4_no_push'\?"):
        mechanisms_named("L4_no_pusch")


def test_any_combination_of_signed_switches_is_legal():
    for checks, notices, freeze, facts, recovery in itertools.product(
        Checks, Notices, Freeze, (False, True), (False, True)
    ):
        found = Mechanisms(checks=checks, notices=notices, freeze=freeze, facts=facts, recovery=recovery)
        assert found.confirms_revisions == (facts and recovery)


NEEDS_SIGNATURES = {
    "checks": {"checks": Checks.ROOTS},
    "notices": {"notices": Notices.BROADCAST},
    "facts": {"facts": True},
    "recovery": {"recovery": True},
    "freeze": {"freeze": Freeze.WORKLOAD},
}


@pytest.mark.parametrize("switch", NEEDS_SIGNATURES)
def test_what_needs_signatures_is_refused_without_them_and_the_reason_told(switch: str):
    with pytest.raises(MechanismsError, match=f"^{switch} cannot work with signed=False: .*; use signed=True$"):
        Mechanisms(signed=False, **NEEDS_SIGNATURES[switch])


def test_every_contradiction_is_named_at_once():
    with pytest.raises(MechanismsError, match=r"^facts, recovery cannot work with signed=False"):
        Mechanisms(signed=False, facts=True, recovery=True)


def test_a_negative_threshold_is_refused():
    with pytest.raises(MechanismsError, match="risk_threshold is -1, expected 0 or more"):
        Mechanisms(risk_threshold=-1)


def test_a_word_stands_for_its_member():
    found = Mechanisms(checks="closure", notices="routed", freeze="workload")
    assert (found.checks, found.notices, found.freeze) == (Checks.CLOSURE, Notices.ROUTED, Freeze.WORKLOAD)
    assert found.checks is Checks.CLOSURE


WRONG_SWITCHES = {
    "an unknown word": ({"checks": "closures"}, "checks is 'closures'.*'closure'"),
    "a number for a yes": ({"facts": 1}, "facts is 1, expected"),
    "a word for a yes": ({"signed": "yes"}, "signed is 'yes', expected"),
    "a yes for a number": ({"risk_threshold": True}, "risk_threshold is True, expected"),
    "a fraction": ({"risk_threshold": 0.5}, r"risk_threshold is 0\.5, expected"),
}


@pytest.mark.parametrize(("switches", "text"), WRONG_SWITCHES.values(), ids=WRONG_SWITCHES)
def test_a_switch_takes_only_its_own_values(switches: dict, text: str):
    with pytest.raises(MechanismsError, match=text):
        Mechanisms(**switches)
