"""A carried out study as a person looks at it: tables by layer, by run and by task, and paired differences."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from mast.experiments.comparison import COMPARED, Difference, differences
from mast.experiments.outcome import METRIC_COLUMNS, RUN_COLUMNS, TASK_COLUMNS, layer_sums
from mast.experiments.plan import Plan
from mast.experiments.study import Progress, Rows, carry_out
from mast.report.frames import frame
from mast.report.markdown import study_report
from mast.report.progress import progress_bar
from mast.report.tables import escaped, html_table, layer_table, markdown_table

if TYPE_CHECKING:
    import pandas as pd


class Study:
    """A plan of runs, ready to be carried out.

    Attributes:
        plan: the runs, fixed; ``plan.digest`` names them.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def run(
        self,
        *,
        workers: int = 1,
        out: str | Path | None = None,
        resume: bool = False,
        progress: bool = True,
        runtime: str = "virtual",
    ) -> "StudyResult":
        """Carry out every run and return what they showed.

        Args:
            workers: number of local processes; results do not depend on it.
            out: new directory for plan, tables, event logs and report.
            resume: continue what *out* holds of the same plan.
            progress: show a bar with the time left, in a terminal or a notebook.
            runtime: ``virtual`` or ``threads``; results do not depend on it.

        Raises:
            OutputExistsError: if *out* is not empty and *resume* is false.
            PlanError: if *out* holds another plan, or *workers* is not positive.
        """
        folder = None if out is None else Path(out)

        def carried_out(tell: Progress | None) -> Rows:
            return carry_out(
                self.plan,
                workers=workers,
                runtime=runtime,
                out=folder,
                resume=resume,
                progress=tell,
                report=study_report,
            )

        if not progress:
            return StudyResult(self.plan, carried_out(None))
        with progress_bar(self.plan.name) as tell:
            return StudyResult(self.plan, carried_out(tell))

    def __repr__(self) -> str:
        return f"Study({self.plan.name}: {len(self.plan.runs)} runs, plan {self.plan.digest[:12]}…)"


class StudyResult:
    """What the runs of a study showed. A failed run has a row; what it did is unknown.

    Attributes:
        plan: what was planned.
        rows: the rows of its runs and tasks, as dictionaries.
    """

    def __init__(self, plan: Plan, rows: Rows) -> None:
        self.plan = plan
        self.rows = rows

    def summary(self) -> "pd.DataFrame":
        """Return the sums of each metric, one row per layer, with the number of runs and of failed ones."""
        sums = layer_sums(self.rows.runs)
        rows = [{"layer": layer, **metrics} for layer, metrics in sums.items()]
        return frame(rows, ("layer", "runs", "failed_runs", *METRIC_COLUMNS)).set_index("layer")

    def to_frame(self) -> "pd.DataFrame":
        """Return a DataFrame of one row per run."""
        return frame(self.rows.runs, RUN_COLUMNS)

    def tasks_frame(self) -> "pd.DataFrame":
        """Return a DataFrame of one row per task."""
        return frame(self.rows.tasks, TASK_COLUMNS)

    def differences(self, metrics: Sequence[str] = COMPARED) -> "pd.DataFrame":
        """Return the paired differences between every two layers, with their bootstrap intervals.

        Args:
            metrics: names of the metrics to compare.
        """
        rows = [asdict(difference) for difference in differences(self.rows.runs, metrics)]
        return frame(rows, [field.name for field in fields(Difference)])

    def report(self) -> str:
        """Return the Markdown report."""
        return study_report(self.plan, self.rows)

    def __repr__(self) -> str:
        return f"{self.plan.name}: {len(self.rows.runs)} runs\n{markdown_table(*layer_table(self.rows.runs))}"

    def _repr_html_(self) -> str:
        title = f"<b>{escaped(self.plan.name)}</b>: {len(self.rows.runs)} runs"
        return f"<p>{title}</p>{html_table(*layer_table(self.rows.runs))}"
