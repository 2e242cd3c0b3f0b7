"""For people who build on trailforge: the authority contract, sample goals, and the crash test."""

from trailforge.testing.authority_contract import CASES, Case, ContractBrokenError, OpenStore
from trailforge.testing.sample_goals import SAMPLE_ADAPTERS, sample_goal

__all__ = ["CASES", "SAMPLE_ADAPTERS", "Case", "ContractBrokenError", "OpenStore", "sample_goal"]
