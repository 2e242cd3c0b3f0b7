"""What agent spans become: one conversation in the order things happened, gaps visible."""

import json
from pathlib import Path
from typing import ClassVar

import pytest

from tests.unit.trustrail.adapters.conftest import asked, chat, said, span, told, tool, user
from trustrail.adapters import read_events
from trustrail.errors import UnknownShapeError

RECORDINGS = Path(__file__).parent / "recordings"


def turn(start: int, **attributes: object) -> dict:
    """Return the root span of one turn."""
    return span("invoke_agent cards", start, gen_ai__operation__name="invoke_agent", **attributes)


class TestOrder:
    def test_parallel_calls_stand_before_all_of_their_results(self, outline) -> None:
        """One model response asked for both, so the block cannot have used the lookup (assurance input 16)."""
        rows = [
            chat(1, [user("block it")], asked(("a", "look", {}), ("b", "block", {"card": "1"}))),
            tool("look", 2, {}, {"cards": ["1"]}, call="a"),
            tool("block", 5, {"card": "1"}, {"status": "ok"}, call="b"),
        ]

        assert outline(rows) == [
            ("customer", "block it"),
            ("call", "look", {}),
            ("call", "block", {"card": "1"}),
            ("result", "look", "ok", {"cards": ["1"]}),
            ("result", "block", "ok", {"status": "ok"}),
        ]

    def test_equal_start_times_change_nothing(self, outline) -> None:
        rows = [
            tool("block", 1, {"card": "1"}, {"status": "ok"}, call="b"),
            tool("look", 1, {}, {"cards": []}, call="a"),
            chat(1, [user("go")], asked(("a", "look", {}), ("b", "block", {"card": "1"})), key="model"),
        ]
        rows[0]["parent_span_id"] = rows[1]["parent_span_id"] = "model"

        assert [line[:2] for line in outline(rows)] == [
            ("customer", "go"),
            ("call", "look"),
            ("call", "block"),
            ("result", "look"),
            ("result", "block"),
        ]

    def test_calls_without_recorded_requests_are_batched_between_model_calls(self, outline) -> None:
        rows = [chat(1, None, None), tool("f", 2), tool("g", 3), chat(4, None, None), tool("h", 5)]

        assert [line[:2] for line in outline(rows)] == [
            ("call", "f"),
            ("call", "g"),
            ("result", "f"),
            ("result", "g"),
            ("call", "h"),
            ("result", "h"),
        ]

    def test_repeated_histories_give_each_message_once(self, outline) -> None:
        one, two = user("one"), said("first answer")
        rows = [
            chat(1, [one], two, trace="t1", gen_ai__conversation__id="c"),
            chat(9, [one, two, user("Yes")], said("second"), trace="t2", gen_ai__conversation__id="c"),
            chat(
                20,
                [one, two, user("Yes"), said("second"), user("Yes")],
                said("third"),
                trace="t3",
                gen_ai__conversation__id="c",
            ),
        ]

        assert outline(rows) == [
            ("customer", "one"),
            ("agent", "first answer"),
            ("customer", "Yes"),
            ("agent", "second"),
            ("customer", "Yes"),
            ("agent", "third"),
        ]

    def test_two_conversations_are_two_runs(self, read) -> None:
        rows = [
            chat(1, [user("a")], said("x"), trace="t1", gen_ai__conversation__id="c1"),
            chat(2, [user("b")], said("y"), trace="t2", gen_ai__conversation__id="c2"),
        ]

        assert [run.events[0].conversation_id for run in read(rows)] == ["c1", "c2"]

    def test_traces_that_name_no_conversation_are_not_joined(self, read) -> None:
        """Joining them by the agent's name would let one customer's login cover another's action (input 17)."""
        rows = [
            chat(1, [user("a")], said("x"), trace="t1", gen_ai__agent__name="cards"),
            chat(2, [user("b")], said("y"), trace="t2", gen_ai__agent__name="cards"),
        ]

        assert len(read(rows)) == 2


class TestExecutions:
    ASKED = asked(("c1", "block", {"card": "1"}))

    def test_two_executions_of_one_request_are_both_there(self, read) -> None:
        """A retry policy runs the tool twice; the messages show one call and one result (input 12)."""
        (run,) = read(
            [
                chat(1, [user("block")], self.ASKED),
                tool("block", 2, {"card": "1"}, call="c1", error=("TimeoutError", "core timeout")),
                tool("block", 3, {"card": "1"}, {"status": "ok"}, call="c1"),
            ]
        )

        calls = [event.body for event in run.events if event.body.type == "tool_call"]
        results = [event.body for event in run.events if event.body.type == "tool_result"]
        assert [(body.call_id, body.arguments) for body in calls] == [("c1", {"card": "1"})] * 2
        assert [(body.status, body.error) for body in results] == [
            ("error", "TimeoutError: core timeout"),
            ("ok", None),
        ]

    def test_interrupt_is_a_pause_and_what_it_asks_is_said(self, outline) -> None:
        words = "(Interrupt(value={'ask': 'really?'}, id='1', response_schema=None),)"
        rows = [
            chat(1, [user("block")], self.ASKED),
            tool("block", 2, {"card": "1"}, call="c1", error=("langgraph.errors.GraphInterrupt", words)),
        ]

        assert outline(rows)[-2:] == [("result", "block", "interrupted", None), ("agent", "really?")]

    def test_pending_approval_is_a_pause(self, outline) -> None:
        pending = {"error": "This tool call requires confirmation, please approve or reject."}
        rows = [chat(1, [user("block")], self.ASKED), tool("block", 2, {"card": "1"}, pending, call="c1")]

        assert outline(rows)[-1] == ("result", "block", "interrupted", pending)

    def test_exception_outweighs_status_ok(self, outline) -> None:
        """openinference#3415: the instrumentor says OK while an exception event exists (input 15)."""
        row = tool("block", 1, {}, {"status": "ok"}, error=("ValueError", "no"), status="OK")

        assert outline([row])[-1] == ("result", "block", "error", {"status": "ok"})

    def test_payload_that_speaks_of_an_error_is_passed_on_unjudged(self, outline) -> None:
        row = tool("block", 1, {}, {"status": "error", "message": "core timeout"})

        assert outline([row])[-1] == ("result", "block", "ok", {"status": "error", "message": "core timeout"})

    def test_request_that_nothing_executed_stays_a_call_without_a_result(self, outline) -> None:
        assert outline([chat(1, [user("block")], self.ASKED)]) == [
            ("customer", "block"),
            ("call", "block", {"card": "1"}),
        ]

    def test_result_of_a_call_without_a_span_comes_from_the_next_history(self, outline) -> None:
        rows = [
            chat(1, [user("block")], self.ASKED),
            chat(2, [user("block"), self.ASKED, told("c1", {"status": "ok"})], said("Blocked.")),
        ]

        assert outline(rows) == [
            ("customer", "block"),
            ("call", "block", {"card": "1"}),
            ("result", "block", "ok", {"status": "ok"}),
            ("agent", "Blocked."),
        ]

    def test_result_a_span_lost_comes_from_the_next_history(self, outline) -> None:
        rows = [
            chat(1, [user("block")], self.ASKED),
            tool("block", 2, {"card": "1"}, call="c1"),
            chat(3, [user("block"), self.ASKED, told("c1", {"status": "ok"})], said("Blocked.")),
        ]

        assert outline(rows)[2:] == [("result", "block", "ok", {"status": "ok"}), ("agent", "Blocked.")]

    def test_lost_result_is_not_guessed_where_its_id_is_used_twice(self, outline) -> None:
        rows = [
            tool("look", 1, {}, call="x"),
            tool("block", 2, {}, call="x"),
            chat(3, [user("go"), told("x", "done")], said("Fine.")),
        ]

        assert [line for line in outline(rows) if line[0] == "result"] == [
            ("result", "look", "unknown", None),
            ("result", "block", "unknown", None),
        ]

    def test_parallel_marker_span_of_adk_is_no_call(self, outline) -> None:
        merged = tool("(merged tools)", 3, call="m")
        rows = [tool("f", 1, {}, {}, call="a"), tool("g", 2, {}, {}, call="b"), merged]

        assert [line[1] for line in outline(rows) if line[0] == "call"] == ["f", "g"]

    def test_list_of_ids_names_the_call_by_its_last(self, read) -> None:
        """MS Agent Framework writes a JSON list of the run's and the call's id."""
        (run,) = read([tool("f", 1, {}, {}, call='["run_1", "call_1"]')])

        assert [event.body.call_id for event in run.events] == ["call_1", "call_1"]


class TestGaps:
    def test_content_switched_off_is_visible_and_names_the_setting(self, read) -> None:
        """ADK 2.13 records no content unless asked to (input 19)."""
        (run,) = read(
            [turn(1, gen_ai__agent__name="cards"), chat(2, None, None), tool("block", 3), chat(4, None, None)]
        )

        assert [event.body.type for event in run.events] == [
            "customer_message",
            "model_call",
            "tool_call",
            "tool_result",
            "model_call",
            "agent_message",
        ]
        customer, _, call, result, _, reply = (event.body for event in run.events)
        assert (customer.text, call.arguments, result.status, result.result, reply.text) == (
            None,
            None,
            "unknown",
            None,
            None,
        )
        setting = "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"
        assert sum(setting in gap for gap in run.gaps) == 4
        assert call.missing == f"gen_ai.tool.call.arguments is absent; {setting} to record it"
        assert result.missing == f"gen_ai.tool.call.result is absent; {setting} to record it"
        assert reply.missing == f"gen_ai.output.messages is absent; {setting} to record it"
        assert customer.missing == "the span invoke_agent cards does not carry the customer's words"

    def test_streamed_pieces_stand_before_the_whole(self, outline) -> None:
        row = chat(1, [user("hi")], None)
        pieces = [said("Fine "), said("thanks."), said("Fine thanks.")]
        row["attributes"]["gen_ai.output.messages"] = json.dumps(pieces)

        assert outline([row])[1:] == [("partial", "Fine "), ("partial", "thanks."), ("agent", "Fine thanks.")]

    def test_first_piece_alone_is_completed_from_the_next_history(self, outline) -> None:
        rows = [
            chat(1, [user("hi")], said("Fine "), trace="t1", gen_ai__conversation__id="c"),
            chat(
                9,
                [user("hi"), said("Fine thanks."), user("bye")],
                said("Bye."),
                trace="t2",
                gen_ai__conversation__id="c",
            ),
        ]

        assert outline(rows) == [
            ("customer", "hi"),
            ("partial", "Fine "),
            ("agent", "Fine thanks."),
            ("customer", "bye"),
            ("agent", "Bye."),
        ]

    def test_content_in_span_events_is_read(self, outline) -> None:
        """GenAI conventions: content may stand in gen_ai.client.inference.operation.details."""
        row = chat(1, None, None)
        details = {
            "gen_ai.input.messages": [user("hi")],
            "gen_ai.output.messages": [said("hello")],
        }
        row["span_events"] = [{"event_name": "gen_ai.client.inference.operation.details", "attributes": details}]

        assert outline([row]) == [("customer", "hi"), ("agent", "hello")]

    def test_a_recording_of_plumbing_alone_is_refused(self, read) -> None:
        with pytest.raises(UnknownShapeError, match="no span of a known agent instrumentation"):
            read([span("goto x", 1, gen_ai__operation__name="goto")])


class TestAgents:
    def test_handoff_shows_from_whom_to_whom(self, read) -> None:
        (run,) = read(
            [
                chat(1, [user("hi")], asked(("h", "transfer", {})), gen_ai__agent__name="triage"),
                tool("transfer", 2, {}, {}, call="h", gen_ai__agent__name="triage"),
                chat(3, [user("hi")], said("Here."), gen_ai__agent__name="cards"),
            ]
        )

        (handoff,) = [event for event in run.events if event.body.type == "agent_handoff"]
        (*_, invoked) = [event for event in run.events if event.body.type == "agent_invocation"]
        assert (handoff.agent_id, handoff.body.to_agent_id, handoff.body.lineage) == (
            "triage",
            "cards",
            ("triage", "cards"),
        )
        assert (invoked.agent_id, invoked.parent_agent_id) == ("cards", "triage")

    def test_agent_inside_a_tool_does_not_speak_to_the_customer(self, outline) -> None:
        rows = [
            chat(1, [user("hi")], asked(("c", "helper", {"request": "x"})), gen_ai__agent__name="main"),
            tool(
                "helper", 2, {"request": "x"}, {"result": "high"}, call="c", key="h", gen_ai__agent__name="main", end=9
            ),
            chat(3, [user("x")], said("risk is high"), parent="h", gen_ai__agent__name="helper"),
            tool("score", 4, {}, {"n": 1}, parent="h", gen_ai__agent__name="helper"),
            chat(10, [user("hi")], said("All fine."), gen_ai__agent__name="main"),
        ]

        assert outline(rows) == [
            ("customer", "hi"),
            ("works", "main", None),
            ("call", "helper", {"request": "x"}),
            ("works", "helper", "main"),
            ("call", "score", {}),
            ("result", "score", "ok", {"n": 1}),
            ("result", "helper", "ok", {"result": "high"}),
            ("agent", "All fine."),
        ]

    def test_agent_beside_the_tool_that_called_it_does_not_speak_to_the_customer(self, outline) -> None:
        """OpenAI agents as tools leave sibling spans; what they are told is not the customer's word."""
        rows = [
            chat(1, [user("price?")], said("One moment."), gen_ai__agent__name="main"),
            chat(2, [user("price of X")], said("It is 3."), gen_ai__agent__name="prices"),
            chat(3, [user("price?"), said("One moment.")], said("3, then."), gen_ai__agent__name="main"),
        ]

        spoken = [line for line in outline(rows) if line[0] in ("customer", "agent")]
        assert spoken == [("customer", "price?"), ("agent", "One moment."), ("agent", "3, then.")]

    def test_enclosing_and_enclosed_model_spans_are_one_call(self, read) -> None:
        """ADK 1.39 writes call_llm around generate_content."""
        request = json.dumps({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]})
        response = json.dumps({"content": {"role": "model", "parts": [{"text": "hello"}]}})
        (run,) = read(
            [
                span(
                    "call_llm",
                    1,
                    key="outer",
                    gcp__vertex__agent__llm_request=request,
                    gcp__vertex__agent__llm_response=response,
                ),
                span("generate_content m", 2, parent="outer", gen_ai__operation__name="generate_content"),
            ]
        )

        assert [event.body.type for event in run.events] == ["customer_message", "model_call", "agent_message"]


class TestAdk:
    def test_quoted_actions_of_another_agent_are_not_the_customers_words(self, outline) -> None:
        quoted = {
            "role": "user",
            "parts": [{"text": "For context:"}, {"text": "[triage] called tool `transfer` with parameters: {}"}],
        }
        request = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}, quoted]}
        response = {"content": {"role": "model", "parts": [{"text": "hello"}]}}
        row = span(
            "call_llm",
            1,
            gcp__vertex__agent__llm_request=json.dumps(request),
            gcp__vertex__agent__llm_response=json.dumps(response),
        )

        assert outline([row]) == [("customer", "hi"), ("agent", "hello")]

    def test_customer_who_says_for_context_is_heard(self, outline) -> None:
        row = chat(1, [user("For context: I lost my card")], said("Oh."))

        assert outline([row])[0] == ("customer", "For context: I lost my card")

    def test_ids_adk_makes_up_from_name_and_number_do_not_hide_the_execution(self, outline) -> None:
        rows = [
            chat(
                1,
                [user("hi")],
                asked(("find_cards_0", "find_cards", {"c": "1"})),
                gcp__vertex__agent__event_id="e1",
            ),
            tool("find_cards", 2, {"c": "1"}, {}, call="adk-77", gcp__vertex__agent__event_id="e2"),
        ]

        assert [line[0] for line in outline(rows)] == ["customer", "call", "result"]

    def test_session_events_fill_what_spans_leave_out(self, outline) -> None:
        def event(key: str, *parts: dict) -> dict:
            content = {"role": "model", "parts": list(parts)}
            return {"id": key, "author": "cards", "invocation_id": "i", "content": content}

        rows = [
            turn(1),
            chat(2, None, None, gcp__vertex__agent__event_id="e1"),
            tool("block", 3, call="c1", gcp__vertex__agent__event_id="e2"),
            chat(4, None, None, gcp__vertex__agent__event_id="e3"),
        ]
        events = [
            event("e1", {"function_call": {"id": "c1", "name": "block", "args": {"card": "1"}}}),
            event("e2", {"function_response": {"id": "c1", "name": "block", "response": {"status": "ok"}}}),
            event("e3", {"text": "Blocked."}),
        ]

        assert outline({"spans": rows, "adk_events": events}) == [
            ("customer", None),
            ("call", "block", {"card": "1"}),
            ("result", "block", "ok", {"status": "ok"}),
            ("agent", "Blocked."),
        ]


class TestOpenInference:
    @staticmethod
    def row(name: str, start: int, kind: str, **attributes: object) -> dict:
        return span(name, start, openinference__span__kind=kind, **attributes)

    def request(self) -> dict:
        prefix = "llm.output_messages.0.message.tool_calls.0.tool_call"
        row = self.row("Fake", 1, "LLM")
        row["attributes"] |= {
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "look",
            "llm.output_messages.0.message.role": "assistant",
            f"{prefix}.id": "c1",
            f"{prefix}.function.name": "find",
            f"{prefix}.function.arguments": '{"customer": "C1"}',
        }
        return row

    def test_bare_value_gets_its_name_from_the_request_with_the_same_value(self, outline) -> None:
        rows = [self.request(), self.row("find", 2, "TOOL", tool__name="find", input__value="C1", output__value="ok")]

        assert outline(rows)[1] == ("call", "find", {"customer": "C1"})

    def test_bare_value_without_a_request_stays_missing(self, read) -> None:
        (run,) = read([self.row("find", 2, "TOOL", tool__name="find", input__value="C1", output__value="ok")])

        assert run.events[0].body.arguments is None
        assert "one bare value without the argument's name" in run.gaps[0]


def test_langsmith_recording_shows_every_execution() -> None:
    """Made with LangGraph 1.2.24 and LangSmith's exporter: two lookups, a timeout, its retry, a resumption."""
    (run,) = read_events(RECORDINGS / "langsmith-langgraph.json")

    executions = [
        (event.body.tool, event.body.call_id, event.body.status)
        for event in run.events
        if event.body.type == "tool_result"
    ]
    assert executions == [
        ("find_cards", "c1", "ok"),
        ("find_cards", "c2", "ok"),
        ("block", "c3", "error"),
        ("block", "c3", "interrupted"),
        ("block", "c3", "ok"),
    ]
    words = [event.body.text for event in run.events if event.body.type in ("customer_message", "agent_message")]
    assert words == ["lost", "which?", "block x", "ok", "really block x", "yes", "done"]


def test_request_does_not_take_an_execution_that_a_later_model_call_asked_for(outline) -> None:
    """The first request was never executed; without ids only order tells the two apart."""
    again = {"role": "assistant", "parts": [{"type": "tool_call", "name": "block", "arguments": {"card": "1"}}]}
    rows = [
        chat(1, [user("block")], again),
        chat(2, [user("block"), again], again),
        tool("block", 3, {"card": "1"}, {"status": "ok"}),
    ]

    assert outline(rows) == [
        ("customer", "block"),
        ("call", "block", {"card": "1"}),
        ("call", "block", {"card": "1"}),
        ("result", "block", "ok", {"status": "ok"}),
    ]


def test_execution_that_follows_another_model_call_is_found_by_its_id(outline) -> None:
    """Two agents in parallel: their model calls begin before either tool runs."""
    rows = [
        chat(1, [user("go")], asked(("a", "f", {}))),
        chat(2, [user("go")], asked(("b", "g", {}))),
        tool("f", 3, {}, {"n": 1}, call="a"),
        tool("g", 4, {}, {"n": 2}, call="b"),
    ]

    assert [line[:2] for line in outline(rows)][1:] == [
        ("call", "f"),
        ("result", "f"),
        ("call", "g"),
        ("result", "g"),
    ]


def test_spans_of_other_libraries_beside_the_agents_are_counted_as_a_gap(read) -> None:
    (run,) = read([chat(1, [user("hi")], said("x")), span("SELECT", 2), span("GET /", 3)])

    assert run.gaps == ("2 spans are of no known agent instrumentation",)


class TestEarlierConventions:
    EXPECTED: ClassVar = [
        ("customer", "block it"),
        ("call", "block", {"card": "1"}),
        ("result", "block", "ok", {"status": "ok"}),
        ("agent", "Blocked."),
    ]

    def test_one_attribute_per_field(self, outline) -> None:
        """GenAI conventions 1.27, as Traceloop wrote them."""
        call = {
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.tool_calls.0.id": "c1",
            "gen_ai.completion.0.tool_calls.0.name": "block",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"card": "1"}',
        }
        first, second = chat(1, None, None), chat(5, None, None)
        asked_for = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "block it"}
        first["attributes"] |= {**asked_for, **call}
        second["attributes"] |= {
            **asked_for,
            **{key.replace("completion.0", "prompt.1"): value for key, value in call.items()},
            "gen_ai.prompt.2.role": "tool",
            "gen_ai.prompt.2.tool_call_id": "c1",
            "gen_ai.prompt.2.content": '{"status": "ok"}',
            "gen_ai.completion.0.content": "Blocked.",
            "gen_ai.completion.0.role": "assistant",
        }

        assert outline([first, second]) == self.EXPECTED

    def test_one_event_per_message(self, outline) -> None:
        """GenAI conventions 1.28 to 1.36, on the spans of a Strands agent."""

        def with_events(row: dict, *events: tuple[str, dict]) -> dict:
            return {**row, "span_events": [{"name": name, "attributes": attributes} for name, attributes in events]}

        use = json.dumps([{"toolUse": {"toolUseId": "c1", "name": "block", "input": {"card": "1"}}}])
        done = json.dumps(
            [{"toolResult": {"toolUseId": "c1", "status": "success", "content": [{"json": {"status": "ok"}}]}}]
        )
        hello = ("gen_ai.user.message", {"content": json.dumps([{"text": "block it"}])})
        rows = [
            with_events(chat(1, None, None), hello, ("gen_ai.choice", {"message": use})),
            with_events(
                tool("block", 2, call="c1"),
                ("gen_ai.tool.message", {"content": '{"card": "1"}', "id": "c1"}),
                ("gen_ai.choice", {"message": '{"status": "ok"}', "id": "c1"}),
            ),
            with_events(
                chat(3, None, None),
                hello,
                ("gen_ai.assistant.message", {"content": use}),
                ("gen_ai.tool.message", {"content": done}),
                ("gen_ai.choice", {"message": json.dumps([{"text": "Blocked."}])}),
            ),
        ]

        assert outline(rows) == self.EXPECTED

    def test_event_of_the_openai_instrumentation(self, outline) -> None:
        row = chat(1, None, None)
        message = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}
        row["span_events"] = [
            {"name": "gen_ai.user.message", "attributes": {"content": "go"}},
            {"name": "gen_ai.choice", "attributes": {"message": json.dumps(message), "index": 0}},
        ]

        assert outline([row]) == [("customer", "go"), ("call", "f", {})]


class TestTraceloop:
    ENVELOPE: ClassVar = {"input_str": "{'a': 1}", "inputs": {"a": 1}, "kwargs": {"tool_call_id": "c1"}}

    def row(self, output: object, **attributes: object) -> dict:
        row = tool("f", 1, **attributes)
        row["attributes"] |= {
            "traceloop.span.kind": "tool",
            "gen_ai.tool.call.arguments": json.dumps(self.ENVELOPE),
            "gen_ai.tool.call.result": json.dumps({"output": output, "kwargs": {"name": "f"}}),
        }
        return row

    def test_arguments_and_id_come_out_of_their_envelope(self, read) -> None:
        (run,) = read([self.row("fine")])

        call, result = (event.body for event in run.events)
        assert (call.call_id, call.arguments) == ("c1", {"a": 1})
        assert (result.call_id, result.status, result.result) == ("c1", "ok", "fine")

    def test_repr_alone_is_read_as_the_arguments(self, outline) -> None:
        row = self.row("fine")
        row["attributes"]["gen_ai.tool.call.arguments"] = json.dumps({"input_str": "{'a': None}"})

        assert outline([row])[0] == ("call", "f", {"a": None})

    def test_tool_message_inside_the_result_tells_of_an_error(self, outline) -> None:
        message = {"type": "tool", "content": "Error: no", "tool_call_id": "c1", "status": "error"}
        wrapped = {"lc": 1, "type": "constructor", "kwargs": message}

        assert outline([self.row(wrapped)])[1] == ("result", "f", "error", "Error: no")

    def test_handoff_to_the_parent_graph_is_no_failure(self, outline) -> None:
        """Traceloop reports the command that leaves a subgraph as status ERROR."""
        row = self.row("ok", error=("langgraph.errors.ParentCommand", "Command(...)"), status="ERROR")

        assert outline([row])[1][2] == "ok"


def test_what_was_said_before_the_recording_began_is_read_from_the_first_history(outline) -> None:
    before = [user("look"), asked(("c0", "look", {})), told("c0", {"cards": ["1"]}), said("Found one.")]

    assert outline([chat(1, [*before, user("block it")], said("Shall I?"))]) == [
        ("customer", "look"),
        ("call", "look", {}),
        ("result", "look", "ok", {"cards": ["1"]}),
        ("agent", "Found one."),
        ("customer", "block it"),
        ("agent", "Shall I?"),
    ]


def test_openai_response_items_are_messages(outline) -> None:
    given = [
        {"role": "user", "content": "go"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ]

    assert outline([chat(1, given, said("Done."))]) == [
        ("customer", "go"),
        ("call", "f", {}),
        ("result", "f", "ok", "ok"),
        ("agent", "Done."),
    ]
