"""What came of an experiment, as a page, Markdown and pictures.

arenas      runs, put together by what they compete on
traces      what was held as cost was spent; what it cost to hold 95 %
ranks, pairs, seconds, spending     who was better, whether by chance, how long it took, where the money went
timetable, figures  the paper's tables of times, and its explanatory figures
contents, writing   all of it said once, and written down
"""

from pfes.bench.summary.writing import report

__all__ = ["report"]
