"""The agent that decides by chance, the same way every time.

Each draw is a keyed hash of (seed, stream, organization, stage, round), so it does not depend on what others
draw: the same agent meets the same choices on every layer (common random numbers).
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from mast.errors import ScenarioError
from mast.organizations.messages import Decision, Question


class Stochastic:
    """Proceeds, verifies or holds with given probabilities.

    Args:
        proceed: probability in [0, 1] of ``proceed``.
        verify: probability in [0, 1] of ``verify``; the rest is ``hold``.
        seed: seed of the run.
    """

    name = "stochastic"

    def __init__(self, proceed: float, verify: float, seed: int) -> None:
        self._proceed = proceed
        self._verify = verify
        self._seed = seed

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], seed: int) -> "Stochastic":
        """Return an agent with the probabilities ``settings["proceed"]`` and ``settings["verify"]``.

        Raises:
            ScenarioError: if they are not numbers in [0, 1] with a sum of at most 1.
        """
        unknown = set(settings) - {"proceed", "verify"}
        if unknown:
            raise ScenarioError([f"agents.settings has {', '.join(sorted(unknown))}, expected proceed and verify"])
        proceed, verify = settings.get("proceed", 1.0), settings.get("verify", 0.0)
        for name, value in (("proceed", proceed), ("verify", verify)):
            if not isinstance(value, (int, float)) or not 0 <= value <= 1:
                raise ScenarioError([f"agents.settings.{name} is {value!r}, expected a probability in [0, 1]"])
        if proceed + verify > 1:
            raise ScenarioError([f"agents.settings: proceed {proceed} + verify {verify} is more than 1"])
        return cls(float(proceed), float(verify), seed)

    def decide(self, question: Question) -> Decision:
        """Draw an answer."""
        draw = uniform(self._seed, "decision", question.organization, question.stage, str(question.round))
        if draw < self._proceed:
            action = "proceed"
        elif draw < self._proceed + self._verify and "verify" in question.allowed:
            action = "verify"
        else:
            action = "hold"
        return Decision(stage=question.stage, action=action)


def uniform(seed: int, *labels: str) -> float:
    """Return the number in [0, 1) that belongs to *labels* under *seed*: 53 bits of BLAKE2b (RFC 7693)."""
    text = "\x1f".join(labels).encode()
    word = blake2b(text, key=seed.to_bytes(8, "big", signed=True), digest_size=8).digest()
    return (int.from_bytes(word, "big") >> 11) / 2**53
