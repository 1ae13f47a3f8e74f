"""Every place that studies can be kept in passes the same contract."""

from pathlib import Path

import pytest

from pfes.storage import Memory, Storage, open_storage
from pfes.testing import StorageContract
from postgres import Server


class TestMemory(StorageContract):
    @pytest.fixture
    def storage(self) -> Storage:
        return Memory()


class TestSQLite(StorageContract):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Storage:
        return open_storage(tmp_path / "studies, ü % ? #.db", create=True)


class TestPostgreSQL(StorageContract):
    @pytest.fixture
    def storage(self, postgres: Server) -> Storage:
        return open_storage(postgres.url("contract"), create=True)
