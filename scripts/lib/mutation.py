"""Reads and applies mutation files; `scripts/mutate` explains their format and is the only caller.

    mutation.py describe FILE...   prints one line each: name, first source file, test, promise, separated by tabs
    mutation.py files FILE         prints the source files that the mutation changes, one per line
    mutation.py key TREE FILE      prints a checksum of the test, the edits and the sources that the mutation changes, without comments
    mutation.py part TREE FILE     prints "texts" if the mutation changes nothing outside string literals and comments, else "code"
    mutation.py check TREE FILE... checks that each mutation fits the sources under TREE and is in the folder of its first source
    mutation.py apply TREE FILE    changes the sources under TREE; makes all edits or none

Ends with 1 and a sentence on standard error when a mutation is malformed or does not fit.
"""

import hashlib
import sys
from dataclasses import dataclass, field
from pathlib import Path

from swift_skeleton import skeleton


@dataclass
class Edit:
    file: str
    find: str
    replace: str


@dataclass
class Mutation:
    name: str
    promise: str = ""
    test: str = ""
    edits: list[Edit] = field(default_factory=list)


class MutationError(Exception):
    pass


def read_mutation(path):
    mutation = Mutation(name=Path(path).stem)
    file, block, lines, found = "", None, [], ""
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        if line == "--- find" and block is None:
            block, lines = "find", []
        elif line == "--- replace" and block == "find":
            block, found, lines = "replace", "\n".join(lines), []
        elif line == "--- end" and block == "replace":
            mutation.edits.append(Edit(file, found, "\n".join(lines)))
            block = None
        elif block is not None:
            lines.append(line)
        elif line.startswith("file:"):
            file = line.removeprefix("file:").strip()
        else:
            read_header(mutation, line, number)
    if block is not None:
        raise MutationError('its last block has no "--- end"')
    require_complete(mutation)
    return mutation


def read_header(mutation, line, number):
    key, colon, value = line.partition(":")
    if not line.strip() or line.startswith("#"):
        return
    if not colon or key not in ("promise", "test"):
        raise MutationError(f"line {number} is neither a comment, a known key nor part of a block: {line}")
    setattr(mutation, key, value.strip())


def require_complete(mutation):
    for key in ("promise", "test"):
        if not getattr(mutation, key):
            raise MutationError(f'it has no "{key}:" line')
    if not mutation.edits:
        raise MutationError('it has no "--- find", "--- replace", "--- end" block')
    for edit in mutation.edits:
        if not edit.file:
            raise MutationError('a block comes before any "file:" line')
        if not edit.find:
            raise MutationError(f'a block for {edit.file} has nothing between "--- find" and "--- replace"')
        if edit.find == edit.replace:
            raise MutationError(f"a block for {edit.file} changes nothing")


def changed_sources(tree, mutation):
    """The new text of every source file that the mutation changes, by its path."""
    texts = {}
    for edit in mutation.edits:
        text = texts.get(edit.file)
        if text is None:
            text = read_source(tree, edit.file)
        count = text.count(edit.find)
        if count != 1:
            raise MutationError(f"{edit.file} contains the text to find {count} times; it must occur exactly once")
        texts[edit.file] = text.replace(edit.find, edit.replace)
    return texts


def read_source(tree, file):
    try:
        return (Path(tree) / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MutationError(f"{file} does not exist") from None


def apply(tree, mutation):
    for file, text in changed_sources(tree, mutation).items():
        (Path(tree) / file).write_text(text, encoding="utf-8")


def key(tree, mutation):
    """A checksum that changes when the result can change. Lines that are only comments do not count."""
    parts = [mutation.test]
    for edit in mutation.edits:
        parts += [edit.file, edit.find, edit.replace]
    for file in dict.fromkeys(edit.file for edit in mutation.edits):
        path = Path(tree) / file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        parts += [line for line in text.splitlines() if not line.strip().startswith("//")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def part(tree, mutation):
    texts = changed_sources(tree, mutation)
    return "texts" if all(skeleton(read_source(tree, file)) == skeleton(text) for file, text in texts.items()) else "code"


def check(tree, paths):
    """Prints the mutations that do not fit, and how many fit. Ends with 1 if one does not fit."""
    misfits = 0
    for path in paths:
        try:
            mutation = named(path)
            changed_sources(tree, mutation)
            require_folder(path, mutation)
        except MutationError as error:
            misfits += 1
            print(f"{Path(path).stem} does not apply: {error}", file=sys.stderr)
    print(f"{len(paths) - misfits} of {len(paths)} mutations fit the sources.")
    if misfits:
        raise SystemExit(1)


def require_folder(path, mutation):
    """Its folder is the folder of its source."""
    folder = Path(mutation.edits[0].file).parent.relative_to("Sources")
    if not Path(path).parent.match(f"mutations/{folder}"):
        raise MutationError(f"it must be in scripts/mutations/{folder}")


def run(verb, arguments):
    if verb == "describe":
        for path in arguments:
            mutation = named(path)
            print(mutation.name, mutation.edits[0].file, mutation.test, mutation.promise, sep="\t")
    elif verb == "files":
        print("\n".join(dict.fromkeys(edit.file for edit in named(arguments[0]).edits)))
    elif verb == "key":
        print(key(arguments[0], named(arguments[1])))
    elif verb == "part":
        print(part(arguments[0], named(arguments[1])))
    elif verb == "check":
        check(arguments[0], arguments[1:])
    elif verb == "apply":
        apply(arguments[0], named(arguments[1]))
    else:
        raise SystemExit(__doc__)


def named(path):
    try:
        return read_mutation(path)
    except (MutationError, OSError, UnicodeDecodeError) as error:
        raise MutationError(f"{Path(path).name}: {error}") from None


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    try:
        run(sys.argv[1], sys.argv[2:])
    except MutationError as error:
        raise SystemExit(str(error))
