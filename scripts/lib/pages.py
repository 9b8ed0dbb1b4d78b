"""What the checks in Python share: the pages of this project, their prose and their blocks, the sources, and the packages of the tests."""

import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


def restart_with_packages():
    """After an import that failed: runs the script with the Python of scripts/setup --for test, which has the packages."""
    python = ROOT / ".build/venv/bin/python3"
    if Path(sys.prefix).name == "venv" or not python.exists():
        sys.exit(f"{Path(sys.argv[0]).name}: Python packages are missing. Run scripts/setup --for test.")
    os.execv(python, [str(python), *sys.argv])


STRING = r'"""(?:\\.|[^\\])*?"""|#"[^\n]*?"#|"(?:\\.|[^"\\\n])*"'
NO_CODE = re.compile(STRING + r"|(?<!:)//[^\n]*|/\*.*?\*/|^[ ]*#(?:if|elseif|else|endif)\b[^\n]*", re.M | re.S)


def code(text, keeps_conditions=False):
    """A Swift source without comments, the contents of strings and the lines of `#if`. Code in a string, as in "\\(code)", may go, too."""
    def kept(match):
        if match[0].lstrip().startswith(("#if", "#el", "#end")):
            return match[0] if keeps_conditions else ""
        return '""' if match[0][-1:] in '"#' else ""
    return NO_CODE.sub(kept, text)


class Block(NamedTuple):
    """A block between fences, with the line before it."""

    number: int
    comment: str
    language: str
    lines: list


def read(path):
    return Path(path).read_text(encoding="utf-8")


def documentation_site():
    """The address of the documentation, which the programs print."""
    source = read(ROOT / "Sources/PushPlatform/Documentation.swift")
    return re.search(r'site = "(https://[^"]+/)"', source)[1]


def split(page):
    """The prose of a page as (line number, text), and its blocks."""
    prose, blocks, fence, previous = [], [], None, ""
    for number, line in enumerate(page.split("\n"), 1):
        if fence is not None:
            if line.strip() == "```":
                fence = None
            else:
                fence.lines.append(line)
        elif line.strip().startswith("```"):
            fence = Block(number, previous, line.strip()[3:], [])
            blocks.append(fence)
        else:
            prose.append((number, line))
        if line.strip():
            previous = line.strip()
    return prose, blocks


def conclude(found, checked):
    """Prints the problems, each a sentence, or a path, a line and a sentence, and ends."""
    problems = sorted({(each,) if isinstance(each, str) else each for each in found})
    for *place, words in problems:
        print("error: " + "".join(f"{part}:" for part in place) + " " * bool(place) + words, file=sys.stderr)
    print(f"{checked} checked, {len(problems)} problems.")
    sys.exit(1 if problems else 0)
