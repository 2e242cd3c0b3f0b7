"""Chat-shaped recordings: OpenAI messages, tau2, the booking agent, plain transcripts, LangChain messages."""

import json
from typing import ClassVar

import pytest

from trustrail.adapters import message_index
from trustrail.errors import UnknownShapeError


def call(name: str, arguments: object, key: str | None = None) -> dict:
    made = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {**made, "id": key} if key else made


def assistant(*calls: dict, content: str | None = None) -> dict:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


class TestOpenAiMessages:
    ARGUMENTS: ClassVar = {
        "JSON": ('{"a": 1}', {"a": 1}),
        "a Python dict's repr": ("{'a': None, 'b': ['x']}", {"a": None, "b": ["x"]}),
        "an object": ({"a": 1}, {"a": 1}),
        "an empty object": ("{}", {}),
        "truncated JSON": ('{"a": ', None),
        "JSON with a repeated key": ('{"a": 1, "a": 2}', None),
        "a repr with a repeated key": ("{'a': 1, 'a': 2}", None),
        "a call in disguise": ("__import__('os').getcwd()", None),
        "a list": ("[1]", None),
        "a repr with a set, which has no order": ("{'a': {'x', 'y'}}", None),
        "a repr with bytes": ("{'a': b'x'}", None),
        "nothing": (None, None),
        "an integer JSON readers round": ('{"id": 9007199254740993}', {"id": "9007199254740993"}),
    }

    @pytest.mark.parametrize(("written", "expected"), ARGUMENTS.values(), ids=ARGUMENTS)
    def test_arguments_are_read_exactly_or_are_missing(self, read, written, expected) -> None:
        (run,) = read([{"role": "user", "content": "x"}, assistant(call("f", written))])

        assert run.events[1].body.arguments == expected
        assert bool(run.gaps) == (expected is None)

    def test_text_stands_before_the_calls_of_the_same_message(self, outline) -> None:
        recording = [
            {"role": "user", "content": "go"},
            assistant(call("f", "{}"), call("g", "{}"), content="Confirm? yes/no"),
        ]

        assert outline(recording) == [
            ("customer", "go"),
            ("agent", "Confirm? yes/no"),
            ("call", "f", {}),
            ("call", "g", {}),
        ]

    def test_reused_call_ids_are_passed_on_in_order(self, read) -> None:
        """49 airline runs reuse an id for a different call; only order tells which result is whose."""
        (run,) = read(
            [
                {"role": "user", "content": "go"},
                assistant(call("look", "{}", key="x")),
                {"role": "tool", "tool_call_id": "x", "name": "look", "content": "ok"},
                assistant(call("change", "{}", key="x")),
                {"role": "tool", "tool_call_id": "x", "name": "change", "content": "Error: no"},
            ]
        )

        seen = [(event.body.type, event.body.call_id, event.body.tool) for event in run.events[1:]]
        assert seen == [
            ("tool_call", "x", "look"),
            ("tool_result", "x", "look"),
            ("tool_call", "x", "change"),
            ("tool_result", "x", "change"),
        ]
        assert [event.body.status for event in run.events if event.body.type == "tool_result"] == ["ok", "error"]

    def test_calls_of_one_message_share_their_model_turn(self, read) -> None:
        (run,) = read(
            [{"role": "user", "content": "go"}, assistant(call("f", "{}"), call("g", "{}")), assistant(call("h", "{}"))]
        )

        turns = [event.body.model_turn for event in run.events[1:]]
        assert turns[0] == turns[1] != turns[2]

    RESULTS: ClassVar = {
        "JSON object": ('{"id": "#W1"}', {"id": "#W1"}),
        "digits stay a text": ("9523456873", "9523456873"),
        "plain text": ("Transfer successful", "Transfer successful"),
        "broken JSON stays a text": ('{"id": ', '{"id": '),
        "a variable's echo": ('# var_4 = "Error: not found"', "Error: not found"),
        "a number sign is no echo": ("# W123", "# W123"),
    }

    @pytest.mark.parametrize(("written", "expected"), RESULTS.values(), ids=RESULTS)
    def test_results_keep_what_the_tool_said(self, read, written, expected) -> None:
        (run,) = read([assistant(call("f", "{}")), {"role": "tool", "content": written}])

        assert run.events[-1].body.result == expected

    def test_message_index_is_the_place_in_the_recorded_list(self, read) -> None:
        (run,) = read(
            [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}, assistant(call("f", "{}"))]
        )

        assert [message_index(event) for event in run.events] == [1, 2]

    def test_image_parts_are_left_out_and_said_so(self, read) -> None:
        content = [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
        (run,) = read([{"role": "user", "content": content}])

        assert run.events[0].body.text == "see"
        assert run.gaps == ("messages[0].content[1] is a part of type image_url and was left out",)

    @pytest.mark.parametrize("kind", ["tool_use", "tool_result", "thinking"])
    def test_parts_of_another_api_are_refused_and_not_left_out(self, read, kind: str) -> None:
        """A call hidden in a part that is passed over would be a call nobody judges."""
        content = [{"type": "text", "text": "Done."}, {"type": kind, "id": "t1", "name": "block", "input": {}}]

        with pytest.raises(UnknownShapeError, match=rf"messages\[0\].content\[1\] is a part of type '{kind}'"):
            read([{"role": "assistant", "content": content}])

    def test_call_in_the_form_before_tool_calls_is_read(self, outline) -> None:
        recording = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}},
            {"role": "function", "name": "f", "content": "ok"},
        ]

        assert outline(recording) == [("customer", "go"), ("call", "f", {"a": 1}), ("result", "f", "ok", "ok")]

    def test_call_without_a_name_is_refused(self, read) -> None:
        with pytest.raises(UnknownShapeError, match=r"messages\[0\].tool_calls\[0\] has no function with a name"):
            read([{"role": "assistant", "tool_calls": [{"function": {}}]}])

    def test_arguments_nested_beyond_an_events_depth_become_their_json(self, read) -> None:
        """Canonical JSON nests at most 64 deep; what lies deeper is kept as a text."""
        deep: object = "end"
        for _ in range(50):
            deep = {"in": deep}
        (run,) = read([assistant(call("f", json.dumps({"a": deep})))])

        found = run.events[0].body.arguments
        while isinstance(found, dict):
            found = next(iter(found.values()))
        assert found.startswith('{"in": ')
        assert found.endswith('"end"' + "}" * found.count("{"))

    def test_refusal_is_what_the_agent_said(self, outline) -> None:
        apart = {"role": "assistant", "content": None, "refusal": "I cannot do that."}
        inside = {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}

        assert outline([apart, inside]) == [("agent", "I cannot do that."), ("agent", "No.")]

    def test_reply_without_words_or_calls_is_visible_as_missing(self, outline) -> None:
        assert outline([{"role": "assistant", "content": None}]) == [("agent", None)]


class TestTau2:
    SIMULATION: ClassVar = {
        "id": "sim-1",
        "messages": [
            {"role": "assistant", "content": "Hi!", "turn_idx": 0, "raw_data": None},
            {"role": "user", "content": "cancel", "turn_idx": 1},
            {
                "role": "assistant",
                "content": None,
                "turn_idx": 2,
                "cost": 0.5,
                "raw_data": {"model": "gpt"},
                "tool_calls": [{"id": "c1", "name": "cancel", "arguments": {"id": "R1"}, "requestor": "assistant"}],
            },
            {"role": "tool", "id": "c1", "content": "no such reservation", "error": True, "turn_idx": 3},
        ],
    }

    def test_error_flag_makes_an_error_whatever_the_words(self, outline) -> None:
        assert outline(self.SIMULATION) == [
            ("agent", "Hi!"),
            ("customer", "cancel"),
            ("call", "cancel", {"id": "R1"}),
            ("result", None, "error", "no such reservation"),
        ]

    def test_model_call_carries_model_and_cost(self, read) -> None:
        (run,) = read(self.SIMULATION)

        asked = [event.body for event in run.events if event.body.type == "model_call"]
        assert [(body.model, body.cost) for body in asked] == [("gpt", 0.5)]

    def test_results_file_gives_one_run_per_simulation(self, read) -> None:
        runs = read({"simulations": [self.SIMULATION, self.SIMULATION]})

        assert [len(run.events) for run in runs] == [5, 5]

    def test_calls_of_the_customers_own_device_are_not_the_agents(self, read) -> None:
        own = {"id": "u1", "name": "toggle", "arguments": {}, "requestor": "user"}
        messages = [
            {"role": "user", "content": None, "tool_calls": [own], "turn_idx": 0},
            {"role": "tool", "id": "u1", "content": "on", "requestor": "user", "turn_idx": 1},
        ]
        (run,) = read({"messages": messages})

        assert run.events == ()
        assert run.gaps == ("messages[0]: 1 calls on the customer's own device were left out",)


class TestBooking:
    LINES: ClassVar = [
        {"type": "meta", "task_id": "x"},
        {"type": "user", "content": "book"},
        {"type": "agent_tool_call", "name": "book_flight", "args": {"flight_id": "AA101"}},
        {"type": "monitor", "verdict": "Ok"},
        {"type": "tool_result", "name": "book_flight", "content": "Reserved"},
        {"type": "agent_text", "content": "done"},
        {"type": "outcome", "outcome": "ok"},
    ]

    @staticmethod
    def lines(records: list[dict]) -> bytes:
        return "".join(json.dumps(record) + "\n" for record in records).encode()

    def test_judgements_of_others_give_no_event(self, outline) -> None:
        assert outline(self.lines(self.LINES)) == [
            ("customer", "book"),
            ("call", "book_flight", {"flight_id": "AA101"}),
            ("result", "book_flight", "ok", "Reserved"),
            ("agent", "done"),
        ]

    def test_unknown_line_is_refused_by_number(self, read) -> None:
        with pytest.raises(UnknownShapeError, match=r"lines\[7\] has the type 'surprise'"):
            read(self.lines([*self.LINES, {"type": "surprise"}]), "langchain-booking")


class TestTranscripts:
    def test_lost_calls_stay_visible_as_missing(self, outline) -> None:
        text = 'user: hello\nassistant: None\ntool: {"id": 1}\nassistant: Done.\n\nAnything else?\nuser: no'

        assert outline({"messages_display": text}) == [
            ("customer", "hello"),
            ("agent", None),
            ("result", None, "ok", {"id": 1}),
            ("agent", "Done.\n\nAnything else?"),
            ("customer", "no"),
        ]

    def test_two_transcripts_are_two_runs(self, read) -> None:
        assert len(read([{"messages_display": "user: a"}, {"messages_display": "user: b"}])) == 2


class TestLangChainMessages:
    def test_state_without_spans_is_read_from_its_messages(self, outline) -> None:
        messages = [
            {"type": "human", "content": "block it"},
            {"type": "ai", "content": "", "tool_calls": [{"name": "block", "args": {"id": "1"}, "id": "c1"}]},
            {"type": "tool", "content": "Error: no", "name": "block", "tool_call_id": "c1", "status": "error"},
            {"type": "ai", "content": "It failed.", "tool_calls": []},
        ]

        assert outline({"spans": [], "messages": messages}) == [
            ("customer", "block it"),
            ("call", "block", {"id": "1"}),
            ("result", "block", "error", "Error: no"),
            ("agent", "It failed."),
        ]


class TestAdkSession:
    @staticmethod
    def event(key: str, author: str, *parts: dict, **more: object) -> dict:
        role = "user" if author == "user" else "model"
        return {
            "id": key,
            "author": author,
            "invocation_id": "i1",
            "content": {"role": role, "parts": list(parts)},
            **more,
        }

    def test_partials_repeat_one_id_and_precede_the_final(self, outline) -> None:
        events = [
            self.event("1", "user", {"text": "hi"}),
            self.event("2", "cards", {"text": "Fine "}, partial=True),
            self.event("2", "cards", {"text": "Fine thanks"}, partial=False),
        ]

        assert outline(events) == [
            ("customer", "hi"),
            ("works", "cards", None),
            ("partial", "Fine "),
            ("agent", "Fine thanks"),
        ]

    @pytest.mark.parametrize("confirmed", [True, False])
    def test_answer_to_an_approval_request_is_a_confirmation_for_that_call(self, outline, confirmed) -> None:
        original = {"id": "call_1", "name": "block", "args": {"card": "1"}}
        pending = {"error": "This tool call requires confirmation, please approve or reject."}
        events = [
            self.event("1", "user", {"text": "block it"}),
            self.event("2", "cards", {"function_call": original}),
            self.event(
                "3",
                "cards",
                {
                    "function_call": {
                        "id": "a1",
                        "name": "adk_request_confirmation",
                        "args": {"originalFunctionCall": original},
                    }
                },
            ),
            self.event("4", "cards", {"function_response": {"id": "call_1", "name": "block", "response": pending}}),
            self.event(
                "5",
                "user",
                {
                    "function_response": {
                        "id": "a1",
                        "name": "adk_request_confirmation",
                        "response": {"confirmed": confirmed},
                    }
                },
            ),
        ]

        assert outline(events) == [
            ("customer", "block it"),
            ("works", "cards", None),
            ("call", "block", {"card": "1"}),
            ("result", "block", "interrupted", pending),
            ("customer", None),
            ("confirmation", confirmed, "call_1"),
        ]

    def test_turn_without_the_customers_message_shows_that_it_is_missing(self, read) -> None:
        (run,) = read([self.event("1", "cards", {"text": "Blocked."})])

        assert run.events[0].body.type == "customer_message"
        assert run.events[0].body.text is None
        assert "hold no message of the customer" in run.gaps[0]

    def test_handoff_between_authors_is_shown(self, outline) -> None:
        events = [
            self.event("1", "user", {"text": "hi"}),
            self.event("2", "triage", {"text": "One moment."}),
            self.event("3", "cards", {"text": "Here."}),
        ]

        assert outline(events)[3:5] == [("handoff", "cards"), ("works", "cards", "triage")]


class TestMcpRecord:
    @staticmethod
    def lines(*records: tuple[str, dict]) -> bytes:
        rows = [{"direction": direction, "message": {"jsonrpc": "2.0", **message}} for direction, message in records]
        return "".join(json.dumps(row) + "\n" for row in rows).encode()

    def test_calls_are_paired_with_their_answers_by_request_id(self, outline) -> None:
        recording = self.lines(
            ("to-server", {"id": 1, "method": "tools/call", "params": {"name": "f", "arguments": {"a": 1}}}),
            ("to-server", {"id": 2, "method": "tools/call", "params": {"name": "g"}}),
            ("to-client", {"id": 2, "error": {"code": -32602, "message": "unknown tool"}}),
            ("to-client", {"id": 1, "result": {"content": [{"type": "text", "text": "no"}], "isError": True}}),
        )

        assert outline(recording) == [
            ("call", "f", {"a": 1}),
            ("call", "g", {}),
            ("result", "g", "error", {"code": -32602, "message": "unknown tool"}),
            ("result", "f", "error", "no"),
        ]

    def test_answer_that_is_no_object_stays_unknown(self, outline) -> None:
        recording = self.lines(
            ("to-server", {"id": 1, "method": "tools/call", "params": {"name": "f"}}),
            ("to-client", {"id": 1, "result": None}),
        )

        assert outline(recording)[1] == ("result", "f", "unknown", None)

    def test_call_of_no_tool_is_refused(self, read) -> None:
        with pytest.raises(UnknownShapeError, match=r"lines\[0\] calls a tool without a name"):
            read(self.lines(("to-server", {"id": 1, "method": "tools/call", "params": {}})), "mcp-stdio")
