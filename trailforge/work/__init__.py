"""What work is: goals, tasks, checks, limits and adapters as plain values, and the rules that admit them."""

from trailforge.work.adapter import Adapter, Request
from trailforge.work.admission import admit, admit_run, admit_run_id
from trailforge.work.binding import Binding, bind, default_run_id, goal_digest, require_same_binding
from trailforge.work.effect import ADMISSIBLE_EFFECTS, AdapterKind, Effect, Recovery, Verdict
from trailforge.work.goal import MAX_TASKS, Check, Goal, Limits, Task, goal_from_json, goal_to_json

__all__ = [
    "ADMISSIBLE_EFFECTS",
    "MAX_TASKS",
    "Adapter",
    "AdapterKind",
    "Binding",
    "Check",
    "Effect",
    "Goal",
    "Limits",
    "Recovery",
    "Request",
    "Task",
    "Verdict",
    "admit",
    "admit_run",
    "admit_run_id",
    "bind",
    "default_run_id",
    "goal_digest",
    "goal_from_json",
    "goal_to_json",
    "require_same_binding",
]
