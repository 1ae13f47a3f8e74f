"""Where studies are kept: events that are only ever appended, in memory or in a database of many studies.

protocol    what a study needs of the place it is kept in
memory      a place that lasts as long as the process
places      a file or a URL, as users write it, made into an engine of SQLAlchemy
tables      the database's tables, and the version of their layout
upgrades    databases made ready: new, as they should be, older, newer
patience    trying again where trying again helps
rows        an event as a row of a table
database    SQLite and PostgreSQL, by the same code
mending     what makes sense of a study that has lost events
salvage     what can be read of a damaged file

SQLAlchemy is imported when the first database is opened, not before.
"""

from pfes.storage.memory import Memory
from pfes.storage.opening import Place, open_storage
from pfes.storage.protocol import Desk, Entry, Lease, Listed, Storage, Written

__all__ = ["Desk", "Entry", "Lease", "Listed", "Memory", "Place", "Storage", "Written", "open_storage"]
