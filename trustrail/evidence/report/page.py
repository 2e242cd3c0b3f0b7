"""One self-contained page from a pack's results and streams: no script, no outside resource, no clock.

It shows the gate, the controls, a conversation with its deciding events marked, and links to the evidence. The
same pack always gives the same bytes.
"""

from collections.abc import Sequence

from trustrail.engine import Requirements, evidence_kinds
from trustrail.events import Event
from trustrail.evidence.document import PackDocument, Run
from trustrail.evidence.masking import Mask
from trustrail.evidence.report.conversation import conversation_html
from trustrail.evidence.report.markup import tag, text_of, verdict_badge
from trustrail.evidence.report.style import STYLE

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_html(pack: PackDocument, streams: Sequence[Sequence[Event]], requirements: Requirements) -> str:
    """Return the page for *pack*, whose runs have the event *streams*, in order."""
    title = f"{pack.testcase_id} · {pack.target} · {pack.variant}"
    shown = _representative_runs(pack)
    parts = [_gate(pack, title), _controls(pack, shown[0], requirements)]
    for number in shown:
        mask = Mask(requirements.domain_pack, streams[number - 1])
        parts.append(conversation_html(number, pack.runs[number - 1], streams[number - 1], mask))
    parts += [_evidence(pack), _claims(pack, streams, requirements)]
    head = (
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text_of(title)}</title>\n<style>{STYLE}</style>"
    )
    body = "\n".join(parts)
    page = f"<head>\n{head}\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>"
    return f'<!doctype html>\n<html lang="en">\n{page}\n</html>\n'


def _representative_runs(pack: PackDocument) -> list[int]:
    """Return the number of the first run with each set of verdicts: the others add nothing to read."""
    first: dict[tuple[tuple[str, str], ...], int] = {}
    for number, run in enumerate(pack.runs, start=1):
        first.setdefault(tuple((name, given.verdict) for name, given in run.controls.items()), number)
    return sorted(first.values())


def _gate(pack: PackDocument, title: str) -> str:
    reasons = sorted({reason for run in pack.runs for reason in run.gate_reasons})
    listed = "".join(tag("li", text_of(reason)) for reason in reasons)
    facts = [
        ("Testcase", f"{pack.testcase_id}, version {pack.testcase_version}"),
        ("Target", pack.target),
        ("Variant", pack.variant),
        ("Evidence profile", pack.assurance_level),
        ("Repetitions", pack.statistics.summary),
        ("Share of agreeing runs, 95 % Wilson interval", _interval(pack)),
    ]
    rows = "".join(tag("dt", text_of(name)) + tag("dd", text_of(value)) for name, value in facts)
    banner = tag("p", f"gate: <strong>{pack.gate}</strong>", css=f"gate {pack.gate.lower()}")
    why = tag("ul", listed, css="reasons") if listed else ""
    return tag("header", tag("h1", text_of(title)) + banner + why + tag("dl", rows))


def _interval(pack: PackDocument) -> str:
    low, high = pack.statistics.wilson_95
    return f"{low:.3f} to {high:.3f}"


def _controls(pack: PackDocument, shown: int, requirements: Requirements) -> str:
    names = ("Control", "Verdict", "Severity", "Runs", "Reason", "Events relied on")
    heads = "".join(tag("th", name) for name in names)
    rows = "".join(_control_row(pack, name, shown, requirements) for name in requirements.controls)
    table = tag("table", tag("thead", tag("tr", heads)) + tag("tbody", rows))
    return tag("section", tag("h2", "Controls") + table)


def _control_row(pack: PackDocument, name: str, shown: int, requirements: Requirements) -> str:
    summary, given = pack.controls[name], pack.runs[shown - 1].controls[name]
    counts = ", ".join(f"{count} {verdict}" for verdict, count in summary.counts.items())
    claim = f" <small>claims no more than {text_of(given.claim)}</small>" if given.claim else ""
    links = " ".join(f'<a href="#run-{shown}-event-{seq}">{seq}</a>' for seq in given.events)
    cells = (
        f"{text_of(name)}<br><small>{text_of(requirements.controls[name].title)}</small>",
        verdict_badge(summary.verdict, exercised=summary.exercised),
        text_of(summary.severity),
        text_of(counts),
        text_of(given.reason) + claim,
        links,
    )
    return tag("tr", "".join(tag("td", cell) for cell in cells), css=summary.verdict.lower())


def _evidence(pack: PackDocument) -> str:
    rows = "".join(_evidence_row(number, run) for number, run in enumerate(pack.runs, start=1))
    heads = "".join(tag("th", name) for name in ("Run", "Gate", "Events", "Verdicts on each call", "Source spans"))
    table = tag("table", tag("thead", tag("tr", heads)) + tag("tbody", rows))
    links = (
        '<p><a href="manifest.yaml">manifest.yaml</a> · <a href="pack.json">pack.json</a> · '
        '<a href="annotations/notes.json">annotations</a></p>'
    )
    return tag("section", tag("h2", "Evidence") + links + table)


def _evidence_row(number: int, run: Run) -> str:
    spans = f'<a href="{text_of(run.spans)}">{text_of(run.spans)}</a>' if run.spans else "none"
    events = f'<a href="{text_of(run.events)}">{text_of(run.events)}</a> ({run.event_count})'
    calls = f'<a href="{text_of(run.calls)}">{text_of(run.calls)}</a>'
    cells = (f"{number}: {text_of(run.test_run_id)}", run.gate, events, calls, spans)
    return tag("tr", "".join(tag("td", cell) for cell in cells))


def _claims(pack: PackDocument, streams: Sequence[Sequence[Event]], requirements: Requirements) -> str:
    """Say what a PASS leaves open, and what the runs lacked."""
    rows = "".join(
        tag("dt", text_of(name)) + tag("dd", text_of(requirements.controls[name].does_not_show))
        for name in requirements.controls
    )
    missing = sorted({kind for run in pack.runs for kind in run.missing_evidence})
    present = frozenset.union(*(evidence_kinds(stream) for stream in streams))
    wished = [kind for kind in requirements.evidence_profile.preferred_evidence if kind not in present]
    unknown = sorted({tool for run in pack.runs for tool in run.unknown_tools})
    lacks = tag("p", f"Required evidence that is missing: {text_of(', '.join(missing) or 'none')}.")
    wishes = tag("p", f"Preferred evidence that no run carries: {text_of(', '.join(wished) or 'none')}.")
    tools = tag("p", f"Tools the domain pack gives no meaning to: {text_of(', '.join(unknown) or 'none')}.")
    return tag("section", tag("h2", "What a PASS does not show") + tag("dl", rows) + lacks + wishes + tools)
