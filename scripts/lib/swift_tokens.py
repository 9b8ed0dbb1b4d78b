"""The tokens of a Swift source file, for scripts that read declarations.

Comments are left out. A string literal is one token, with its quotation marks and with the code in it. Regular expression literals are
read as operators and names, so a bracket or a quotation mark in one is an error.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from swift_skeleton import START, comment, literal

WORD = re.compile(r"`\w+`|\w+")
BRACKETS = {"(": ")", "[": "]", "{": "}"}


class SourceError(Exception):
    """What is wrong in a source file, and where."""

    def __init__(self, path, line, sentence):
        super().__init__(f"{path}:{line}: error: {sentence}")


@dataclass
class Token:
    kind: str  # word, string or mark; a mark is one character
    text: str
    line: int
    # Whether it stands between #if and #endif.
    is_conditional: bool = False


class Source:
    """A file with its tokens. `closing` has the index of the closing bracket for the index of each opening one."""

    def __init__(self, path, shown):
        self.path = shown
        # An empty one ends the file.
        self.tokens = list(self.split(Path(path).read_text(encoding="utf-8")))
        self.closing = self.match_brackets()
        self.mark_conditions()

    def error(self, index, sentence):
        return SourceError(self.path, self.tokens[index].line, sentence)

    def split(self, text):
        index, line = 0, 1
        while index < len(text):
            begin, start, word = index, START.match(text, index), WORD.match(text, index)
            if start and start[2]:
                index = literal(text, start.end(), [], start[1], start[2])
                self.require_end(text[begin:index], start[1], start[2], line)
                yield Token("string", text[begin:index], line)
            elif start:
                index = comment(text, start.end()) if start[0] == "/*" else start.end()
            elif word:
                index = word.end()
                yield Token("word", word[0], line)
            else:
                index += 1
                if not text[begin].isspace():
                    yield Token("mark", text[begin], line)
            line += text.count("\n", begin, index)
        yield Token("mark", "", line)

    def require_end(self, string, hashes, quote, line):
        is_closed = len(string) >= 2 * len(hashes + quote) and string.endswith(quote + hashes)
        if not is_closed or quote == '"' and "\n" in string:
            raise SourceError(self.path, line, "this string does not end in its line, or is in a regular expression.")

    def match_brackets(self):
        closing, opened = {}, []
        for index, token in enumerate(self.tokens):
            if token.kind != "mark":
                continue
            if token.text in BRACKETS:
                opened.append(index)
            elif token.text in BRACKETS.values():
                if not opened or BRACKETS[self.tokens[opened[-1]].text] != token.text:
                    raise self.error(index, f'nothing opens this "{token.text}".')
                closing[opened.pop()] = index
        if opened:
            raise self.error(opened[-1], f'nothing closes this "{self.tokens[opened[-1]].text}".')
        return closing

    def mark_conditions(self):
        depth = 0
        for index, token in enumerate(self.tokens):
            if token.text == "#":
                depth += {"if": 1, "endif": -1}.get(self.tokens[index + 1].text, 0)
            token.is_conditional = depth > 0

    def top_level(self, start=0, end=None):
        """The indices of the tokens outside of any brackets. An opening bracket counts as outside, a closing one does not."""
        index, end = start, len(self.tokens) if end is None else end
        while index < end:
            yield index
            index = self.closing.get(index, index) + 1

    def text(self, start, end):
        return "".join(token.text for token in self.tokens[start:end])
