"""Where output cannot go, one line says so and an exit code tells it; a report for CI is never emptier than the run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from trustrail.cli import app

ROOT = Path(__file__).parents[3]
TALK = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]

COMMANDS = {
    "check": ("check", "--pack", "card-servicing", "talk.json"),
    "check as JSON": ("check", "--pack", "card-servicing", "--json", "talk.json"),
    "events": ("events", "talk.json"),
    "events as JSON": ("events", "--json", "talk.json"),
    "adapters": ("adapters",),
    "a schema": ("objects", "schema", "control"),
    "lint": ("objects", "lint", "talk.json"),
    "help": ("check", "--help"),
}


@pytest.fixture
def place(tmp_path) -> Path:
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    return tmp_path


def shell(place: Path, redirection: str, *arguments: str) -> tuple[int, str]:
    """Run the command through a shell and return its exit code and what stands on stderr."""
    program = "import sys; from trustrail.cli import main; sys.argv[0] = 'trustrail'; main()"
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_full_stdout_is_one_line_and_bad_input(place, arguments):
    assert shell(place, "> /dev/full", *arguments) == (3, "stdout takes nothing more: No space left on device\n")


def test_a_closed_stdout_is_one_line_and_bad_input(place):
    code, err = shell(place, ">&-", *COMMANDS["events as JSON"])

    assert (code, err) == (3, "stdout is closed, so nothing can be told\n")


def test_a_reader_that_went_away_is_one_line_and_bad_input(place):
    reader, writer = os.pipe()
    os.close(reader)
    program = "from trustrail.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *COMMANDS["events as JSON"]],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (3, "stdout takes nothing more: Broken pipe\n")


def test_nothing_at_all_to_write_to_is_still_an_exit_code(place):
    assert shell(place, ">&- 2>&-", *COMMANDS["check"])[0] == 3


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("out", ["talk.json", "talk.json/packs"])
def test_a_demo_cannot_keep_its_packs_in_a_file(place, out):
    code, stdout, err = run("demo", "--out", place / out)

    assert (code, stdout) == (3, "")
    assert err.startswith(f"{place / out} cannot hold evidence packs: ")
    assert err.count("\n") == 1


def reports(place: Path, *arguments: object) -> tuple[int, ET.Element, dict]:
    junit, sarif = place / "junit.xml", place / "sarif.json"
    junit.write_text("<testsuites/>")
    sarif.write_text("{}")
    code, _, _ = run("check", "--junit", junit, "--sarif", sarif, *arguments)
    return code, ET.parse(junit).getroot(), json.loads(sarif.read_bytes())


class TestReportsOfWhatCouldNotBeRead:
    def test_hold_an_error_for_the_file(self, place):
        broken = place / "broken.json"
        broken.write_text('[{"role": "user", "cont')

        code, junit, sarif = reports(place, "--pack", "card-servicing", place / "talk.json", broken)

        assert code == 3
        [suite] = [suite for suite in junit if suite.get("name") == str(broken)]
        assert (suite.get("tests"), suite.get("errors")) == ("1", "1")
        assert "is not JSON" in suite.find("testcase/error").get("message")
        [run_] = sarif["runs"]
        [result] = [result for result in run_["results"] if result["ruleId"] == "recording-unreadable"]
        assert (result["kind"], result["level"]) == ("fail", "error")
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == broken.as_uri()
        [invocation] = run_["invocations"]
        assert invocation["executionSuccessful"] is False
        assert invocation["toolExecutionNotifications"][0]["level"] == "error"

    def test_hold_an_error_when_no_file_could_be_read(self, place):
        _, junit, sarif = reports(place, "--pack", "card-servicing", place / "gone.json")

        assert [suite.get("errors") for suite in junit] == ["1"]
        assert len(sarif["runs"][0]["results"]) == 1

    @pytest.mark.parametrize(
        "arguments", [("--pack", "card-servcing"), ("--pack", "card-servicing", "--adapter", "openai-mesages")]
    )
    def test_hold_an_error_when_nothing_could_be_begun(self, place, arguments):
        """A report that is left from an earlier, better day would be read as today's."""
        code, junit, sarif = reports(place, *arguments, place / "talk.json")

        assert code == 2
        assert "did you mean" in junit.find("testsuite/testcase/error").get("message")
        assert sarif["runs"][0]["invocations"][0]["executionSuccessful"] is False

    def test_say_that_all_went_well_when_it_did(self, place):
        _, _, sarif = reports(place, "--pack", "card-servicing", place / "talk.json")

        assert sarif["runs"][0]["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]

    def test_beside_json_name_the_file_too(self, place):
        _, out, _ = run("check", "--json", "--pack", "card-servicing", place / "gone.json")

        [unread] = json.loads(out)["unread"]
        assert unread["file"] == str(place / "gone.json")
        assert "cannot be read" in unread["problem"]
