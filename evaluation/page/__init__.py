"""One HTML file that shows a run, or compares several: no server, no network (docs/report.md)."""
