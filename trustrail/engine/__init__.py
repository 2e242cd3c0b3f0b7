"""Evaluation of recorded runs: controls, claim limits, gate, repetition statistics, reports for CI."""

from trustrail.engine.evidence_kinds import evidence_kinds
from trustrail.engine.gate import decide_gate
from trustrail.engine.judge import ControlRule, judge_run, write_back
from trustrail.engine.judgement import (
    CallJudgement,
    CallVerdict,
    ControlJudgement,
    Gate,
    GateOutcome,
    RunJudgement,
)
from trustrail.engine.junit import junit_xml
from trustrail.engine.report import JudgedFile, report_json
from trustrail.engine.requirements import Requirements
from trustrail.engine.sarif import sarif_json
from trustrail.engine.statistics import Interval, Repetition, repetition, wilson_interval

__all__ = [
    "CallJudgement",
    "CallVerdict",
    "ControlJudgement",
    "ControlRule",
    "Gate",
    "GateOutcome",
    "Interval",
    "JudgedFile",
    "Repetition",
    "Requirements",
    "RunJudgement",
    "decide_gate",
    "evidence_kinds",
    "judge_run",
    "junit_xml",
    "repetition",
    "report_json",
    "sarif_json",
    "wilson_interval",
    "write_back",
]
