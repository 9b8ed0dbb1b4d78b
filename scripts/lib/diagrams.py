#!/usr/bin/env python3
"""Draws the diagrams of the documentation as SVG, for a light and a dark page: the parts, and the decision tree of the four outcomes.

    scripts/lib/diagrams.py FOLDER
"""
import html
import sys
from pathlib import Path

STYLE = """    text { font: 13px Inter, system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #14171c; }
    .small { font-size: 11.5px; fill: #5a6372; }
    .name { font-weight: 600; }
    .box { fill: #ffffff; stroke: #c3cad4; }
    .ours { fill: #eef4ff; stroke: #6f97cf; }
    .ok { fill: #e8f6ee; stroke: #43a56c; } .bad { fill: #fdecea; stroke: #d2402f; } .warn { fill: #fdf3e2; stroke: #c47a0a; } .plain { fill: #eef0f3; stroke: #8791a0; }
    .bar { fill: #6f97cf; } .mark { stroke: #d2402f; stroke-dasharray: 4 3; }
    .arrow { stroke: #5f6777; fill: none; stroke-width: 1.4; } .head { fill: #5f6777; }
    @media (prefers-color-scheme: dark) {
      text { fill: #eceff4; } .small { fill: #a3acba; }
      .box { fill: #171a20; stroke: #3b424e; } .ours { fill: #16233a; stroke: #4f7fb8; }
      .ok { fill: #12281c; stroke: #3f9a67; } .bad { fill: #331714; stroke: #f0705f; } .warn { fill: #2f2210; stroke: #e2a545; } .plain { fill: #22262d; stroke: #6d7685; }
      .bar { fill: #4f7fb8; } .mark { stroke: #f0705f; }
      .arrow { stroke: #9aa2b0; } .head { fill: #9aa2b0; }
    }"""


class Diagram:
    def __init__(self, title, width, height):
        self.title, self.width, self.height, self.parts = title, width, height, []

    def box(self, x, y, width, height, name, *lines, kind="box"):
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>')
        middle = y + height / 2 - 8 * len(lines) + 4.5
        for number, text in enumerate([name, *lines]):
            self.text(x + width / 2, middle + 16 * number, text, "name" if number == 0 else "small", "middle")

    def text(self, x, y, text, kind="small", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{html.escape(text, quote=False)}</text>')

    def arrow(self, *points, word="", at=None, anchor="middle"):
        """A line through the points, with a head at its end."""
        (x0, y0), (x1, y1) = points[-2:]
        self.parts.append(f'<path class="arrow" d="M{" L".join(f"{x:g} {y:g}" for x, y in points)}"/>')
        across = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
        back = (x1 - 8 * across[0], y1 - 8 * across[1])
        side = (4 * across[1], 4 * across[0])
        corners = [(x1, y1), (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])]
        self.parts.append(f'<path class="head" d="M{" L".join(f"{x:g} {y:g}" for x, y in corners)} Z"/>')
        if word:
            x, y = at or ((x0 + x1) / 2, (y0 + y1) / 2 - 6)
            self.text(x, y, word, "small", anchor)

    def write(self, path):
        body = "\n".join(f"  {part}" for part in self.parts)
        path.write_text(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" aria-labelledby="title">
  <title id="title">{html.escape(self.title, quote=False)}</title>
  <style>
{STYLE}
  </style>
{body}
</svg>
""")
        print(path)


def parts():
    drawing = Diagram("The parts: your program uses the library, pushsend or pushserve, and they send to Apple or to the mock.", 820, 330)
    drawing.box(20, 20, 170, 56, "Your Swift program", "Vapor, Hummingbird, ...")
    drawing.box(20, 137, 170, 56, "A person, a script", "a terminal, CI, cron")
    drawing.box(20, 254, 170, 56, "Your program", "in any language, or SQL")
    drawing.box(300, 20, 190, 56, "PushProvider", "the library", kind="ours")
    drawing.box(300, 137, 190, 56, "pushsend", "send, batch, lint, doctor", kind="ours")
    drawing.box(300, 254, 190, 56, "pushserve", "queue, API, console, webhooks", kind="ours")
    drawing.box(620, 60, 180, 56, "Apple’s APNs", "to the phone")
    drawing.box(620, 214, 180, 56, "pushsend mock", "inbox, virtual phones, faults", kind="ours")
    drawing.arrow((190, 48), (300, 48), word="calls")
    drawing.arrow((190, 165), (300, 165), word="runs")
    drawing.arrow((190, 282), (300, 282), word="HTTP")
    drawing.arrow((395, 137), (395, 76), word="both send with it", at=(387, 110), anchor="end")
    drawing.arrow((490, 282), (522, 282), (522, 62), (490, 62))
    drawing.arrow((490, 48), (555, 48), (555, 88), (620, 88), word="HTTP/2", at=(588, 80))
    drawing.arrow((555, 88), (555, 242), (620, 242), word="in tests", at=(588, 234))
    return drawing


def outcomes():
    drawing = Diagram("How a send ends: not sent, unknown, rejected or accepted. Each notification gets exactly one of the four.", 820, 420)

    def question(y, *words):
        drawing.box(40, y, 300, 56, *words)

    def answer(y, kind, name, *lines):
        drawing.box(520, y - 4, 280, 64, name, *lines, kind=kind)
    question(20, "Was the request written?", "to the last byte of its first record")
    question(124, "Did Apple answer?", "before the connection or the deadline ended")
    question(228, "Was the answer 200?", "429 and 5xx are retried until the deadline")
    answer(20, "plain", "not sent", "Apple doesn’t have it: send it again")
    answer(124, "warn", "unknown", "Apple may have it: send it again only", "if receiving it twice is harmless")
    answer(228, "bad", "rejected", "with Apple’s reason: correct it, or", "delete the device token")
    drawing.box(40, 332, 300, 64, "accepted", "Apple took it.", "It doesn’t say whether a phone showed it.", kind="ok")
    for y in (48, 152, 256):
        drawing.arrow((340, y), (520, y), word="no")
        drawing.arrow((190, y + 28), (190, y + 76), word="yes", at=(200, y + 56), anchor="start")
    drawing.text(430, 68, "or refused by HTTP/2", "small", "middle")
    return drawing


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    parts().write(folder / "parts.svg")
    outcomes().write(folder / "outcomes.svg")


if __name__ == "__main__":
    main()
