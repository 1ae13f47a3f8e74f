"""The command line: `pfes ask battery.db`. Thin: what the verbs do is done by studies, plans and sheets.

main                the verbs, loaded when they are used; errors in one line
arguments, output   what verbs share: arguments and options; tables, JSON, plots
every other file    one verb, or a few that belong together
"""
