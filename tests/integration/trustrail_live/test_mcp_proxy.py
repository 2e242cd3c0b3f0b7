"""The recording proxy between a real MCP client and a real MCP server, over stdio."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

from mcp import ClientSession, StdioServerParameters, stdio_client

from trustrail.adapters import read_events

SERVER = Path(__file__).with_name("card_server.py")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def proxy(record: Path, *command: str) -> list[str]:
    return ["-m", "trustrail.adapters.mcp_proxy", "--record", str(record), "--", *command]


def call_tools(record: Path, log: Path) -> list[Any]:
    """Call two tools through the proxy and return what the client got."""

    async def talk() -> list[Any]:
        parameters = StdioServerParameters(command=sys.executable, args=proxy(record, sys.executable, str(SERVER)))
        with log.open("w") as errors:
            async with (
                stdio_client(parameters, errlog=errors) as (incoming, outgoing),
                ClientSession(incoming, outgoing) as session,
            ):
                await session.initialize()
                found = await session.call_tool("get_cards", {"customer_ref": "C1"})
                refused = await session.call_tool("block_card", {"card_id": "CARD-009"})
                return [found, refused]

    return asyncio.run(talk())


def test_client_gets_the_servers_answers_and_the_record_every_execution(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"

    found, refused = call_tools(record, tmp_path / "server.log")

    cards = {"cards": [{"card_id": "CARD-001", "owner": "C1"}]}
    assert (found.structured_content, refused.is_error) == (cards, True)
    (run,) = read_events(record)
    assert run.adapter == "mcp-stdio"
    calls = [(event.body.tool, event.body.arguments) for event in run.events if event.body.type == "tool_call"]
    results = [(event.body.status, event.body.result) for event in run.events if event.body.type == "tool_result"]
    assert calls == [("get_cards", {"customer_ref": "C1"}), ("block_card", {"card_id": "CARD-009"})]
    assert results[0] == ("ok", cards)
    assert results[1][0] == "error"


def test_bytes_pass_through_unchanged_and_the_exit_code_is_the_servers(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    server = "import sys; [sys.stdout.write(line) for line in sys.stdin]; sys.exit(7)"
    sent = '{"id": 1,   "method": "ping"}\nnot JSON at all\n'

    done = subprocess.run(
        [sys.executable, *proxy(record, sys.executable, "-c", server)],
        input=sent,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (done.stdout, done.returncode) == (sent, 7)
    assert len(record.read_text().splitlines()) == 4
    (run,) = read_events(record)
    assert "lines[1] was no JSON" in run.gaps


def test_server_that_cannot_be_started_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *proxy(tmp_path / "record.jsonl", "no-such-server")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 2
    assert done.stderr.strip().endswith("no-such-server: No such file or directory")
    assert "Traceback" not in done.stderr
