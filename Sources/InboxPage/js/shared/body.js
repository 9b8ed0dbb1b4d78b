// The body of a push as it is shown: formatted JSON, other text unchanged, and bytes for anything that is not UTF-8.
import { parsed } from "./texts.js";

// The maximum depth and number of lines of JSON that is formatted again. Longer or deeper JSON is shown unchanged.
const DEEPEST = 60;
const MOST_LINES = 3000;

export async function readBody(push, read) {
  const raw = await read(`/pushes/${push.number}/body`).catch(() => new TextEncoder().encode(push.payload ?? ""));
  const isCut = push.payload_bytes !== undefined;
  let text;
  try { text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw); } catch {
    // A character that the cut has halved is no mistake of the sender.
    if (!isCut || !isWholeBut(raw)) return { isText: false, text: withBytes(raw), mark: isCut ? "not UTF-8, cut" : "not UTF-8" };
    text = new TextDecoder().decode(raw.subarray(0, raw.length - 4)) ;
  }
  const mark = isCut ? "cut at 64 KiB" : parsed(text) === undefined && text !== "" ? "not JSON" : null;
  return { isText: true, text: lines(text), mark, isCut };
}

function isWholeBut(raw) {
  for (let off = 1; off < 4; off++) { try { new TextDecoder("utf-8", { fatal: true }).decode(raw.subarray(0, raw.length - off)); return true; } catch { /* one byte less */ } }
  return false;
}

/// Writes JSON in lines if that changes nothing: no number is rounded, no key is lost.
export function lines(text) {
  if (text.includes("\n") || text.length > 200000) return text;
  const value = parsed(text);
  if (value === undefined || depth(text) > DEEPEST) return text;
  return indented(text);
}

function depth(text) {
  let now = 0, most = 0;
  for (const character of text) { if (character === "{" || character === "[") most = Math.max(most, ++now); else if (character === "}" || character === "]") now--; }
  return most;
}

// Only blanks are added between the parts: texts, numbers and repeated keys are not changed.
function indented(text) {
  let out = "", level = 0, at = 0, count = 1;
  const line = () => { count++; return `\n${"    ".repeat(level)}`; };
  while (at < text.length) {
    const character = text[at];
    if (character === "\"") { const end = endOfString(text, at); out += text.slice(at, end); at = end; continue; }
    at++;
    if (/\s/.test(character)) continue;
    if (character === "{" || character === "[") {
      const rest = text.slice(at).match(/^\s*([}\]])/);
      if (rest) { out += character + rest[1]; at += rest[0].length; } else { level++; out += character + line(); }
    } else if (character === "}" || character === "]") { level--; out += line() + character; } else if (character === ",") out += `,${line()}`;
    else out += character === ":" ? ": " : character;
    if (count > MOST_LINES) return text;
  }
  return out;
}

function endOfString(text, from) {
  for (let at = from + 1; at < text.length; at++) { if (text[at] === "\\") at++; else if (text[at] === "\"") return at + 1; }
  return text.length;
}

// Bytes that are not characters are shown as \xFF, so that nothing is hidden.
function withBytes(raw) {
  let out = "", at = 0;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  while (at < raw.length) {
    const first = raw[at];
    const width = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 1;
    try { out += decoder.decode(raw.subarray(at, at + width)); at += width; } catch { out += `\\x${first.toString(16).toUpperCase().padStart(2, "0")}`; at++; }
  }
  return out;
}
