"""Commands under isolation, with receipts that bind what was run to what was seen.

An isolation is one file beside its siblings; a verdict comes from a verifier of the host, never from an exit
code.
"""

from trailforge.runner.bubblewrap import Bubblewrap
from trailforge.runner.command import Command, Launch, Mounts
from trailforge.runner.docker import Docker
from trailforge.runner.isolation import Isolation
from trailforge.runner.process import Outcome
from trailforge.runner.process_group import ProcessGroup
from trailforge.runner.receipt import Judgement, RunReceipt, RunResult, Verifier, judge
from trailforge.runner.runner import CommandRunner
from trailforge.runner.survey import Survey, available_isolation, survey_isolations

__all__ = [
    "Bubblewrap",
    "Command",
    "CommandRunner",
    "Docker",
    "Isolation",
    "Judgement",
    "Launch",
    "Mounts",
    "Outcome",
    "ProcessGroup",
    "RunReceipt",
    "RunResult",
    "Survey",
    "Verifier",
    "available_isolation",
    "judge",
    "survey_isolations",
]
