"""What holds of consent whatever is said: order of time, one use, no crash, no dependence on layout."""

from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from trustrail.consent import AnswerKind, bind_consent, read_answer, read_asks, read_consent, rules_for
from trustrail.events import AgentMessage, CustomerMessage, Event, ToolCall, ToolResult
from trustrail.objects import find_domain_pack

STEADY = settings(max_examples=80, deadline=None, derandomize=True, database=None)
PACK = find_domain_pack("retail-orders")
RULES = rules_for(PACK)
TABLE = yaml.safe_load(
    (Path(__file__).parents[2] / "unit/trustrail/consent/sentences.yaml").read_text(encoding="utf-8")
)
REFUSALS = ["Wait, no.", "No, don't.", "Stop!", "I do not confirm.", "Never mind."]
ORDERS = ["#W1111111", "#W2222222"]

answers = st.sampled_from([text for texts in TABLE.values() for text in texts])
proposals = st.sampled_from(
    [
        "Shall I cancel order #W1111111?",
        "I will cancel orders #W1111111 and #W2222222. Proceed with both?",
        "Would you like me to check your other orders?",
        "Which order is it?",
        "The order is cancelled. Is there anything else?",
    ]
)
cancels = st.sampled_from(ORDERS).map(
    lambda order: ToolCall(
        call_id=None, tool="cancel_pending_order", arguments={"order_id": order, "reason": "no longer needed"}
    )
)
results = st.sampled_from(
    [
        ToolResult(call_id=None, tool="cancel_pending_order", status="ok", result={"status": "cancelled"}),
        ToolResult(call_id=None, tool="cancel_pending_order", status="ok", result="Error: not possible"),
    ]
)
bodies = st.one_of(
    answers.map(lambda text: CustomerMessage(text=text)),
    proposals.map(lambda text: AgentMessage(text=text)),
    cancels,
    results,
)
streams = st.lists(bodies, max_size=14).map(
    lambda found: tuple(Event(seq=seq, test_run_id="p", source="test", body=body) for seq, body in enumerate(found))
)


@STEADY
@given(streams)
def test_binding_a_bound_stream_changes_nothing(events):
    once = bind_consent(events, PACK)

    assert bind_consent(once, PACK) == once
    assert [event.seq for event in once] == list(range(len(once)))


@STEADY
@given(streams, st.integers(min_value=0, max_value=14))
def test_what_happens_later_never_changes_what_was_agreed_before(events, cut):
    whole = [consent.status for consent in read_consent(events, RULES)]
    early = [consent.status for consent in read_consent(events[:cut], RULES)]

    assert whole[: len(early)] == early


@STEADY
@given(answers)
def test_one_yes_never_covers_the_same_successful_call_twice(answer):
    call = ToolCall(
        call_id=None, tool="cancel_pending_order", arguments={"order_id": ORDERS[0], "reason": "no longer needed"}
    )
    done = ToolResult(call_id=None, tool="cancel_pending_order", status="ok", result={"status": "cancelled"})
    said = [AgentMessage(text="Shall I cancel order #W1111111?"), CustomerMessage(text=answer)]
    events = [
        Event(seq=seq, test_run_id="p", source="test", body=body)
        for seq, body in enumerate([*said, call, done, call, done])
    ]

    assert [consent.status.value for consent in read_consent(events, RULES)].count("covered") <= 1


@STEADY
@given(
    st.sampled_from(TABLE["assent"]),
    st.sampled_from(REFUSALS),
)
def test_a_refusal_after_a_yes_takes_it_back(assent, refusal):
    assert read_answer(f"{assent.rstrip('.!')}. {refusal}", "en").kind is not AnswerKind.ASSENT


@STEADY
@given(st.sampled_from(TABLE["assent"]), st.sampled_from([str.upper, str.title, lambda text: f"  **{text}** "]))
def test_case_and_markup_do_not_change_an_assent(assent, change):
    assert read_answer(change(assent), "en").kind is read_answer(assent, "en").kind


@STEADY
@given(st.text(max_size=300), st.sampled_from(["de", "en", "es", "fr"]))
def test_any_text_can_be_read(text, code):
    read_asks(text, code)
    answer = read_answer(text, code)

    assert answer.cue in answer.text or answer.kind is AnswerKind.DOUBT


@STEADY
@given(st.permutations(["order_id", "item_ids", "payment_method_id"]), answers)
def test_the_order_of_arguments_does_not_matter(order, answer):
    arguments = {"order_id": ORDERS[0], "item_ids": ["1234567890"], "payment_method_id": "paypal_1111111"}
    said = [
        AgentMessage(text="Shall I return order #W1111111, refund to your PayPal account?"),
        CustomerMessage(text=answer),
    ]

    def read(given_arguments):
        call = ToolCall(call_id=None, tool="return_delivered_order_items", arguments=given_arguments)
        return read_consent(
            [Event(seq=seq, test_run_id="p", source="test", body=body) for seq, body in enumerate([*said, call])], RULES
        )

    assert read({name: arguments[name] for name in order}) == read(arguments)
