"""A study for a colleague: what was asked, what was found, how sure we are, what to do next, as one file.

    study.report("report.html")        a page that needs nothing else: no script, no network
    study.report("report.md")          Markdown, its pictures beside it
    study.report("report.png")         one picture

contents    what is said; document: of what it is made
page, markdown, overview
            who writes it down; each escapes what users have named
"""

from pfes.report.writing import write_report

__all__ = ["write_report"]
