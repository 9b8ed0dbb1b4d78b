// One push in the table.
import { h } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { icon, TYPE_ICON, OUTCOME_ICON } from "../icons.js";
import { tile } from "./tile.js";
import { app, appName, phone } from "./store.js";
import { bodyBytes, isPush, textsOf } from "./texts.js";
import { clockTime, precise } from "../times.js";
import { topicOf } from "./topics.js";

export function row(push) {
  const { title, body, isKind } = textsOf(push);
  const type = typeOf(push);
  const label = [title, body, `${push.status || "not checked"}`, outcomeOf(push).text, clockTime(push.time)].filter(Boolean).join(", ");
  return h("tr", { role: "row", "data-n": push.number },
    cell("c-time", h("time", { datetime: push.time, title: precise(push.time) }, clockTime(push.time))),
    cell("c-status", statusPill(push)),
    cell("c-type", h("span", { title: plain(type, 40) }, icon(TYPE_ICON[type] ?? "bell"), safe(type, 24))),
    cell("say", h("a", { href: `#/push/${push.number}`, "aria-label": plain(label) },
      title && h("b", {}, safe(title, 120)), title && "  ", h("span", { class: isKind ? "none" : "" }, safe(body ?? "", 160)), cutMark(push))),
    cell("c-app", h("span", { title: plain(topicOf(push), 200) }, tile(app(topicOf(push), push.phone), topicOf(push)), h("code", {}, safe(topicOf(push) ?? "no topic", 80)))),
    cell("c-dev", safe(phone(push.phone)?.name ?? push.phone ?? "", 40)),
    cell("c-out", outcome(push)));
}

const cell = (name, ...inside) => h("td", { class: name, role: "cell" }, inside);

export const typeOf = (push) => isPush(push) ? push.push_type ?? "no type" : "channel";

/// The outcome on the phones; for other requests, the answer.
export function outcomeOf(push) {
  if (push.outcome) return push.outcome;
  if (push.status >= 400) return { kind: "rejected", text: push.reason ?? String(push.status) };
  return { kind: "woke", text: push.status ? "Answered" : "Not checked" };
}

/// Redraws the outcome of a row; everything else of a push stays as it arrived.
export function renewOutcome(element, push) {
  element.querySelector(".c-out").replaceChildren(outcome(push));
}

const cutMark = (push) => push.payload_bytes !== undefined && h("span", { class: "pill cut-mark", title: `The body is ${bodyBytes(push)} bytes; the mock keeps only the beginning` }, "cut");

export function statusPill(push) {
  const tone = push.status === 0 ? "" : push.status < 300 ? "ok" : push.status >= 500 || push.status === 429 ? "warn" : "bad";
  return h("span", { class: `pill mono ${tone}` }, push.status === 0 ? "–" : String(push.status));
}

export function outcome(push) {
  const { kind, text, why } = outcomeOf(push);
  return h("span", { class: `out ${Object.hasOwn(OUTCOME_ICON, kind) ? kind : ""}`, title: why && plain(why) }, icon(OUTCOME_ICON[kind] ?? "info"), h("span", {}, safe(text, 80)));
}
