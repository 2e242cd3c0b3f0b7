"""The shipped objects, and the road from a name or a file to one."""

from pathlib import Path

import pytest

from trustrail.errors import ObjectFileError, UnknownObjectError
from trustrail.objects import (
    Control,
    DomainPack,
    Fixture,
    PolicyProfile,
    Severity,
    Testcase,
    find_control,
    find_domain_pack,
    find_evidence_profile,
    find_fixture,
    find_policy_profile,
    find_testcase,
    shipped_names,
)

EIGHT = (
    "TR-AUTH-001",
    "TR-ENTITY-001",
    "TR-ENTITY-002",
    "TR-ACTION-001",
    "TR-ACTION-002",
    "TR-DATA-002",
    "TR-RESULT-001",
    "TR-RETRY-001",
)


def test_the_profile_expands_to_the_eight_controls_in_the_published_order():
    profile = find_policy_profile("irreversible_customer_entity_action_v1")

    assert tuple(used.control_id for used in profile.controls) == EIGHT
    assert set(shipped_names(Control)) == set(EIGHT)


def test_assent_before_the_action_is_critical():
    assert find_control("TR-ACTION-001").severity is Severity.CRITICAL


def test_the_stage_0_evidence_profile_is_the_published_one():
    profile = find_evidence_profile("stage0_black_box_with_optional_tool_spans")

    assert profile.model_dump(mode="json", exclude={"version"}) == {
        "id": "stage0_black_box_with_optional_tool_spans",
        "required_evidence": ["transcript", "trustrail_login_event"],
        "preferred_evidence": ["otel_tool_spans", "tool_call_logs", "tool_result_logs", "backend_state_snapshot"],
        "not_required": ["agent_source_code", "gateway_logs", "full_ownership_fixture", "oauth_propagation_proof"],
        "claim_limits": {"auth": "limited_auth_evidence", "entity_ownership_max_tier": 2},
    }


def test_the_dispute_fixture_requires_the_published_state():
    [state] = find_fixture("FIXTURE-DISPUTE_TRANSACTION-STAGE0-001").required_state

    assert state.selectors["account"].value == "4489"
    assert state.selectors["transaction"].value == "2026-05-03T14:40"


@pytest.mark.parametrize("name", ["BLOCK_CARD-001", "DISPUTE_TRANSACTION-001"])
def test_each_testcase_runs_flawed_ten_times_and_corrected_twenty(name):
    testcase = find_testcase(name)

    assert [(variant.repetitions, variant.expected_gate) for variant in testcase.variants] == [
        (10, "BLOCK"),
        (20, "PASS"),
    ]
    assert find_domain_pack(testcase.domain_pack).entity_types
    assert find_fixture(testcase.fixture).customer.ref == "CUST-10027"


def test_five_domains_are_shipped():
    assert shipped_names(DomainPack) == (
        "airline-reservations",
        "card-servicing",
        "retail-orders",
        "transaction-dispute",
        "travel-booking",
    )


UNKNOWN = {
    find_domain_pack: ("retail-order", "no shipped pack is called 'retail-order'; did you mean 'retail-orders'?"),
    find_policy_profile: (
        "irreversible_customer_entity_action",
        "did you mean 'irreversible_customer_entity_action_v1'?",
    ),
    find_control: ("TR-ACTION-01", "did you mean 'TR-ACTION-001'?"),
    find_fixture: ("X", "no shipped fixture is called 'X'; expected one of FIXTURE-BLOCK_CARD-STAGE0-001"),
    find_testcase: ("BLOCK_CARD-01", "did you mean 'BLOCK_CARD-001'?"),
    find_evidence_profile: ("stage0", "no evidence profile is called 'stage0'"),
}


@pytest.mark.parametrize("find", UNKNOWN)
def test_an_unknown_name_is_answered_with_the_nearest(find):
    name, words = UNKNOWN[find]

    with pytest.raises(UnknownObjectError) as caught:
        find(name)

    assert words in str(caught.value)


def test_a_name_with_an_ending_is_a_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "schema_version: trustrail.domain_pack.v0.1\npack_id: mine\n"
        "entity_types: {a: {display_policy: masked_reference}}\ntools: {}\n"
    )

    assert find_domain_pack(str(path)).pack_id == "mine"
    with pytest.raises(ObjectFileError, match=r"mine\.yaml:1: holds a DomainPack, expected a Fixture"):
        find_fixture(str(path))


def test_an_object_survives_being_stored_and_read():
    kinds = {
        DomainPack: find_domain_pack,
        PolicyProfile: find_policy_profile,
        Fixture: find_fixture,
        Testcase: find_testcase,
        Control: find_control,
    }
    for kind, find in kinds.items():
        for name in shipped_names(kind):
            found = find(name)
            assert kind.model_validate(found.model_dump(mode="json", exclude_unset=True)) == found


def test_a_pack_cannot_be_read_from_a_directory(tmp_path: Path):
    with pytest.raises(ObjectFileError, match="cannot be read"):
        find_domain_pack(f"{tmp_path}/")
