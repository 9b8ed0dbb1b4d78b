"""The list of attacks. Each is a function with a name, the row of the issue that it comes from, and a sentence that says what it does."""

from dataclasses import dataclass

KINDS = {}


class Skipped(Exception):
    """Something that this machine cannot do."""


@dataclass
class attack:
    # What happens to the service, and what is expected of it: it stands before a function. The function gets the ground, and returns what was
    # seen. It raises a Complaint if a promise is broken that is not one of the figures.

    name: str
    row: str
    engines: str = "file,postgres"
    # On which engines it is a part of the quick run.
    quick: str = "file"
    # Whether the other key must be served meanwhile.
    serves: bool = True
    # Whether each acknowledged push of the other key must have its outcome at the end.
    reconciles: bool = True
    # Whether the service runs and is measured before the function is called. Otherwise it makes its queue itself.
    begins: bool = True

    def __call__(self, play):
        self.play, KINDS[self.name] = play, self
        return play

    @property
    def __doc__(self):
        return f"{self.row:4} {self.engines:14} {self.play.__doc__}"
