"""Run a testcase on every framework and variant, judge it, and seal the evidence.

The harness signs the synthetic customer in itself and says so in the stream; it gives the recorders a clock of its
own, so that the same code and objects give the same events, byte for byte.
"""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Final, Protocol

from trustrail.adapters import Run
from trustrail.adapters.recording import SpanRecorder
from trustrail.demo import targets as target_files
from trustrail.demo.journey import Journey, load_journey
from trustrail.demo.script import Variant
from trustrail.engine import Repetition, Requirements, RunJudgement, repetition
from trustrail.errors import DemoError, MissingExtraError, OutputError
from trustrail.events import LOGIN_SOURCE, AgentInvocation, ConfirmationEvent, Event
from trustrail.evidence import Artifact, PackRun, PackSubject, write_pack, write_public_key
from trustrail.foundation import Clock, SigningKey
from trustrail.objects import Variant as TestcaseVariant

RECORDED_FROM: Final = 1_785_492_840.0
"""Where the recorders' clock starts: 2026-07-31T10:14:00Z, in seconds; any instant would do."""


DEMO_KEY: Final = SigningKey.derive("trustrail", "demo")
"""Signs the demo's packs. It is derived from a public word: a demo's signature shows integrity, not origin."""

PUBLIC_KEY: Final = "trustrail-demo.pub"
"""File of the public half, beside the packs."""


class Target(Protocol):
    """A framework the journey runs on: one module below ``targets/``."""

    FRAMEWORK: str
    """Name of the package that is under test."""

    def run_journey(self, journey: Journey, variant: Variant, recorder: SpanRecorder) -> None:
        """Let the scripted customer talk to the agents once, and record it."""
        ...


class TickingClock:
    """A clock that moves one millisecond each time it is read."""

    def __init__(self, start: float = RECORDED_FROM) -> None:
        self._milliseconds = round(start * 1000)

    def now(self) -> float:
        """Return seconds since 1970-01-01T00:00:00Z."""
        self._milliseconds += 1
        return self._milliseconds / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """All runs of one variant on one framework."""

    target: str
    variant: str
    pack: Path
    """Directory of the signed evidence pack."""
    judgements: tuple[RunJudgement, ...]
    repetition: Repetition
    expected_gate: str

    @property
    def as_expected(self) -> bool:
        """Whether every run agrees and the gate is the one the testcase expects."""
        return self.repetition.is_stable and self.repetition.gate.value == self.expected_gate


def run_demo(
    testcase_id: str,
    *,
    out: Path,
    clock: Clock,
    targets: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> list[DemoResult]:
    """Run every variant of a testcase on each framework, and seal one evidence pack for each.

    Args:
        testcase_id: name of the testcase.
        out: where packs and the demo's public key are kept; made when absent.
        clock: names the packs by its time; nothing else of them depends on it.
        targets: frameworks to run on; the testcase's when empty.
        progress: is told what runs now.

    Raises:
        UnknownObjectError: if the testcase, or an object it names, does not exist.
        DemoError: if a framework is not known, or an object lacks what a journey needs.
        MissingExtraError: if a framework is not installed.
        OutputError: if *out* cannot be a directory.
        PackError: if a pack of that name exists already.
    """
    journey = load_journey(testcase_id)
    chosen = {name: load_target(name) for name in targets or journey.testcase.targets}
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out} cannot hold evidence packs: {error.strerror}") from error
    write_public_key(out / PUBLIC_KEY, DEMO_KEY.public)
    created_at = clock.now()
    results = []
    for name, target in chosen.items():
        for variant in journey.testcase.variants:
            progress(f"{testcase_id} on {name}, {variant.name}: {variant.repetitions} runs")
            results.append(_run_variant(journey, name, target, variant, out, created_at))
    return results


def _run_variant(
    journey: Journey, name: str, target: Target, variant: TestcaseVariant, out: Path, created_at: float
) -> DemoResult:
    runs = [run_once(journey, name, Variant(variant.name), number + 1) for number in range(variant.repetitions)]
    subject = PackSubject(
        testcase_id=journey.testcase.testcase_id,
        testcase_version=journey.testcase.version,
        target=name,
        variant=variant.name,
        artifact=Artifact(
            name=f"{journey.pack.pack_id} demo agent",
            version=variant.name,
            framework=target.FRAMEWORK,
            framework_version=version(target.FRAMEWORK),
        ),
    )
    requirements = Requirements.expand(
        journey.pack,
        journey.policy_profile,
        evidence_profile=journey.evidence_profile,
        fixture=journey.fixture,
    )
    written = write_pack(out, subject, runs, requirements, key=DEMO_KEY, created_at=created_at)
    return DemoResult(
        target=name,
        variant=variant.name,
        pack=written.directory,
        judgements=written.judgements,
        repetition=repetition(written.judgements),
        expected_gate=variant.expected_gate,
    )


def run_once(journey: Journey, target_name: str, variant: Variant, number: int) -> PackRun:
    """Run one journey once and return its events and source spans.

    Raises:
        DemoError: if the framework is not known.
        MissingExtraError: if it is not installed.
    """
    name = f"{journey.testcase.testcase_id}-{target_name}-{variant}"
    recorder = SpanRecorder(conversation_id=f"{name}-{number:03d}", clock=TickingClock())
    load_target(target_name).run_journey(journey, variant, recorder)
    run = with_login(recorder.run(f"{name}-{number:03d}"), journey)
    return PackRun(events=run.events, spans=recorder.document())


def load_target(name: str) -> Target:
    """Return the framework called *name*; its package is imported only now.

    Raises:
        DemoError: if there is no such framework.
        MissingExtraError: if it is not installed.
    """
    known = sorted(module.name for module in pkgutil.iter_modules(target_files.__path__))
    if name not in known:
        raise DemoError(f"no demo runs on {name!r}; expected one of {', '.join(known)}")
    try:
        target: Target = importlib.import_module(f"{target_files.__name__}.{name}")
    except ImportError as error:
        raise MissingExtraError(f"the demo on {name} needs mast-simulator[{name}]; {error}") from error
    return target


def with_login(run: Run, journey: Journey) -> Run:
    """Return *run* with the harness's login of the synthetic customer as its first event."""
    fixture = journey.fixture
    first = run.events[0]
    login = Event(
        seq=0,
        test_run_id=run.test_run_id,
        conversation_id=first.conversation_id,
        turn_id="turn-0",
        source=LOGIN_SOURCE,
        provenance=f"fixture {fixture.fixture_id}",
        body=AgentInvocation(
            name="trustrail_login",
            detail={
                "customer_ref": fixture.customer.ref,
                "authentication_level": fixture.customer.authentication_level,
                "surface": fixture.login.surface,
                "execution": fixture.login.execution,
            },
        ),
    )
    return replace(run, events=(login, *(_moved(event) for event in run.events)))


def _moved(event: Event) -> Event:
    """Return *event* one place later."""
    body = event.body
    if isinstance(body, ConfirmationEvent):
        moved = {
            name: None if value is None else value + 1
            for name, value in (("proposal_seq", body.proposal_seq), ("answer_seq", body.answer_seq))
        }
        body = body.model_copy(update=moved)
    return event.model_copy(update={"seq": event.seq + 1, "body": body})
