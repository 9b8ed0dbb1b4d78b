// Times of the API, RFC 3339 in UTC, as they are shown: local, and on a phone without seconds.
const pad = (value) => String(value).padStart(2, "0");

const parts = (text) => { const date = new Date(text); return Number.isNaN(date.getTime()) ? null : date; };

export function clockTime(text, seconds = true) {
  const date = parts(text);
  return date ? `${pad(date.getHours())}:${pad(date.getMinutes())}${seconds ? `:${pad(date.getSeconds())}` : ""}` : String(text ?? "");
}

export const minute = (text) => clockTime(text, false);
export const precise = (text) => { const date = parts(text); return date ? `${clockTime(text)}.${String(date.getMilliseconds()).padStart(3, "0")}` : String(text ?? ""); };
export const day = (text) => parts(text)?.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" }) ?? "";

export function span(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} days`;
}

export function after(milliseconds) {
  if (milliseconds < 1000) return `+${milliseconds} ms`;
  return milliseconds < 60000 ? `+${(milliseconds / 1000).toFixed(2)} s` : `+${span(milliseconds / 1000)}`;
}
