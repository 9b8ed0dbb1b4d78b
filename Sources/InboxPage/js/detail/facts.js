// The most important facts about a push.
import { h } from "../dom.js";
import { safe } from "../strangers.js";
import { short } from "../dom.js";
import { app, phone } from "../shared/store.js";
import { outcome } from "../shared/row.js";
import { alertOf, isPush, parsed } from "../shared/texts.js";
import { clockTime, day } from "../times.js";
import { topicOf } from "../shared/topics.js";

export function facts(push) {
  const { thread } = alertOf(parsed(push.payload));
  const rows = isPush(push) ? [
    ["Outcome", outcome(push)],
    ["Device", [safe(phone(push.phone)?.name ?? push.phone ?? (push.channel_id ? "Channel" : "none"), 40), " ", h("i", {}, safe(short(push.token ?? push.channel_id ?? ""), 40))]],
    ["App", [safe(app(topicOf(push), push.phone)?.name ?? topicOf(push) ?? "no topic", 60), app(topicOf(push), push.phone)?.name && h("i", {}, " ", safe(topicOf(push), 80))]],
    ["Priority", [String(push.priority ?? "none"), h("i", {}, { 10: " at once", 5: " saves power", 1: " saves power, never wakes" }[push.priority] ?? "")]],
    ["apns-id", h("code", {}, safe(push.apns_id ?? push.apns_request_id ?? "none", 64))],
    ["Thread", thread ? h("code", {}, safe(thread, 80)) : h("i", {}, "none: grouped by app")],
    ["Collapse id", push.collapse_id ? h("code", {}, safe(push.collapse_id, 80)) : h("i", {}, "none")],
    ["Expires", h("i", {}, expires(push.expiration))],
  ] : [["Answer", outcome(push)], ["Method", h("code", {}, safe(push.method, 12))], ["Path", h("code", {}, safe(push.path, 120))], ["Channel", h("code", {}, safe(push.channel_id ?? "none", 80))]];
  return h("dl", { class: "card facts", id: "facts" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function expires(seconds) {
  if (seconds === undefined) return "kept up to 30 days";
  if (Number(seconds) === 0) return "one attempt, never stored";
  const time = new Date(Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? String(seconds) : `${day(time)} ${clockTime(time)}`;
}
