"""Swift source text without its string literals, for `mutation.py`. `swift_tokens.py` finds the ends of literals and comments with it."""

import re

# The start of a literal, of a comment, and of code that a literal contains.
START = re.compile(r'(#*)("""(?=[ \t]*\n)|")|//[^\n]*|/\*')


def skeleton(text):
    """The text with every literal empty. Code inside a literal, as in "\\(code)", stays. Comments go."""
    out = []
    code(text, 0, out, end=None)
    return "".join(out)


def code(text, index, out, end):
    """Copies code from an index up to the bracket that closes it, or to the end of the text. Returns the index behind."""
    depth = 0
    while index < len(text):
        start = START.match(text, index)
        if start and start[2]:
            index = literal(text, start.end(), out, start[1], start[2])
        elif start and start[0] == "/*":
            index = comment(text, start.end())
        elif start:
            index = start.end()
        else:
            character = text[index]
            index += 1
            depth += (character == "(") - (character == ")")
            if end and depth < 0:
                return index
            out.append(character)
    return index


def literal(text, index, out, hashes, quote):
    """Leaves a literal out, except the code in it. Returns the index behind the literal."""
    escape, close = "\\" + hashes, quote + hashes
    out.append(hashes + quote)
    while index < len(text):
        if text.startswith(close, index):
            out.append(close)
            return index + len(close)
        if text.startswith(escape + "(", index):
            out.append(escape + "(")
            index = code(text, index + len(escape) + 1, out, end=")")
            out.append(")")
        elif text.startswith(escape, index):
            index += len(escape) + 1
        else:
            index += 1
    return index


def comment(text, index):
    depth = 1
    while depth and index < len(text):
        if text.startswith("/*", index):
            depth, index = depth + 1, index + 2
        elif text.startswith("*/", index):
            depth, index = depth - 1, index + 2
        else:
            index += 1
    return index
