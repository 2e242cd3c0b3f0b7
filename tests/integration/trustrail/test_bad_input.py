"""What cannot be judged is never judged: one line and an exit code, or INCONCLUSIVE with the reason."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trustrail.cli import app
from trustrail.objects import DomainPack, shipped_names

ASK = "Shall I block the card ending in 7447 because it is lost? Please confirm."
CARDS = '{"cards": [{"card_id": "CARD-001", "last4": "7447"}]}'
BLOCKED = '{"status": "BLOCKED"}'


def call(number: int, tool: str, arguments: str) -> dict:
    return {"id": f"call-{number}", "type": "function", "function": {"name": tool, "arguments": arguments}}


def asked(*calls: dict) -> dict:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def told(number: int, content: str | None) -> dict:
    return {"role": "tool", "tool_call_id": f"call-{number}", "content": content}


LOOK = call(1, "get_cards", "{}")
BLOCK = call(2, "block_card", '{"card_id": "CARD-001", "reason": "LOST"}')


def journey(*, cards: str = CARDS, blocked: str = BLOCKED) -> list[dict]:
    """The customer finds the card, agrees, and the agent acts and reports."""
    return [
        {"role": "user", "content": "I've lost my card"},
        asked(LOOK),
        told(1, cards),
        {"role": "assistant", "content": ASK},
        {"role": "user", "content": "Yes, please block it."},
        asked(BLOCK),
        told(2, blocked),
        {"role": "assistant", "content": "Your card ending in 7447 is blocked."},
    ]


def run(*arguments: object) -> tuple[int, str, str]:
    """Run the command; an error that is not expected comes through as itself."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def recording(tmp_path):
    def write(value: object, name: str = "run.json") -> Path:
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return path

    return write


def controls(path: Path, pack: str = "card-servicing") -> dict[str, tuple[str, str]]:
    """Judge *path* and return each control's verdict and reason."""
    _, out, _ = run("check", "--pack", pack, "--json", path)
    [entry] = json.loads(out)["runs"]
    return {name: (given["verdict"], given["reason"]) for name, given in entry["controls"].items()}


class TestResultsThatAreCutOff:
    def test_the_outcome_is_not_known(self, recording):
        verdict, reason = controls(recording(journey(blocked='{"status": "BLOC')))["TR-RESULT-001"]

        assert verdict == "INCONCLUSIVE"
        assert "cut off" in reason

    def test_what_was_retrieved_is_not_known(self, recording):
        verdict, reason = controls(recording(journey(cards='{"cards": [{"card_id": "CARD-001", "la')))["TR-ENTITY-001"]

        assert verdict == "INCONCLUSIVE"
        assert "a lookup's result was not recorded" in reason

    @pytest.mark.parametrize("pack", shipped_names(DomainPack))
    def test_every_shipped_pack_reads_past_it(self, recording, pack):
        for tool in ("get_reservation_details", "get_user_details", "get_order_details", "search_direct_flight"):
            asking = asked(call(1, tool, "{}"))
            path = recording([{"role": "user", "content": "hi"}, asking, told(1, '[{"flights": [{"id": "')])
            code, _, err = run("check", "--pack", pack, path)

            assert code == 1
            assert "cut off" in err


CALLS_IN_ANOTHER_FORM = {
    "an object": ({"tool_calls": BLOCK}, "tool_calls is an object, expected a list of calls"),
    "a text": ({"tool_calls": json.dumps([BLOCK])}, "tool_calls is a text, expected a list of calls"),
    "a truth value": ({"tool_calls": True}, "tool_calls is a truth value, expected a list of calls"),
    "a text as function call": ({"function_call": "block_card"}, "function_call is a text, expected an object"),
    "another name": ({"toolCalls": [BLOCK]}, "the field 'toolCalls', expected calls under 'tool_calls'"),
    "the singular": ({"tool_call": BLOCK}, "the field 'tool_call', expected calls under 'tool_calls'"),
}


class TestCallsInAnotherForm:
    @pytest.mark.parametrize(("field", "words"), CALLS_IN_ANOTHER_FORM.values(), ids=CALLS_IN_ANOTHER_FORM)
    @pytest.mark.parametrize("adapter", ["auto", "openai-messages"])
    def test_are_refused_by_name_not_dropped(self, recording, field, words, adapter):
        talk = [{"role": "user", "content": "Block it."}, {"role": "assistant", "content": "Done.", **field}]

        code, out, err = run("check", "--pack", "card-servicing", "--adapter", adapter, recording(talk))

        assert (code, out) == (3, "")
        assert err == f"run.json: messages[1]{' has ' if 'field' in words else '.'}{words}\n"

    def test_of_the_customer_are_refused(self, recording):
        talk = [{"role": "user", "content": "Block it.", "tool_calls": [BLOCK]}]

        code, _, err = run("events", "--adapter", "openai-messages", recording(talk))

        assert code == 3
        assert "has the role 'user' and calls" in err

    @pytest.mark.parametrize("role", ["system", "developer", "tool"])
    def test_of_a_role_that_calls_nothing_are_refused(self, recording, role):
        talk = [{"role": "user", "content": "hi"}, {"role": role, "content": "x", "tool_calls": [BLOCK]}]

        code, _, err = run("check", "--pack", "card-servicing", recording(talk))

        assert (code, err) == (
            3,
            f"run.json: messages[1] has the role '{role}' and calls, expected them of an assistant\n",
        )

    @pytest.mark.parametrize(
        ("message", "words"),
        [
            ({"type": "system", "tool_calls": [{"name": "block_card", "args": {}}]}, "the type 'system' and calls"),
            ({"type": "human", "tool_calls": [{"name": "block_card", "args": {}}]}, "the type 'human' and calls"),
            ({"type": "ai", "toolCalls": [{"name": "block_card"}]}, "the field 'toolCalls'"),
            ({"type": "ai", "content": {"text": "Done."}}, "content: is an object, expected text or a list of parts"),
            ({"type": "ai", "content": 5}, "content: is a number, expected text or a list of parts"),
        ],
    )
    def test_of_a_state_are_refused_too(self, recording, message, words):
        talk = [{"type": "human", "content": "Block it."}, {"content": "x", **message}]

        code, out, err = run("check", "--pack", "card-servicing", recording(talk))

        assert (code, out) == (3, "")
        assert "messages[1]" in err
        assert words in err

    def test_kept_as_the_provider_wrote_them_are_read(self, recording):
        beside = ({"tool_calls": [BLOCK]}, {"function_call": BLOCK["function"]})
        for additional in beside:
            message = {"type": "ai", "content": "", "tool_calls": [], "additional_kwargs": additional}

            _, out, _ = run("events", "--json", recording([{"type": "human", "content": "x"}, message]))

            assert [json.loads(line)["body"].get("tool") for line in out.splitlines()][-1] == "block_card"

    def test_a_field_that_holds_nothing_is_no_call(self, recording):
        talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello.", "tool_calls": None}]

        assert run("events", recording(talk))[0] == 0

    @pytest.mark.parametrize("calls", [BLOCK, "block_card", [BLOCK, "block_card"], [{"id": "1"}]])
    def test_are_refused_in_other_forms_of_recording_too(self, recording, calls):
        tau2 = {"messages": [{"role": "assistant", "content": "x", "turn_idx": 0, "tool_calls": calls}]}
        state = [{"type": "human", "content": "x"}, {"type": "ai", "content": "y", "tool_calls": calls}]
        said = json.dumps([{"role": "assistant", "content": "x", "tool_calls": calls}])
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said}
        spans = [{"trace_id": "t", "span_id": "s", "name": "chat", "start_time": 1, "attributes": attributes}]

        for value, place in ((tau2, "messages[0]"), (state, "messages[1]"), (spans, "span s")):
            code, out, err = run("check", "--pack", "card-servicing", recording(value))

            assert (code, out) == (3, "")
            assert place in err
            assert "tool_calls" in err

    @pytest.mark.parametrize(
        "part",
        [
            {"function_call": "block_card"},
            {"functionCall": {"args": {}}},
            {"function_response": "BLOCKED"},
            {"type": "tool-call", "toolName": "block_card"},
        ],
    )
    def test_are_refused_as_parts_of_a_message(self, recording, part):
        event = {"author": "agent", "invocation_id": "i", "content": {"role": "model", "parts": [part]}}

        code, out, err = run("check", "--pack", "card-servicing", recording([event]))

        assert (code, out, err.count("\n")) == (3, "", 1)


class TestResultsWithoutACall:
    def test_leave_every_statement_about_actions_open(self, recording):
        """The call of the action was lost on the way, and its result was not."""
        talk = journey()
        talk[6]["name"] = "block_card"
        del talk[5]

        given = controls(recording(talk))

        assert {name for name, (verdict, _) in given.items() if verdict == "PASS"} == {"TR-DATA-002"}
        assert "the result at seq 5 answers no recorded call" in given["TR-ACTION-001"][1]

    def test_count_beside_an_action_that_was_recorded(self, recording):
        talk = [*journey(), {"role": "tool", "tool_call_id": "call-9", "name": "block_card", "content": BLOCKED}]

        given = controls(recording(talk))

        assert given["TR-ACTION-001"][0] == "INCONCLUSIVE"
        assert "answers no recorded call" in given["TR-RETRY-001"][1]

    def test_a_second_result_of_one_call_is_no_second_call(self, recording):
        talk = journey()
        talk.insert(7, {**talk[6], "name": "block_card"})

        assert controls(recording(talk))["TR-ACTION-001"][0] == "INCONCLUSIVE"


def test_what_the_agent_showed_beside_its_words_leaves_open_what_was_shown(recording):
    """A picture of a card would show its number; nothing here looks at pictures."""
    talk = journey()
    picture = {"type": "image_url", "image_url": {"url": "card.png"}}
    talk[-1]["content"] = [{"type": "text", "text": talk[-1]["content"]}, picture]

    verdict, reason = controls(recording(talk))["TR-DATA-002"]

    assert (verdict, reason) == ("INCONCLUSIVE", "words of the agent were not recorded")
