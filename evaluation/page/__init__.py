"""One HTML file that shows a run, or compares several: no server, no network (docs/report.md)."""

from evaluation.page.report import write_report_page

__all__ = ["write_report_page"]
