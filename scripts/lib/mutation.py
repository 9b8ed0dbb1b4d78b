"""Reads and applies mutations; `scripts/mutate` explains their format and is the only caller."""

import hashlib
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from pages import code

FOLDER = Path(__file__).resolve().parents[1] / "mutations"
HEADER = re.compile(r"mutation ([\w-]+): (\S.*)")


@dataclass
class Edit:
    file: str
    removed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    @property
    def find(self):
        return "\n".join(self.removed)

    @property
    def replace(self):
        return "\n".join(self.added)


@dataclass
class Mutation:
    target: str
    name: str
    promise: str
    test: str
    edits: list[Edit] = field(default_factory=list)

    @property
    def files(self):
        return list(dict.fromkeys(edit.file for edit in self.edits))


class MutationError(Exception):
    pass


def read_mutations(path):
    """The mutations of a target. `file` holds until the next line of its kind, and `test` until the next file.

    Without a test, it is the suite that mirrors the file: PushTimeTests.ClockTests for Sources/PushTime/Some/Clock.swift.
    """
    mutations, file, here, test, edit = [], "", "", "", None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        key, _, value = line.partition(": ")
        header = HEADER.fullmatch(line)
        if line[:1] in ("-", "+") and mutations:
            if line[0] == "-" and (edit is None or edit.added):
                edit = Edit(here)
                mutations[-1].edits.append(edit)
            if edit is None:
                raise MutationError(f"{path.name}, line {number}: there is no text to find before the text that replaces it")
            (edit.removed if line[0] == "-" else edit.added).append(line[1:])
            continue
        edit = None
        if header:
            here = file
            mutations.append(Mutation(path.stem, *header.groups(), test))
        elif key == "file":
            source = re.fullmatch(r"Sources/(\w)(\w*)/(?:.*/)?([^/]+)\.swift", value)
            if not source:
                raise MutationError(f"{path.name}, line {number}: {value} isn't a source of a target")
            file, test = value, f"{source[1].upper()}{source[2]}Tests.{source[3]}Tests"
        elif key == "also" and mutations:
            here = value
        elif key == "test" and mutations:
            test = mutations[-1].test = value
        elif line.strip() and not line.startswith("#"):
            raise MutationError(f"{path.name}, line {number}: this is neither a comment, a known key nor part of an edit: {line}")
    for mutation in mutations:
        require_complete(mutation)
    return mutations


def require_complete(mutation):
    if not mutation.edits:
        raise MutationError(f"{mutation.name} changes nothing")
    for edit in mutation.edits:
        if not edit.file or not edit.find or edit.find == edit.replace:
            raise MutationError(f"{mutation.name} needs a file, a text to find, and another text that replaces it")


def named(names):
    """The mutations of these names; without a name, all of them."""
    known = {}
    for path in sorted(FOLDER.glob("*.mutations")):
        for mutation in read_mutations(path):
            if mutation.name in known:
                raise MutationError(f"there are two mutations {mutation.name}")
            known[mutation.name] = mutation
    if strange := [name for name in names if name not in known]:
        raise MutationError(f"there is no mutation {strange[0]} in scripts/mutations.")
    return [known[name] for name in names] or list(known.values())


def changed_sources(tree, mutation):
    """The new text of every source file that the mutation changes, by its path."""
    texts = {}
    for edit in mutation.edits:
        text = texts.get(edit.file) or read_source(tree, edit.file)
        count = text.count(edit.find)
        if count != 1:
            raise MutationError(f"{edit.file} contains the text to find {count} times; it must occur exactly once")
        texts[edit.file] = text.replace(edit.find, edit.replace)
    return texts


def read_source(tree, file):
    try:
        return (Path(tree) / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MutationError(f"{file} doesn't exist") from None


def apply(tree, mutation):
    for file, text in changed_sources(tree, mutation).items():
        (Path(tree) / file).write_text(text, encoding="utf-8")


def key(tree, mutation):
    """A checksum that changes when the result can change. Lines that are only comments do not count."""
    parts = [mutation.test]
    for edit in mutation.edits:
        parts += [edit.file, edit.find, edit.replace]
    for file in mutation.files:
        path = Path(tree) / file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        parts += [line for line in text.splitlines() if not line.strip().startswith("//")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def changes_texts_only(tree, mutation):
    """Whether it changes nothing outside string literals and comments."""
    return all(
        code(read_source(tree, file), keeps_conditions=True) == code(text, keeps_conditions=True)
        for file, text in changed_sources(tree, mutation).items())


def check(tree, names):
    """Prints the mutations that do not fit, and how many fit."""
    mutations, misfits = named(names), 0
    for mutation in mutations:
        try:
            changed_sources(tree, mutation)
            if not mutation.edits[0].file.startswith(f"Sources/{mutation.target}/"):
                raise MutationError("it must be in the file of its target")
        except MutationError as error:
            misfits += 1
            print(f"{mutation.name} does not apply: {error}", file=sys.stderr)
    print(f"{len(mutations) - misfits} of {len(mutations)} mutations fit the sources.")
    if misfits:
        raise SystemExit(1)


def table(mutations):
    """A row of Markdown for each: the promise, the source file that keeps it, which is the machine, and the tests that notice its end."""
    yield "| promise | machine | tests |\n|---|---|---|"
    for mutation in mutations:
        machine = mutation.edits[0].file.removeprefix("Sources/").removesuffix(".swift")
        words = (mutation.promise, f"`{machine}`", f"`{mutation.test.split('/')[0]}`")
        yield f"| {' | '.join(word.replace('|', chr(92) + '|').replace('<', '&lt;') for word in words)} |"
