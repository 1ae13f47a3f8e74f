"""Studies and spreadsheets: tables of trials written as CSV, and tables of results read from it.

cells      one cell: numbers, choices and texts as spreadsheets have them, formulas made harmless
writing    trials and measured points as CSV
reading    a table of results as rows that `Study.merge` takes
"""

from pfes.sheets.reading import Results, known_columns, read_results
from pfes.sheets.writing import Style, front_as_csv, trials_as_csv

__all__ = ["Results", "Style", "front_as_csv", "known_columns", "read_results", "trials_as_csv"]
