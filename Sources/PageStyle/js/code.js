// JSON in colour, line by line, with findings at their positions. Works on text that is not JSON too.
import { h } from "./dom.js";
import { isInvisible, safe } from "./strangers.js";

const PART = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b|[{}[\],:]/g;
// Longer lines are not coloured, and only their beginning is shown.
const LONGEST_COLOURED = 4000;
const LONGEST = 20000;
const MOST_LINES = 3000;

export function colour(line) {
  if (line.length > LONGEST_COLOURED) return [{ text: line.slice(0, LONGEST), from: 0 }];
  const parts = [];
  let at = 0;
  for (const match of line.matchAll(PART)) {
    if (match.index > at) parts.push({ text: line.slice(at, match.index), from: at });
    const [whole, string, colon] = match;
    if (string) { parts.push({ text: string, from: match.index, kind: colon ? "k" : "s" }); if (colon) parts.push({ text: colon, from: match.index + string.length, kind: "p" }); }
    else parts.push({ text: whole, from: match.index, kind: /^[-\d]/.test(whole) ? "d" : /^[tfn]/.test(whole) ? "w" : "p" });
    at = match.index + whole.length;
  }
  if (at < line.length) parts.push({ text: line.slice(at), from: at });
  return parts;
}

/// - `isCopy`: whether the line lies under an editor, where each character must keep its position.
export function codeLine(line, findings = [], isCopy = false) {
  const finding = findings[0];
  const shown = (text) => isCopy ? text : [...text].some(isInvisible) ? safe(text, LONGEST) : text;
  const parts = colour(line).map((part) => {
    const marked = findings.some((each) => each.at < part.from + part.text.length && each.at + Math.max(1, each.size) > part.from);
    const inside = marked ? h("mark", {}, shown(part.text)) : shown(part.text);
    return part.kind ? h("span", { class: part.kind }, inside) : inside;
  });
  return h("span", { class: finding ? `ln hit ${finding.severity}` : "ln" }, parts.length ? parts : "\u200b", line.length > LONGEST && !isCopy && h("span", { class: "pill warn" }, `and ${line.length - LONGEST} more characters`));
}

/// Findings with their position in characters of the line; the API counts bytes.
export function located(text, findings) {
  const lines = text.split("\n");
  const decoder = new TextDecoder();
  return findings.filter((each) => each.line).map((each) => {
    const bytes = new TextEncoder().encode(lines[each.line - 1] ?? "");
    const at = decoder.decode(bytes.subarray(0, each.column - 1)).length;
    return { ...each, at, size: decoder.decode(bytes.subarray(each.column - 1, each.column - 1 + (each.length ?? 1))).length };
  });
}

/// - `note`: draws a finding below its line.
export function code(text, findings, note, label = "Payload", before = null) {
  const all = located(text, findings);
  const lines = text.split("\n");
  return h("div", { class: "code", tabindex: "0", role: "group", "aria-label": label }, before,
    lines.slice(0, MOST_LINES).map((line, i) => {
      const here = all.filter((each) => each.line === i + 1);
      return [codeLine(line, here), here.map(note)];
    }),
    lines.length > MOST_LINES && h("p", { class: "body-mark" }, `and ${lines.length - MOST_LINES} more lines`));
}
