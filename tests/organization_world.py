"""Organizations and a postman, without any runtime: steps are taken one by one and every effect is kept.

The views are those of `tests.protocol_world`. Parcels arrive at once unless the story holds or loses them.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from mast.ids import ClaimName, OrganizationName, TaskName
from mast.organizations import records
from mast.organizations.agents import Agent
from mast.organizations.agents.always_proceed import AlwaysProceed
from mast.organizations.messages import (
    Act,
    Consult,
    Message,
    Parcel,
    Provide,
    Question,
    Record,
    Report,
    Send,
    Statement,
    WakeAfter,
)
from mast.organizations.signed import SIGNED
from mast.organizations.state import Settings, SignedState
from mast.protocol.mechanisms import LAYERS, Mechanisms
from tests.protocol_world import MEMBERS, ProtocolWorld, amount

AUTHORIZATION = {
    "approved": True,
    "currency": "CNY",
    "maximum_cents": 20_000,
    "operation": "approve_invoice",
    "order": "A",
}


class Organizations:
    """The five organizations as states, what they have recorded and reported, and what they wait for."""

    def __init__(self, mechanisms: Mechanisms | str = "L4", **settings: Any) -> None:
        self.world = ProtocolWorld()
        found = LAYERS[mechanisms] if isinstance(mechanisms, str) else mechanisms
        self.states = {name: self._state(name, found, settings) for name in MEMBERS}
        self.agents: dict[str, Agent] = {name: AlwaysProceed() for name in MEMBERS}
        self.records: list[tuple[str, Record]] = []
        self.reports: list[tuple[str, Report]] = []
        self.wakes: list[tuple[str, WakeAfter]] = []
        self.sent: list[Parcel] = []
        self.questions: list[Question] = []
        self.now = 0
        self.carries: Callable[[Parcel], bool] = lambda parcel: True
        """Whether a parcel arrives; the story replaces it."""

    def _state(self, name: str, mechanisms: Mechanisms, settings: dict[str, Any]) -> SignedState:
        everybody = {
            "name": OrganizationName(name),
            "mechanisms": mechanisms,
            "losses": {"forward": 1, "approve_invoice": 100},
            "fact_authority": OrganizationName("buyer"),
            "registry": self.world.registry if name == "buyer" else {},
            "everyone": tuple(OrganizationName(member) for member in MEMBERS),
            "serves": frozenset({"receiver"}),
        }
        return SignedState(settings=Settings(**{**everybody, **settings}), view=self.world[name])

    def tell(self, name: str, message: Message) -> None:
        """Let *name* handle *message*, and everybody whatever follows from it without delay."""
        waiting = deque([(name, message)])
        while waiting:
            to, current = waiting.popleft()
            _, effects = SIGNED.step(self.states[to], current, self.now)
            for effect in effects:
                if isinstance(effect, Send):
                    self.sent.append(effect.parcel)
                    if self.carries(effect.parcel):
                        waiting.append((effect.parcel.recipient, effect.parcel))
                elif isinstance(effect, Consult):
                    self.questions.append(effect.question)
                    waiting.appendleft((to, self.agents[to].decide(effect.question)))
                elif isinstance(effect, Record):
                    self.records.append((to, effect))
                elif isinstance(effect, Report):
                    self.reports.append((to, effect))
                else:
                    self.wakes.append((to, effect))

    def provide(self, sender: str, recipient: str, *names: str, predicate: str = "total_charge", value: Any = None,
                parents: tuple[str, ...] = ()) -> None:  # fmt: skip
        """Let *sender* issue claims and hand them to *recipient*."""
        statements = tuple(
            Statement(
                name=ClaimName(name),
                parents=tuple(ClaimName(parent) for parent in parents),
                rule="relay",
                predicate=predicate,
                value=value or amount(),
            )
            for name in names
        )
        claims = tuple(ClaimName(name) for name in names)
        stage = f"seed/{sender}-{recipient}"
        self.tell(
            sender, Provide(statements=statements, claims=claims, recipient=OrganizationName(recipient), stage=stage)
        )

    def seed(self) -> None:
        """source -> middle -> receiver for the total; buyer -> receiver for the authorization."""
        self.provide("source", "middle", "root_A")
        self.provide("middle", "receiver", "shared_A", parents=("root_A",))
        self.provide("buyer", "receiver", "authorization_A", predicate="invoice_authorization", value=AUTHORIZATION)

    def act(self, stage: str = "task/A", **changes: Any) -> None:
        """Let *receiver* try to approve the invoice of order A."""
        fields = {
            "stage": stage,
            "phase": "initial",
            "operation": "approve_invoice",
            "claims": (ClaimName("shared_A"), ClaimName("authorization_A")),
            "task": TaskName("A"),
            "order": "A",
        }
        self.tell("receiver", Act(**{**fields, **changes}))

    def outcomes(self) -> list[tuple[str, str | None, str]]:
        """Return (result, cause, reason) of every action that ended."""
        found = []
        for _, record in self.records:
            result = record.body.get("result")
            if record.kind == "tool_result" and isinstance(result, dict) and "phase" in result:
                found.append((result["result"], result["cause"], result["reason"]))
        return found

    def refusals(self) -> list[tuple[str, str, str]]:
        """Return (who, cause, subject) of every refusal at a boundary."""
        return [
            (name, record.body["detail"]["cause"], record.body["detail"]["subject"])
            for name, record in self.records
            if record.body.get("control_id") == records.BOUNDARY
        ]

    def with_settings(self, name: str, **changes: Any) -> None:
        """Change the settings of one organization before the story begins."""
        self.states[name].settings = replace(self.states[name].settings, **changes)
