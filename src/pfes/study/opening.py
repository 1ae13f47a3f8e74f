"""Studies begun, opened again, listed and deleted."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pfes.errors import InvalidInput, StudyExists
from pfes.ledger import Ledger
from pfes.objectives import Bundle, Objective, Objectives
from pfes.points import Domain
from pfes.space import Pool, Space
from pfes.storage import Entry, Listed, Place, open_storage
from pfes.storage.protocol import checked_name
from pfes.study.amounts import amount
from pfes.study.description import Description, Function, describe, functions_of, restore
from pfes.study.journal import Journal
from pfes.study.measured import checked_reference
from pfes.study.study import Study, kept_study

if TYPE_CHECKING:
    from pfes.task import Settings

__all__ = ["create_study", "delete_study", "list_studies", "open_study"]

logger = logging.getLogger("pfes")


def create_study(
    storage: Place = None,
    *,
    space: Domain,
    objectives: Objectives | Objective | Sequence[Objective],
    bundles: Iterable[Bundle] = (),
    name: str = "study",
    seed: int = 0,
    method: str | None = None,
    model: str | None = None,
    settings: "Settings | None" = None,
    budget: float | None = None,
    reference: Mapping[str, float] | Sequence[float] | None = None,
    exist_ok: bool = False,
) -> Study:
    """Begin a study.

    storage     a file (SQLite), a URL such as postgresql://host/name, or None: it lasts as long as this process. One
                file or database holds many studies, by their names. Several hosts: PostgreSQL, never a shared drive
    space       a Space, or a Pool of candidates
    objectives  what to measure; bundles: objectives that are cheaper together
    seed        of all random numbers: the same events and seed give the same suggestions
    method      "pfes" if nothing else is said here or in `settings`
    model       "independent" objectives if nothing else is said here or in `settings`; "coregional", "latent": what is
                measured of one tells about the others; "auto": whichever predicts best what is left out
    budget      what all trials together may cost; None: no limit
    reference   the point hypervolumes are measured from; None: chosen when first needed
    exist_ok    a study of that name is gone on with, if its space and objectives are these
    """
    wanted = Objectives.of(objectives, bundles)
    _check_space(space, wanted)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput(f"seed: got {seed!r}, wanted a whole number of 0 or more")
    limit = None if budget is None else amount("budget", budget)
    from pfes.study import models  # noqa: PLC0415 - see there

    chosen = settings or models.Settings()
    chosen = chosen if method is None else replace(chosen, method=method)
    chosen = chosen if model is None else replace(chosen, model=model)
    it = Description.of(models.Task(space, wanted, chosen, int(seed)), limit)
    corner = None if reference is None else checked_reference(reference, wanted)
    study = _begun(storage, name, it, exist_ok)
    if corner is not None:
        study.set_reference(corner)
    return study


def _check_space(space: object, objectives: Objectives) -> None:
    if not isinstance(space, Space | Pool):
        raise InvalidInput(f"space: got {space!r}, wanted a pfes.Space or a pfes.Pool")
    if shared := sorted(set(space.names) & set(objectives.names)):
        raise InvalidInput(f"{shared[0]!r} is a parameter and an objective, wanted different names; rename one")


def _begun(storage: Place, name: str, it: Description, exist_ok: bool) -> Study:
    checked_name(name)  # before a file is made
    text = "" if storage is None else describe(it)  # in memory anything goes
    place = open_storage(storage, create=True)
    try:
        entry = place.create(name, text)
    except StudyExists:
        if not exist_ok:
            raise
        entry = place.find(name)
        it = _gone_on_with(entry, it)
    return Study(it, Journal(place, entry, Ledger(it.domain, it.objectives)))


def _gone_on_with(entry: Entry, it: Description) -> Description:
    """The study that is there, if it is the one that is meant."""
    mine, there = json.loads(describe(it)), json.loads(entry.description)
    different = [what for what in mine if mine[what] != there.get(what)]
    for what in ("space", "objectives"):
        if what in different:
            raise StudyExists(
                f"study: {entry.name!r} is there already, and not with the {what} given; try open_study to go on "
                "with it as it is, or another name="
            )
    if different:
        logger.warning("study %r goes on with its own %s, not those given", entry.name, " and ".join(different))
    return restore(entry.description, functions_of(it.domain))


def open_study(storage: Place, name: str | None = None, *, constraints: Iterable[Function] = ()) -> Study:
    """Open a study that was begun before: it knows its space, objectives, settings, seed and all that happened.

    storage      the file or URL it is kept in
    name         which of the studies there; not needed if there is only one
    constraints  the space's constraints that are functions, in their order: a file keeps their names only
    """
    if storage is None:
        raise InvalidInput("storage: got None, wanted a file or a URL; what was in memory cannot be opened again")
    return kept_study(open_storage(storage), name, tuple(constraints))


def list_studies(storage: Place) -> list[Listed]:
    """The studies of a file or database: name, when begun, number of events, when last changed."""
    return open_storage(storage).studies()


def delete_study(storage: Place, name: str) -> None:
    """Forget a study and all that happened in it, for good."""
    open_storage(storage).delete(name)
