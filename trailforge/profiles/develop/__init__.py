"""Develop: bounded rounds over a candidate workspace, judged by checks the candidate cannot reach."""

from trailforge.profiles.develop.handoff import Handoff, hand_off
from trailforge.profiles.develop.phases import CandidateView, Evidence, HostPhase, Phase, PhaseContext
from trailforge.profiles.develop.profile import DevelopProfile
from trailforge.profiles.develop.rounds import MAX_ROUNDS, Baseline

__all__ = [
    "MAX_ROUNDS",
    "Baseline",
    "CandidateView",
    "DevelopProfile",
    "Evidence",
    "Handoff",
    "HostPhase",
    "Phase",
    "PhaseContext",
    "hand_off",
]
