"""The Markdown report of a study: what was planned, what came out, what failed, and what it does not show."""

from mast.experiments.comparison import COMPARED, Difference, differences
from mast.experiments.plan import Plan
from mast.experiments.study import Rows
from mast.report.tables import layer_table, markdown_table
from trustrail.foundation import VerifyMode

_LIMITS = """\
- Denominators are the planned tasks; a task without a result is unknown, and neither safe nor unsafe.
- Differences are paired by world and seed. Worlds were chosen, not drawn: an interval says how much the mean
  depends on which of them are looked at, not what other worlds would show."""


def study_report(plan: Plan, rows: Rows) -> str:
    """Return the report of what has been carried out of *plan*."""
    failed = [row for row in rows.runs if row["status"] != "finished"]
    parts = [
        f"# Study: {plan.name}",
        f"Plan `{plan.digest}`",
        f"{len(rows.runs)} of {len(plan.runs)} runs carried out, {len(failed)} failed.",
        f"Signatures: `{plan.verify.value}`{_NO_PROOF if plan.verify is VerifyMode.MAC else ''}.",
        "## Layers",
        markdown_table(*layer_table(rows.runs)),
        "## Differences per run",
        markdown_table(*_difference_table(differences(rows.runs, COMPARED[:5]))),
        *_failures(failed),
        "## Limits",
        _LIMITS,
    ]
    return "\n\n".join(parts) + "\n"


_NO_PROOF = " (a keyed hash in place of Ed25519: the event logs prove nothing to a third party)"


def _difference_table(found: list[Difference]) -> tuple[list[str], list[list[str]]]:
    lines = [
        [
            f"{item.layer} - {item.baseline}",
            item.metric,
            str(item.pairs),
            *(_shown(number) for number in (item.mean, item.low, item.high)),
        ]
        for item in found
    ]
    return ["layers", "metric", "pairs", "mean", "2.5 %", "97.5 %"], lines


def _shown(number: float | None) -> str:
    return "unknown" if number is None else f"{number:+.3f}"


def _failures(failed: list[dict[str, object]]) -> list[str]:
    if not failed:
        return []
    lines = [f"- `{row['run']}` at {row['stage']}: {row['error']}: {row['message']}" for row in failed]
    return ["## Failed runs", "\n".join(lines)]
