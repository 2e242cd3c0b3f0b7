"""From reports to a judgement: what caps a PASS, what blocks, and what each call is told."""

import pytest

from trustrail.engine import GateOutcome, Requirements, evidence_kinds, judge_run, write_back
from trustrail.errors import UnknownControlError
from trustrail.events import (
    LOGIN_SOURCE,
    AgentHandoff,
    AgentInvocation,
    AgentMessage,
    CustomerMessage,
    ToolCall,
    ToolResult,
)
from trustrail.objects import find_domain_pack, find_evidence_profile, find_policy_profile

STAGE0 = "stage0_black_box_with_optional_tool_spans"


def verdicts(judgement):
    return {control.control_id: control.verdict.value for control in judgement.controls}


def test_eight_passes_open_the_gate(blocked_card, requirements, rules):
    judgement = judge_run(blocked_card, requirements, rules=rules())

    assert set(verdicts(judgement).values()) == {"PASS"}
    assert judgement.gate.outcome is GateOutcome.PASS
    assert judgement.gate.reasons == ()


def test_the_controls_stand_in_the_profiles_order(blocked_card, requirements, rules):
    judgement = judge_run(blocked_card, requirements, rules=rules())

    assert list(verdicts(judgement)) == list(requirements.controls)


@pytest.mark.parametrize("verdict", ["FAIL", "INCONCLUSIVE"])
def test_one_critical_control_that_does_not_pass_blocks(blocked_card, requirements, rules, make_report, verdict):
    judgement = judge_run(blocked_card, requirements, rules=rules(a=make_report("TR-ACTION-001", verdict)))

    assert judgement.gate.outcome is GateOutcome.BLOCK
    assert judgement.gate.reasons == (f"TR-ACTION-001 {verdict} (CRITICAL): why",)


def test_severities_the_profile_does_not_name_do_not_block(blocked_card, rules, make_report):
    profile = find_policy_profile("irreversible_customer_entity_action_v1")
    lenient = profile.model_copy(update={"gate": profile.gate.model_copy(update={"block_on_inconclusive": ()})})
    requirements = Requirements.expand(find_domain_pack("card-servicing"), lenient)

    judgement = judge_run(blocked_card, requirements, rules=rules(a=make_report("TR-ACTION-001", "INCONCLUSIVE")))

    assert judgement.gate.outcome is GateOutcome.PASS


def test_an_empty_run_blocks_even_when_every_rule_passes(requirements, rules, make_report):
    idle = {control_id: make_report(control_id, exercised=False) for control_id in requirements.controls}

    judgement = judge_run((), requirements, rules=rules(**idle))

    assert judgement.gate.outcome is GateOutcome.BLOCK
    assert judgement.gate.reasons[0] == "the run has no events"


def test_a_control_that_met_nothing_to_judge_is_told_apart(blocked_card, requirements, rules, make_report):
    judgement = judge_run(blocked_card, requirements, rules=rules(a=make_report("TR-RETRY-001", exercised=False)))

    [retry] = [control for control in judgement.controls if control.control_id == "TR-RETRY-001"]
    assert (retry.verdict.value, retry.exercised, retry.claim) == ("PASS", False, None)


def test_missing_required_evidence_turns_a_pass_into_inconclusive(blocked_card, rules):
    requirements = Requirements.expand(
        find_domain_pack("card-servicing"),
        find_policy_profile("irreversible_customer_entity_action_v1"),
        evidence_profile=find_evidence_profile(STAGE0),
    )

    judgement = judge_run(blocked_card, requirements, rules=rules())

    assert judgement.missing_evidence == ("trustrail_login_event",)
    assert verdicts(judgement)["TR-AUTH-001"] == "INCONCLUSIVE"
    assert verdicts(judgement)["TR-ACTION-001"] == "PASS"
    assert judgement.gate.outcome is GateOutcome.BLOCK


def test_required_evidence_that_no_control_needs_blocks_all_the_same(blocked_card, rules):
    profile = find_evidence_profile(STAGE0)
    demanding = profile.model_copy(update={"required_evidence": ("transcript", "gateway_logs")})
    requirements = Requirements.expand(
        find_domain_pack("card-servicing"),
        find_policy_profile("irreversible_customer_entity_action_v1"),
        evidence_profile=demanding,
    )

    judgement = judge_run(blocked_card, requirements, rules=rules())

    assert set(verdicts(judgement).values()) == {"PASS"}
    assert judgement.gate.outcome is GateOutcome.BLOCK
    assert judgement.gate.reasons == ("required evidence is missing: gateway_logs",)


def test_missing_evidence_does_not_soften_a_failure(requirements, rules, make_report, make_stream):
    failing = rules(a=make_report("TR-ACTION-001", "FAIL"))

    judgement = judge_run(make_stream(CustomerMessage(text="a")), requirements, rules=failing)

    assert judgement.missing_evidence == ("transcript",)
    assert verdicts(judgement)["TR-ACTION-001"] == "FAIL"


def test_a_claim_limit_caps_what_a_pass_says(blocked_card, requirements, rules):
    judgement = judge_run(blocked_card, requirements, rules=rules())

    claims = {control.control_id: control.claim for control in judgement.controls if control.claim}
    assert claims == {"TR-AUTH-001": "limited_auth_evidence", "TR-ENTITY-001": "entity_ownership_max_tier: 2"}


def test_a_tool_without_meaning_leaves_an_unexercised_control_undecided(make_stream, requirements, rules, make_report):
    """A pack of another domain must not turn every run into a pass."""
    talk = (CustomerMessage(text="a"), AgentMessage(text="b"))
    events = make_stream(*talk, ToolCall(call_id="1", tool="cancel_booking", arguments={}))

    judgement = judge_run(events, requirements, rules=rules(a=make_report("TR-ACTION-001", exercised=False)))

    assert judgement.unknown_tools == ("cancel_booking",)
    assert verdicts(judgement)["TR-ACTION-001"] == "INCONCLUSIVE"


def test_a_tool_without_a_meaning_may_have_acted_beside_the_actions_that_are_known(
    blocked_card, requirements, rules, make_report
):
    strange = blocked_card[0].model_copy(
        update={"seq": len(blocked_card), "body": ToolCall(call_id="2", tool="delete_account", arguments={})}
    )
    reports = rules(a=make_report("TR-ACTION-001"))

    judgement = judge_run((*blocked_card, strange), requirements, rules=reports)

    assert verdicts(judgement)["TR-ACTION-001"] == "INCONCLUSIVE"
    assert judgement.gate.outcome is GateOutcome.BLOCK


def test_a_tool_by_which_agents_hand_over_has_a_meaning(make_stream, requirements, rules):
    events = make_stream(
        ToolCall(call_id="1", tool="transfer_to_agent", arguments={"agent_name": "cards"}),
        ToolResult(call_id="1", tool="transfer_to_agent", status="ok", result=None),
        AgentHandoff(to_agent_id="cards"),
        AgentMessage(text="b"),
    )

    assert judge_run(events, requirements, rules=rules()).unknown_tools == ()


def test_each_call_gets_every_controls_verdict_and_its_message(blocked_card, requirements, rules, make_report):
    judgement = judge_run(blocked_card, requirements, rules=rules(a=make_report("TR-ACTION-002", "FAIL")))

    [call] = judgement.actions
    given = {verdict.control_id: verdict.verdict.value for verdict in call.controls}
    assert (call.index, call.tool, call.seq, call.message_index) == (0, "block_card", 0, 0)
    assert given["TR-ACTION-002"] == "FAIL"
    assert given["TR-ACTION-001"] == "PASS"


def test_a_profile_whose_control_has_no_rule_is_refused(blocked_card, requirements, rules):
    known = rules()
    del known["TR-DATA-002"]

    with pytest.raises(UnknownControlError, match="control 'TR-DATA-002' has no rule"):
        judge_run(blocked_card, requirements, rules=known)


def test_verdicts_are_written_back_and_left_aside_when_judged_again(blocked_card, requirements, rules):
    first = judge_run(blocked_card, requirements, rules=rules())
    stream = write_back(first)

    assert [event.seq for event in stream] == list(range(len(stream)))
    assert [event.body.control_id for event in stream[-8:]] == list(requirements.controls)
    assert judge_run(stream, requirements, rules=rules()) == first


def test_evidence_is_present_only_when_the_stream_shows_it(make_stream):
    lost = ToolResult(call_id=None, tool=None, status="unknown")
    nothing = make_stream(CustomerMessage(text=None), AgentMessage(text=None), lost)
    login = AgentInvocation(name="trustrail_login", detail={"customer_ref": "CUST-10027"})

    assert evidence_kinds(nothing) == frozenset()
    assert evidence_kinds(make_stream(CustomerMessage(text="a"))) == frozenset()
    assert evidence_kinds(make_stream(login)) == frozenset()
    assert evidence_kinds(make_stream(login, source=LOGIN_SOURCE)) == {"trustrail_login_event"}
    assert evidence_kinds(make_stream(CustomerMessage(text="a"), AgentMessage(text="b"))) == {"transcript"}
