"""SARIF 2.1.0: one result a control that did not pass, so that code hosts show it beside the recording.

References:
    https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from trustrail.controls.verdict import Verdict
from trustrail.engine.judgement import ControlJudgement
from trustrail.engine.report import JudgedFile, UnreadFile
from trustrail.objects import Control, Severity

_LEVELS: Final = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
}
"""SARIF section 3.27.10."""


UNREADABLE: Final = "recording-unreadable"
"""Id of the result that tells of a file nothing could be judged of."""


def sarif_json(
    judged: Sequence[JudgedFile], controls: Mapping[str, Control], unread: Sequence[UnreadFile] = ()
) -> dict[str, Any]:
    """Return *judged*, and what could not be read, as one SARIF log.

    Args:
        judged: the runs.
        controls: the catalog entries of the profile.
        unread: files nothing could be judged of; with any, the invocation was not successful (section 3.20.14).
    """
    results = [
        _result(entry, control)
        for entry in judged
        for control in entry.judgement.controls
        if control.verdict is not Verdict.PASS
    ]
    told = [_told(missing) for missing in unread]
    rules = [_rule(entry) for entry in controls.values()]
    if unread:
        rules.append({"id": UNREADABLE, "shortDescription": {"text": "The recording could not be read."}})
    invocation = {"executionSuccessful": not unread, "toolExecutionNotifications": told}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "trustrail", "rules": rules}},
                "invocations": [invocation],
                # Code hosts show results and no notifications, so both tell it.
                "results": [*results, *({"ruleId": UNREADABLE, "kind": "fail", **entry} for entry in told)],
            }
        ],
    }


def _told(missing: UnreadFile) -> dict[str, Any]:
    return {"level": "error", "message": {"text": missing.problem}, "locations": _locations(missing.file)}


def _rule(entry: Control) -> dict[str, Any]:
    return {
        "id": entry.control_id,
        "name": entry.control_id,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.question},
        "help": {"text": f"A PASS does not show: {entry.does_not_show}"},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }


def _result(entry: JudgedFile, control: ControlJudgement) -> dict[str, Any]:
    """Return a result; an INCONCLUSIVE one is of the kind ``review`` (section 3.27.9), whose level is ``none``."""
    failed = control.verdict is Verdict.FAIL
    return {
        "ruleId": control.control_id,
        "kind": "fail" if failed else "review",
        "level": _LEVELS[control.severity] if failed else "none",
        "message": {"text": control.reason},
        "locations": _locations(entry.file),
        "properties": {
            "test_run_id": entry.judgement.test_run_id,
            "verdict": control.verdict.value,
            "events": list(control.events),
        },
    }


def _locations(file: str) -> list[dict[str, Any]]:
    return [{"physicalLocation": {"artifactLocation": {"uri": _uri(file)}}}]


def _uri(file: str) -> str:
    """Return *file* as a URI reference (RFC 3986): absolute paths become ``file:`` URIs."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
