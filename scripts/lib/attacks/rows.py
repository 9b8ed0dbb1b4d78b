"""The list of attacks. Each is a function with a name, the row of the issue that it comes from, and a sentence that says what it does."""

from dataclasses import dataclass
from typing import Callable

KINDS = {}


class Skipped(Exception):
    """Something that this machine cannot do."""


@dataclass
class Attack:
    # What happens to the service, and what is expected of it. The function gets the ground, and returns what was seen. It raises a Complaint
    # if a promise is broken that is not one of the figures.

    name: str
    row: str
    play: Callable
    engines: tuple
    # On which engines it is a part of the quick run.
    quick: tuple
    # Whether the other key must be served meanwhile.
    serves: bool
    # Whether each acknowledged push of the other key must have its outcome at the end.
    reconciles: bool
    # Whether the service runs and is measured before the function is called. Otherwise it makes its queue itself.
    begins: bool

    @property
    def __doc__(self):
        return f"{self.row:4} {','.join(self.engines):14} {self.play.__doc__}"


def attack(name, row, engines="file,postgres", quick="file", serves=True, reconciles=True, begins=True):
    def note(function):
        KINDS[name] = Attack(name, row, function, tuple(engines.split(",")), tuple(quick.split(",")), serves, reconciles, begins)
        return function

    return note
