"""A goal, or a host, that is not what it must be."""

from collections.abc import Sequence

from trailforge.errors.root import Problem, TrailforgeError
from trailforge.errors.showing import shown


class AdmissionError(TrailforgeError, ValueError):
    """A goal was refused; no run was created and nothing was reserved.

    Attributes:
        problems: every problem found, in the order of the fields.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = "; ".join(str(problem) for problem in self.problems)
        count = len(self.problems)
        super().__init__(f"goal has {count} problem{'s' if count != 1 else ''}: {lines}")


class BindingChangedError(TrailforgeError):
    """A run was asked to go on with something other than what it was admitted with; nothing ran.

    Attributes:
        run_id: the run.
        field: path of the first field that differs.
        admitted: what the run was admitted with, shortened.
        offered: what was offered now, shortened.
    """

    def __init__(self, run_id: str, field: str, admitted: str, offered: str) -> None:
        super().__init__(
            f"run {run_id} was admitted with {field} {admitted}, now offered {offered}; "
            "resume with the admitted goal and adapters, or start another run"
        )
        self.run_id = run_id
        self.field = field
        self.admitted = admitted
        self.offered = offered


class ScopeError(TrailforgeError, PermissionError):
    """A host that acts for one tenant was asked to touch another tenant's work; nothing was read or changed."""

    def __init__(self, subject: str, tenant: str, allowed: str) -> None:
        super().__init__(
            f"{subject} belongs to tenant {shown(tenant, 130)}, this host acts only for {shown(allowed, 130)}"
        )
        self.tenant = tenant
        self.allowed = allowed
