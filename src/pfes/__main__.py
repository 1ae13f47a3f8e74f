"""`python -m pfes`: the command line, where the command `pfes` is not on the path."""

from pfes.cli.main import entry

__all__: list[str] = []

if __name__ == "__main__":
    entry()
