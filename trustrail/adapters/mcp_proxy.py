"""A recording proxy between an MCP client and a server over stdio.

    python -m trustrail.adapters.mcp_proxy --record run.jsonl -- server-command argument …

Messages pass through byte for byte, in both directions; each is on disk before it is passed on, so that a call
whose effect happened is never missing from the record. The ``mcp-stdio`` adapter reads the record. MCP over stdio
is one JSON-RPC message a line (Model Context Protocol 2025-06-18, "Transports").
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

from trustrail.adapters.document import MAX_FILE_BYTES

TO_SERVER: Final = "to-server"
TO_CLIENT: Final = "to-client"


class Record:
    """The record on disk, one line a message."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def note(self, direction: str, line: bytes) -> None:
        """Write one message and make sure it is on disk."""
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        try:
            entry: dict[str, object] = {"direction": direction, "message": json.loads(text)}
        except ValueError:
            entry = {"direction": direction, "unreadable": text}
        self._stream.write(json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())


async def run_proxy(command: Sequence[str], record: Record) -> int:
    """Start the server, pass messages through until the client or the server is done, and return its exit code."""
    server = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=MAX_FILE_BYTES
    )
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("the server was started without pipes")
    client = asyncio.StreamReader(limit=MAX_FILE_BYTES)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(client), sys.stdin)
    upward = asyncio.create_task(_pass_to_server(client, server.stdin, record))
    try:
        await _pass_to_client(server.stdout, record)
        return await server.wait()
    finally:
        upward.cancel()
        if server.returncode is None:
            server.send_signal(signal.SIGTERM)
            await server.wait()


async def _pass_to_server(client: asyncio.StreamReader, server: asyncio.StreamWriter, record: Record) -> None:
    with contextlib.suppress(ConnectionError):  # the server is gone; its exit code tells
        while line := await client.readline():
            record.note(TO_SERVER, line)
            server.write(line)
            await server.drain()
    server.close()


async def _pass_to_client(server: asyncio.StreamReader, record: Record) -> None:
    while line := await server.readline():
        record.note(TO_CLIENT, line)
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the proxy from the command line and return the server's exit code."""
    parser = argparse.ArgumentParser(prog="trustrail.adapters.mcp_proxy", description="Record an MCP server.")
    parser.add_argument("--record", type=Path, required=True, help="file to append the record to")
    parser.add_argument("command", nargs="+", help="the server's command, after --")
    given = parser.parse_args(arguments)
    try:
        with given.record.open("ab") as stream:
            return asyncio.run(run_proxy(given.command, Record(stream)))
    except OSError as error:
        parser.exit(2, f"{parser.prog}: {error.filename or given.command[0]}: {error.strerror}\n")


if __name__ == "__main__":
    sys.exit(main())
