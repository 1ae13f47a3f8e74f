"""Pictures of a study: one description of the data, drawn by matplotlib for files, by Plotly and as SVG for pages.

    view = plots.look(study)                   all that pictures are made from, gathered once; the model is fitted here
    plots.pictures(view)                       names, titles, and why some cannot be drawn yet
    picture = plots.describe(view, "front")    plain values in the user's units
    plots.save(picture, "front.png")           by matplotlib; plots.figure(picture) for a paper
    plots.plotly_json(picture, dark=True)      a Plotly figure as plain data, without Plotly
    plots.svg(plots.describe(view, "parallel"))

view        a study at one moment
front, parallel, progress, traces, attainment, slices, calibration, correlations
            descriptions: what is to be seen, as numbers and names
chart       what a picture is made of, whoever draws it; theme: what it looks like
figure, page, drawing
            who draws: matplotlib, Plotly, ourselves
"""

from pfes.plots.drawing import svg
from pfes.plots.figure import figure, save
from pfes.plots.page import plotly_json
from pfes.plots.pictures import PICTURES, Description, Picture, describe, pictures
from pfes.plots.view import View, look

__all__ = [
    "PICTURES",
    "Description",
    "Picture",
    "View",
    "describe",
    "figure",
    "look",
    "pictures",
    "plotly_json",
    "save",
    "svg",
]
