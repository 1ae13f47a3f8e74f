"""Methods that can be compared: those of pfes, other packages in their documented default way, and users' own.

protocol    what a method is to the benchmark
own         methods of pfes, through a study
registry    the names that experiments use; each optional package is loaded by the file that needs it, when it is used
"""

from pfes.bench.methods.protocol import Record, Start, Wish
from pfes.bench.methods.registry import OUTSIDE, begun, check_method, missing_packages, obstacle

__all__ = ["OUTSIDE", "Record", "Start", "Wish", "begun", "check_method", "missing_packages", "obstacle"]
