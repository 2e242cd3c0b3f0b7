"""``report.html``: the gate report a reviewer reads."""

from trustrail.evidence.report.page import report_html

__all__ = ["report_html"]
