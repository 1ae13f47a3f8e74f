"""The tables of a database, and the version of their layout.

A change of this file that a database notices is a new VERSION, a step in `upgrades.py`, and a fixture of the old one.
"""

from sqlalchemy import BigInteger, Column, Float, ForeignKey, Integer, MetaData, String, Table, Text

__all__ = ["EVENTS", "LEASES", "METADATA", "SCHEMA", "STUDIES", "VERSION"]

VERSION = 1

METADATA = MetaData()

SCHEMA = Table("pfes_schema", METADATA, Column("version", Integer, primary_key=True, autoincrement=False))

STUDIES = Table(
    "pfes_studies",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("description", Text, nullable=False),  # JSON, see pfes.records
    Column("created", Float(53), nullable=False),
    sqlite_autoincrement=True,  # a study that was deleted does not leave its number to another
)

EVENTS = Table(
    "pfes_events",
    METADATA,
    Column("study", Integer, ForeignKey(STUDIES.c.number), primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),  # 0, 1, 2, ... without gaps
    Column("kind", String(20), nullable=False),
    Column("trial", BigInteger),
    Column("payload", Text, nullable=False),  # JSON, see pfes.records
    Column("time", Float(53), nullable=False),
    Column("batch", String(32), nullable=False),  # what was written together; lets a writer find its own again
)

LEASES = Table(
    "pfes_leases",
    METADATA,
    Column("study", Integer, ForeignKey(STUDIES.c.number), primary_key=True, autoincrement=False),
    Column("trial", BigInteger, primary_key=True, autoincrement=False),
    Column("until", Float(53), nullable=False),  # seconds since 1970, by the clock of the database
    Column("seconds", Float(53), nullable=False),  # how long it is extended at a time
)
