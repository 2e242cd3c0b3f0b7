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
from trustrail.engine.report import JudgedFile
from trustrail.objects import Control, Severity

_LEVELS: Final = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
}
"""SARIF section 3.27.10."""


def sarif_json(judged: Sequence[JudgedFile], controls: Mapping[str, Control]) -> dict[str, Any]:
    """Return *judged* as one SARIF log; *controls* are the catalog entries of the profile."""
    results = [
        _result(entry, control)
        for entry in judged
        for control in entry.judgement.controls
        if control.verdict is not Verdict.PASS
    ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "trustrail", "rules": [_rule(entry) for entry in controls.values()]}},
                "results": results,
            }
        ],
    }


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
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(entry.file)}}}],
        "properties": {
            "test_run_id": entry.judgement.test_run_id,
            "verdict": control.verdict.value,
            "events": list(control.events),
        },
    }


def _uri(file: str) -> str:
    """Return *file* as a URI reference (RFC 3986): absolute paths become ``file:`` URIs."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
