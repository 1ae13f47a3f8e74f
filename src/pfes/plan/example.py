"""A plan to begin with: every key is there, and what it means."""

__all__ = ["EXAMPLE"]

EXAMPLE = """\
# A study of pfes: what is varied, what is measured, what it costs.
# Change what is below, then:   pfes create battery.toml
# A line that begins with # is a comment; keys that are commented out are optional.

[study]
name = "battery"
seed = 0                    # of all random numbers: the same results and seed give the same suggestions
method = "pfes"             # `pfes methods` lists the others
# model = "auto"            # are objectives related? "independent" is the default; "coregional", "latent", "auto"
# budget = 200              # what all measurements together may cost

# What can be set, in your own units. Three types: real, integer, choice.

[parameters.fraction]
type = "real"
low = 0.0
high = 1.0
# step = 0.05               # only 0, 0.05, 0.10, ...
# log = true                # spaced by its logarithm; wants low > 0

[parameters.temperature]
type = "integer"
low = 300
high = 900
step = 10
unit = "K"

[parameters.dopant]
type = "choice"
values = ["Er", "Nb", "W"]
# ordered = true            # the values have an order, as small, medium, large do

# Combinations that cannot be made: lower <= sum of weight * parameter <= upper.
# [[constraints]]
# weights = { fraction = 500, temperature = 1 }
# upper = 1200

# Instead of parameters, candidates can come from a table; leave [parameters] out then.
# [pool]
# file = "candidates.csv"   # beside this file
# inputs = ["x", "y"]       # columns that describe a candidate
# ids = "name"              # column that names it
# delimiter = ";"           # what lies between the cells; found out if nothing is said, "tab" for tabs
# with_results = true       # filled columns of objectives are results from before

# What is measured. goal is "max" or "min"; cost is in any unit that all objectives share.

[objectives.conductivity]
goal = "max"
cost = 5
unit = "S/cm"
transform = "log"           # positive values spread over decades; "power": skewed; "none"
# threshold = 1e-4          # worse values are of no use
# noise = 1e-5              # known standard deviation of a measurement
# resolution = 1e-5         # smallest difference worth knowing

[objectives.energy]
goal = "min"
cost = 1
unit = "eV"

# Objectives that one measurement gives together, cheaper than apart.
# [[bundles]]
# objectives = ["conductivity", "energy"]
# cost = 5.5

# The point that hypervolumes in `status` are measured from; chosen from the data if it is left out.
# [reference]
# conductivity = 1e-6
# energy = 0.0
"""
