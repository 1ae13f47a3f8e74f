"""The door to all that fits models: numba and scipy come with it, and take longer to load than most calls take.

A study can be opened, told and looked at without. What cannot imports this inside a function, and nothing else.
"""

from pfes.belief import Belief, believe
from pfes.classify import classify
from pfes.recommend import recommended
from pfes.study.asking import answer
from pfes.task import Settings, Task

__all__ = ["Belief", "Settings", "Task", "answer", "believe", "classify", "recommended"]
