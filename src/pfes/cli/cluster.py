"""The one door to dask: a cluster by its address, or one on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pfes.errors import InvalidInput

__all__ = ["dask_client"]


@contextmanager
def dask_client(address: str, workers: int | None) -> Iterator[Any]:
    """A client of the scheduler at an address; "local": of a cluster of so many processes on this machine."""
    try:
        import distributed  # noqa: PLC0415 - optional
    except ImportError:
        raise InvalidInput("--dask needs dask, which is not installed; try pip install 'pfes[cluster]'") from None
    dask: Any = distributed  # it has no types
    if address == "local":
        with (
            dask.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
            dask.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = dask.Client(address, timeout=10)
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidInput(
            f"--dask: no scheduler answers at {address!r} ({error}); wanted tcp://host:8786, or local"
        ) from None
    with client:
        yield client
