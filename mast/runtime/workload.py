"""The workload: who is asked to do what, and when. It knows reports, never states.

Seed, forward, act, in the order of the scenario, one instruction after another: the next is given when the one
before is reported finished. Injections come at their tick, whatever else is going on. When a corrected fact becomes
known, repair follows: recovery where the issuer offers a confirmed revision, publication along the routes where it
states a new root.
"""

from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from mast.ids import ClaimName, OrganizationName, TaskName
from mast.organizations.messages import Act, Instruction, Provide, Recover, Report, Republish, Revise
from mast.scenario.world import Revision, Route, TaskSpec, World


class Instruct(Struct, frozen=True, gc=False):
    """Give an organization an instruction, or (without one) wake the workload, in some ticks."""

    organization: OrganizationName | None
    instruction: Instruction | None
    delay: int = 0


class Workload:
    """The script of one run, extended by what repair needs."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._script: deque[tuple[int, OrganizationName, Instruction]] = deque(_script(world))
        self._awaited: str | None = None
        self._started = False
        self._revisions = {f"revision/{index}": revision for index, revision in enumerate(world.revisions)}
        self._renewed: set[tuple[OrganizationName, ClaimName]] = set()
        self._republishing: dict[str, Republish] = {}
        self._retry: tuple[str, list[TaskSpec]] | None = None

    def step(self, report: Report | None, now: int) -> list[Instruct]:
        """Take a report (None: time passed) and return what to give next."""
        given: list[Instruct] = []
        if not self._started:
            self._started = True
            given += [
                Instruct(injection.organization, injection.instruction, injection.at - now)
                for injection in self._world.injections
            ]
        if report is not None:
            if report.stage != self._awaited:
                return given
            self._finished(report, now)
        elif self._awaited is not None:
            return given
        return given + self._next(now)

    def _next(self, now: int) -> list[Instruct]:
        if not self._script:
            return []
        due, organization, instruction = self._script[0]
        if due > now:
            return [Instruct(None, None, due - now)]
        self._script.popleft()
        self._awaited = instruction.stage
        return [Instruct(organization, instruction)]

    def _finished(self, report: Report, now: int) -> None:
        self._awaited = None
        revision = self._revisions.get(report.stage)
        if revision is not None and report.result == "offered":
            self._plan_recovery(report, revision, now)
        elif revision is not None and report.result == "published":
            self._plan_republication(revision, now)
        elif report.result == "recovered":
            # The organization goes on to the action by itself and reports that next.
            self._awaited = report.stage.replace("recover/", "repaired/", 1)
        elif report.stage in self._republishing:
            self._note_renewed(self._republishing.pop(report.stage), report)
        if self._retry is not None and not self._republishing:
            self._plan_retries(now)

    def _plan_recovery(self, report: Report, revision: Revision, now: int) -> None:
        items = [
            (now, task.owner, Recover(stage=f"recover/{task.name}", offers=report.offers, act=_act(task, "repaired")))
            for task in self._dependent(revision.claim)
        ]
        self._script.extendleft(reversed(items))

    def _plan_republication(self, revision: Revision, now: int) -> None:
        items: list[tuple[int, OrganizationName, Instruction]] = []
        for index, route in enumerate(self._world.routes):
            stage = f"republish/{revision.claim}/{index}"
            instruction = Republish(
                stage=stage,
                statements=tuple(self._world.claims[claim].statement for claim in route.claims),
                recipient=route.recipient,
            )
            self._republishing[stage] = instruction
            items.append((now, route.sender, instruction))
        self._retry = (revision.claim, self._dependent(revision.claim))
        self._script.extendleft(reversed(items))

    def _note_renewed(self, instruction: Republish, report: Report) -> None:
        if report.result in ("accepted", "sent"):
            self._renewed |= {(instruction.recipient, statement.name) for statement in instruction.statements}

    def _plan_retries(self, now: int) -> None:
        assert self._retry is not None
        _, tasks = self._retry
        self._retry = None
        items = [
            (now, task.owner, _act(task, "repaired"))
            for task in tasks
            if any((task.owner, claim) in self._renewed for claim in task.claims)
        ]
        self._script.extendleft(reversed(items))

    def _dependent(self, claim: ClaimName) -> list[TaskSpec]:
        """Return the tasks that act on something derived from *claim*."""
        below = {claim}
        for name, spec in self._world.claims.items():
            if below.intersection(spec.statement.parents):
                below.add(name)
        return [task for task in self._world.tasks if below.intersection(task.claims)]


def _script(world: World) -> Iterator[tuple[int, OrganizationName, Instruction]]:
    schedule = world.schedule
    for index, route in enumerate(world.routes):
        yield schedule.seed, route.sender, _provide(world, index, route)
    for organization, provide in world.extra_seeds:
        yield schedule.seed, organization, provide
    if schedule.forward is not None:
        for index, route in enumerate(world.routes):
            if route.forwarded:
                for claim in route.claims:
                    yield schedule.forward, route.sender, _forward(world, index, route, claim)
    for task in world.tasks:
        yield schedule.act, task.owner, _act(task, "initial")
    for index, revision in enumerate(world.revisions):
        issuer = world.claims[revision.claim].issuer
        yield (
            revision.at,
            issuer,
            Revise(stage=f"revision/{index}", claim=revision.claim, value=revision.value),
        )


def _provide(world: World, index: int, route: Route) -> Provide:
    specs = [world.claims[claim] for claim in route.claims]
    return Provide(
        stage=f"seed/{index}",
        statements=tuple(spec.statement for spec in specs if spec.issuer == route.sender),
        claims=route.claims,
        recipient=route.recipient,
    )


def _forward(world: World, index: int, route: Route, claim: ClaimName) -> Act:
    return Act(
        stage=f"forward/{index}/{claim}",
        phase="forward",
        operation="forward",
        claims=(claim,),
        recipient=route.recipient,
        order=world.claims[claim].order,
    )


def _act(task: TaskSpec, phase: str) -> Act:
    prefix = "task" if phase == "initial" else phase
    return Act(
        stage=f"{prefix}/{task.name}",
        phase=phase,
        operation=task.operation,
        claims=task.claims,
        task=TaskName(task.name),
        order=task.order,
    )
