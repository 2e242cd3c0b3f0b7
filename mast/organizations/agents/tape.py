"""The agent that plays recorded decisions back. What is not on the tape holds."""

from collections.abc import Mapping
from typing import Any

from mast.errors import ScenarioError
from mast.organizations.messages import Decision, Question


class Tape:
    """Looks a decision up by stage; a second question of one stage reads the second entry.

    A tape maps a stage (``task/A_a``) to an action or to a list of actions, each ``proceed``, ``verify``, ``hold`` or
    ``{"action": …, "claim_refs": […], "reason": …}``. The roles ``@total`` and ``@authorization`` in ``claim_refs``
    stand for the claim of that predicate.
    """

    name = "tape"

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = entries

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], _seed: int) -> "Tape":
        """Return an agent that plays ``settings["tape"]``.

        Raises:
            ScenarioError: if there is no tape, or an entry is neither an action nor a list of actions.
        """
        entries = settings.get("tape")
        if not isinstance(entries, Mapping) or set(settings) != {"tape"}:
            raise ScenarioError(
                [f"agents.settings is {dict(settings)}, expected one key 'tape' with decisions by stage"]
            )
        problems = [
            f"agents.settings.tape[{stage!r}] is {item!r}, expected an action"
            for stage, entry in entries.items()
            for item in (entry if isinstance(entry, list) else [entry])
            if not isinstance(item, str) and not (isinstance(item, Mapping) and "action" in item)
        ]
        if problems:
            raise ScenarioError(problems)
        return cls(entries)

    def decide(self, question: Question) -> Decision:
        """Answer what the tape has for the question's stage, or ``hold``."""
        entry = self._entries.get(question.stage)
        items = entry if isinstance(entry, list) else [entry] if entry is not None else []
        if question.round >= len(items):
            return Decision(stage=question.stage, action="hold", origin="tape", reason="no entry on the tape")
        item = items[question.round]
        if isinstance(item, str):
            return Decision(stage=question.stage, action=item, origin="tape")
        refs = item.get("claim_refs")
        return Decision(
            stage=question.stage,
            action=str(item["action"]),
            claim_refs=None if refs is None else tuple(_resolved(str(ref), question) for ref in refs),
            reason=str(item.get("reason", "")),
            origin="tape",
        )


def _resolved(reference: str, question: Question) -> str:
    role = {"@total": "total_charge", "@authorization": "invoice_authorization"}.get(reference)
    for claim in question.claims:
        fact = question.view.facts.get(claim)
        if role is not None and fact is not None and fact["predicate"] == role:
            return claim.hex()
    return reference
