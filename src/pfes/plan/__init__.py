"""A study's plan: what is to be measured, where and how, written down before it begins.

model       the plan as pydantic checks it, and as the values a study is made of
reading     a plan from a TOML file; errors name the line and the remedy
tables      TOML files as pydantic checks them
lines       where in a TOML file a key stands
example     a commented TOML file to begin with
"""

from pfes.plan.example import EXAMPLE
from pfes.plan.model import Plan
from pfes.plan.reading import read_plan

__all__ = ["EXAMPLE", "Plan", "read_plan"]
