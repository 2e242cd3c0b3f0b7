"""What reaches stdout: the result and nothing else, whole, in any encoding, and without commands to a terminal."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GOAL = (ROOT / "docs" / "trailforge" / "example_goal.yaml").read_text()
PROGRAM = "from trailforge.cli import main; main()"

ADAPTERS = """
import os
from trailforge.work import Adapter, AdapterKind

print("printed by an import", flush=True)

def work(request):
    print("printed by a callback", flush=True)
    os.system("echo printed by a program")
    {body}

ADAPTERS = [
    Adapter(name="count-words", version="1", kind=AdapterKind.RESEARCH, call=work),
    Adapter(name="judge-count", version="1", kind=AdapterKind.VERIFY, call=lambda request: {{"verdict": "PASS"}}),
]
"""


@pytest.fixture
def shell(tmp_path):
    """Run ``trailforge`` as a process of its own, in a directory with nothing but the goal and one module."""

    def run(*arguments, body='return {"words": 6}', encoding="utf-8", stdout=subprocess.PIPE, closed=False):
        (tmp_path / "goal.yaml").write_text(GOAL)
        (tmp_path / "loud.py").write_text(ADAPTERS.format(body=body), encoding="utf-8")
        python = [sys.executable, "-c", PROGRAM, *arguments]
        command = ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *python] if closed else python
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
        options = {"TRAILFORGE_ADAPTERS": "loud:ADAPTERS", "TRAILFORGE_STORE": "runs.db"}
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={**environment, **options},
            stdout=None if closed else stdout,
            stderr=subprocess.PIPE,
            check=False,
        )

    return run


@pytest.mark.parametrize("command", ["run", "crashtest"])
def test_what_host_code_prints_is_no_part_of_the_result(shell, command):
    result = shell(command, "goal.yaml", "--json")

    json.loads(result.stdout)
    for source in (b"an import", b"a callback", b"a program"):
        assert b"printed by " + source in result.stderr


def test_reason_that_holds_commands_of_a_terminal_is_shown_escaped_in_every_table(shell):
    """C0 and C1 controls, an OSC sequence, a right-to-left override and a line break."""
    body = r"raise ValueError('\x1b[2J\x1b]0;gone\x07\x9b2J\u202e\r\nCOMPLETED')"
    shown = [
        shell("run", "goal.yaml", "--run-id", "held", body=body),
        shell("status", body=body),
        shell("resolve", "held", "count", "cancel", "--by", "\x1b[2Jann", "--note", "\x07\x9b", body=body),
        shell("journal", "held", body=body),
    ]

    for result in shown:
        text = result.stdout.decode()
        assert not [each for each in text.replace("\n", "") if not each.isprintable()], text
    assert r"\x1b[2J\x1b]0;gone\x07\x9b2J\u202e\r\nCOMPLETED" in shown[1].stdout.decode()
    assert r"by=\x1b[2Jann" in shown[3].stdout.decode()


def test_json_holds_no_commands_of_a_terminal_either_and_says_the_same(shell):
    """JSON escapes U+0000 to U+001F by itself; DEL, the C1 controls and what turns the line round are as dangerous."""
    body = r"raise ValueError('\x1b[2J\x7f\x9b2J\u202e\U000e0001 é')"

    result = shell("run", "goal.yaml", "--json", body=body)

    text = result.stdout.decode()
    assert text.rstrip("\n").isprintable()
    assert json.loads(text)["hold"]["detail"] == "ValueError: \x1b[2J\x7f\x9b2J\u202e\U000e0001 é"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_stream_that_lacks_a_character_gets_it_escaped(shell, encoding):
    body = "raise ValueError('é … 雪 \U0001f600')"

    table = shell("run", "goal.yaml", body=body, encoding=encoding)
    machine = shell("status", "--json", body=body, encoding=encoding)

    assert table.returncode == 1
    assert b"Traceback" not in table.stderr + machine.stderr
    assert r"\u2026 \u96ea \U0001f600" in table.stdout.decode(encoding)
    detail = json.loads(machine.stdout.decode(encoding))[0]["hold"]["detail"]
    assert detail == "ValueError: é … 雪 \U0001f600"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_result_that_stdout_does_not_take_is_an_error_in_one_line(shell, form):
    with Path("/dev/full").open("wb") as full:
        lost = shell("run", "goal.yaml", *form, stdout=full)
    closed = shell("status", *form, closed=True)

    said = [line for line in lost.stderr.decode().splitlines() if not line.startswith("printed by")]
    assert (lost.returncode, closed.returncode) == (3, 3)
    assert said == ["trailforge: stdout cannot be written: [Errno 28] No space left on device"]
    assert closed.stderr.decode() == "trailforge: stdout is closed\n"
    assert b"COMPLETED" in shell("status").stdout
