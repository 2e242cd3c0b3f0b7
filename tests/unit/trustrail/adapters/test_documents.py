"""A recording is read whole or refused by name and place."""

import json
import os
from pathlib import Path

import pytest

from trustrail.adapters import document, read_events
from trustrail.errors import SourceError, UnknownAdapterError, UnknownShapeError

CHAT = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]

REFUSED = {
    "truncated JSON": (b'[{"role": "user", "content": "hel', "is not JSON: .*line 1"),
    "truncated last line of JSON lines": (
        b'{"type": "meta"}\n{"type": "user", "content": "a"}\n{"type": "us',
        r"recording.json:3: is not JSON",
    ),
    "repeated key": (b'[{"role": "user", "role": "tool", "content": ""}]', "repeats the key 'role'"),
    "repeated key deep inside": (
        b'{"messages": [{"role": "user", "content": {"a": 1, "a": 2}}]}',
        "repeats the key 'a'",
    ),
    "Latin-1": ('[{"role": "user", "content": "caf\xe9"}]'.encode("latin-1"), "is not UTF-8: .* at byte 33"),
    "UTF-16": (json.dumps(CHAT).encode("utf-16"), "it looks like UTF-16"),
    "empty": (b" \n", "is empty"),
    "not a number": (b'[{"role": "user", "content": NaN}]', "has the number NaN"),
    "nested too deep": (
        b'[{"role": "user", "content": ' + b"[" * 300 + b"]" * 300 + b"}]",
        "is nested deeper than 200",
    ),
    "nested beyond the parser": (b"[" * 100_000, "is nested deeper than 200|is not JSON"),
    "UTF-16 without a mark": (
        '[{"role": "user"}]'.encode("utf-16-le"),
        "looks like UTF-16 or UTF-32, convert it first",
    ),
    "UTF-32 without a mark": ('{"role": "user"}'.encode("utf-32-be"), "looks like UTF-16 or UTF-32"),
    "a number beyond all doubles": (b'[{"n": 1e999}]', "has the number 1e999, expected one that a double can hold"),
    "a number of 6000 digits": (b'[{"n": ' + b"9" * 6000 + b"}]", "has an integer of more than 4300 digits"),
    "binary": (b"\x00\x01\x02\x03", "is not JSON"),
}


@pytest.mark.parametrize(("data", "problem"), REFUSED.values(), ids=REFUSED)
def test_unreadable_file_is_refused_by_name_and_place(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "recording.json"
    path.write_bytes(data)

    with pytest.raises(SourceError, match=problem) as caught:
        read_events(path)

    assert "recording.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"absent.json: cannot be read: No such file"):
        read_events(tmp_path / "absent.json")


def test_text_beyond_the_limit_is_refused_with_both_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_TEXT_CHARS", 10)
    path = tmp_path / "long.json"
    path.write_text(json.dumps([{"role": "user", "content": "x" * 11}]))

    with pytest.raises(SourceError, match="has a text of 11 characters, expected at most 10"):
        read_events(path)


def test_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_FILE_BYTES", 10)
    path = tmp_path / "long.json"
    path.write_text(json.dumps(CHAT))

    with pytest.raises(SourceError, match=f"is {len(json.dumps(CHAT))} bytes long, expected at most 10"):
        read_events(path)


@pytest.mark.slow
def test_one_message_of_100_megabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    path.write_text(json.dumps([{"role": "user", "content": "x" * 100_000_000}]))

    with pytest.raises(SourceError, match="has a text of 100000000 characters"):
        read_events(path)


def test_byte_order_mark_is_no_problem(read) -> None:
    (run,) = read(b"\xef\xbb\xbf" + json.dumps(CHAT).encode())

    assert [event.body.text for event in run.events] == ["hello", "hi"]


def test_lone_surrogate_becomes_the_replacement_character(read) -> None:
    """Half of a surrogate pair is no character (Unicode 3.9), and no event could carry it."""
    (run,) = read(b'[{"role": "user", "content": "a\\ud800b"}, {"role": "assistant", "content": "\\ud83d\\ude00"}]')

    assert [event.body.text for event in run.events] == ["a�b", "😀"]


def test_unknown_shape_is_described_and_not_half_read(read) -> None:
    with pytest.raises(UnknownShapeError, match="a list whose first record has answer, question"):
        read([{"question": "?", "answer": "!"}])


def test_one_unknown_message_refuses_the_whole_conversation(read) -> None:
    with pytest.raises(UnknownShapeError, match=r"messages\[2\] has the role 'robot', expected one of assistant"):
        read([*CHAT, {"role": "robot", "content": "?"}], "openai-messages")


def test_unknown_adapter_names_the_nearest(read) -> None:
    with pytest.raises(UnknownAdapterError, match="no adapter is called 'otpl'; did you mean 'otlp'"):
        read(CHAT, "otpl")


def test_run_is_named_after_its_file_and_numbered_where_there_are_several(read) -> None:
    (one,) = read(CHAT, name="evening.json")
    two = read([{"messages": CHAT}, {"messages": CHAT}], name="night.json")

    assert one.test_run_id == "evening"
    assert [run.test_run_id for run in two] == ["night-1", "night-2"]


def test_a_pipe_nobody_writes_to_is_empty_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe.json"
    os.mkfifo(path)

    with pytest.raises(SourceError, match=r"pipe\.json: is empty"):
        read_events(path)


def test_a_pipe_somebody_wrote_to_is_read() -> None:
    """As a shell hands one over in ``trustrail events <(producer)``."""
    reading, writing = os.pipe()
    os.write(writing, b'[{"role": "user", "content": "hi"}]')
    os.close(writing)

    (run,) = read_events(f"/dev/fd/{reading}")

    os.close(reading)
    assert run.events[0].body.text == "hi"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device without an end")
def test_a_device_without_an_end_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_FILE_BYTES", 1000)

    with pytest.raises(SourceError, match="is longer than 1000 bytes"):
        read_events("/dev/zero")


def test_a_name_no_file_can_have_is_refused() -> None:
    with pytest.raises(SourceError, match="is no path"):
        read_events("a\0b.json")
