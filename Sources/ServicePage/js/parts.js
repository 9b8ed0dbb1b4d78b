// Pieces that several views share.
import { h, put, short, number } from "./dom.js";
import { icon, tile } from "./icons.js";
import { plain, safe } from "./strangers.js";
import { clockTime, day, precise } from "./times.js";
import { attempt } from "./copy.js";
import { says } from "./payload.js";
import { KINDS, OUTCOMES, WAITS } from "./words.js";

const HUES = ["amber", "violet", "green", "blue", "teal", "red", "ink"];
const hue = (name) => HUES[[...name].reduce((all, letter) => (all * 31 + letter.codePointAt(0)) % 9973, 7) % HUES.length];

export const appName = (name) => h("span", { class: "app-name", title: plain(name, 80) }, tile({ name, hue: hue(name) }, name), h("span", {}, safe(name, 80)));
export const pill = ([word, tone, name]) => h("span", { class: `pill ${tone}` }, icon(name), word);

/// The outcome of a push in one word: the reason where there is one.
export function outcome(job) {
  const kind = OUTCOMES[job.outcome?.kind] ?? WAITS[job.state] ?? WAITS.waiting;
  return h("span", { class: `out ${kind.tone}` }, icon(kind.icon), h("span", {}, job.outcome?.reason ? safe(job.outcome.reason, 80) : kind.word));
}

/// The detail of an outcome, which may be the middle of a sentence.
export const sentence = (detail) => detail.charAt(0).toUpperCase() + detail.slice(1);

/// What a push says; if it says nothing, or its payload is withheld, what else a list can tell of it.
export function about(job) {
  if (job.alert) { const { title, body } = says(job); return h("span", {}, h("b", {}, safe(title, 120)), body && [" ", safe(body, 300)]); }
  if (job.outcome?.detail) return h("span", {}, safe(sentence(job.outcome.detail), 200));
  const parts = [job.campaign && `line ${number(job.line ?? 0)} of a campaign`, job.dedupe_key && ["key ", h("code", {}, safe(job.dedupe_key, 80))], job.redriven_as && "sent again"].filter(Boolean);
  return h("span", { class: "none" }, parts.length ? parts.map((each, i) => [i > 0 && ", ", each]) : job.channel ? "to a channel" : [h("span", { class: "no-device" }, "–"), h("span", { class: "to-device" }, "to ", device(job))]);
}

export const device = (job) => h("code", { class: "device", title: job.channel ? "Channel" : "Device token" }, safe(short(job.token ?? job.channel), 40));

/// Local time, with UTC in the title; the day only where it is not today.
export function when(text, seconds = true) {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return h("span", {}, safe(text, 40));
  const isToday = new Date().toDateString() === time.toDateString();
  return h("time", { datetime: text, title: `${time.toISOString().replace("T", " ").replace("Z", " UTC")}` }, isToday ? clockTime(text, seconds) : `${shortDay(time)}, ${clockTime(text, false)}`);
}
const shortDay = (time) => time.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(time.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" }) });
export const moment = (text) => `${day(text)}, ${precise(text)}`;

/// A duration in seconds, with what a person can tell apart.
export function span(seconds) {
  const s = Math.abs(seconds);
  if (s < 1) return `${Math.round(s * 1000)} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 90) return `${Math.round(s)} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${Math.round(s / 3600)} h`;
  return s < 63072000 ? `${Math.round(s / 86400)} days` : `${number(Math.round(s / 31557600))} years`;
}
export const seconds = (from, to = Date.now()) => (new Date(to) - new Date(from)) / 1000;
export const ago = (text, now = Date.now()) => seconds(text, now) < 5 ? "just now" : `${span(seconds(text, now))} ago`;
export const percent = (part, all) => !all ? "–" : part / all > 0 && part / all < .001 ? "under 0.1 %" : `${(part / all * 100).toFixed(1)} %`;

export function head(title, sub, ...actions) {
  return h("header", { class: "page-head" }, h("div", {}, h("h1", {}, title), sub && h("p", {}, sub)), actions.some(Boolean) && h("div", { class: "actions" }, actions));
}

export const button = (label, action, { name, kind = "", ...rest } = {}) => h("button", { class: `btn ${kind}`, type: "button", ...rest, on: { click: action } }, name && icon(name), label);
export const anchor = (label, href, { name, kind = "" } = {}) => h("a", { class: `btn ${kind}`, href }, name && icon(name), label);

/// A button for a request: it can't be pressed twice, and a problem is said in its words.
export function act(label, action, options = {}) {
  const made = button(label, async () => { made.disabled = true; await attempt(action); made.disabled = false; }, options);
  return made;
}

export const nothing = (title, text, ...more) => h("div", { class: "nothing" }, h("b", {}, title), h("p", {}, text), more);

/// A whole page that has nothing to show.
export const lonely = (title, text, ...more) => h("div", { class: "nothing" }, h("h1", {}, title), h("p", {}, text), more);

export const field = (name, input, note) => h("label", { class: "field" }, h("span", {}, name), input.tagName === "SELECT" ? h("span", { class: "pick" }, input, icon("caret")) : input, note);
export const fact = (name, value, note) => h("div", {}, h("dt", {}, name), h("dd", {}, value, note && h("small", {}, note)));

/// - `columns`: names and classes. A column without a name has actions.
export function table(label, columns, rows, kind = "") {
  return h("table", { class: `log ${kind}`, "aria-label": label },
    h("thead", {}, h("tr", {}, columns.filter(Boolean).map(([name, type]) => h("th", { class: type, scope: "col" }, name || h("span", { class: "sr" }, "Actions"))))),
    h("tbody", {}, rows));
}

export const options = (list, value) => list.map(([key, name]) => h("option", { value: key, selected: key === (value ?? "") }, name));

/// - `isSet`: whether it is shown as a filter; what is always chosen is none.
export function select(label, value, list, change, isSet = Boolean(value)) {
  const box = h("select", { "aria-label": label, on: { change: () => change(box.value) } }, options(list, value));
  return h("span", { class: isSet ? "pick set" : "pick" }, box, icon("caret"));
}

/// - `all`: what the first choice says.
export const choice = (label, value, all, list, change) => select(label, value, [["", all], ...(value && !list.some(([key]) => key === value) ? [[value, plain(value, 60)]] : []), ...list], change);

export const outcomeChoice = (value, change) => choice("Outcome", value, "All outcomes", KINDS.map((each) => [each, OUTCOMES[each].word]), change);

/// Puts new elements in place, unless a person is aiming at one of the old ones.
export function refresh(box, ...children) {
  if (box.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) return;
  const label = box.contains(document.activeElement) ? document.activeElement.getAttribute("href") ?? document.activeElement.textContent : null;
  put(box, ...children);
  if (label) [...box.querySelectorAll("a, button")].find((each) => (each.getAttribute("href") ?? each.textContent) === label)?.focus({ preventScroll: true });
}

/// Asks before something that cannot be undone, with its number first. A large number is to be typed.
export function confirm({ title, text, count = 1, word, action, danger = true }) {
  const isTyped = count > 100;
  const entry = h("input", { inputmode: "numeric", autocomplete: "off", "aria-label": `Type ${count} to confirm`, on: { input: () => { yes.disabled = entry.value.replace(/\D/g, "") !== String(count); } } });
  const yes = h("button", { class: `btn ${danger ? "danger" : "primary"}`, type: "submit", disabled: isTyped }, word);
  dialog(title, () => attempt(action), h("p", {}, text), isTyped && h("label", { class: "field" }, h("span", {}, `Type ${number(count)} to confirm`), entry), yes);
}

/// - `parts`: what stands in it; the last one is the button.
export function dialog(title, submit, ...parts) {
  const yes = parts.pop();
  const box = h("dialog", { class: "ask", "aria-label": typeof title === "string" ? title : null, on: { close: () => box.remove() } }, h("form", { method: "dialog", on: { submit } },
    h("h2", {}, title), parts, h("footer", {}, yes && h("button", { class: "btn", type: "button", on: { click: () => box.close() } }, "Leave it"), yes ?? h("button", { class: "btn" }, "Close"))));
  document.body.append(box);
  box.showModal();
}

/// The pages of each app, merged: most lists of the API are those of one app.
export async function ofApps(apps, read, after = {}) {
  const pages = await Promise.all(apps.filter((app) => after[app] !== null).map(async (app) => [app, await read(app, after[app])]));
  return { items: pages.flatMap(([, page]) => page.items), after: { ...after, ...Object.fromEntries(pages.map(([app, page]) => [app, page.next])) } };
}
