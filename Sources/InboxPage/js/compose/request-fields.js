// The header fields of the push that is being composed.
import { h } from "../dom.js";
import { store } from "../shared/store.js";
import { plainTopic } from "../shared/topics.js";

const FIELDS = [["token", "Device token"], ["topic", "apns-topic"], ["push_type", "apns-push-type"], ["priority", "apns-priority"], ["collapse_id", "apns-collapse-id"]];
const ANY_TOKEN = "5f3ad1c07b9e4286".repeat(4);
let form = null;

export function requestFields(start) {
  const value = (name) => start[name] ?? (name === "token" ? knownToken(start.topic) : "");
  const field = (name, title) => h("label", { class: "field" }, h("span", {}, title), h("input", { class: "mono", type: "text", name, value: String(value(name)), placeholder: { priority: "as usual", collapse_id: "none", push_type: "as the payload says" }[name], spellcheck: "false", autocomplete: "off" }));
  const [token, topic, type, priority, collapse] = FIELDS.map(([name, title]) => field(name, title));
  form = h("div", { class: "request" }, token, topic, h("div", { class: "pair" }, type, priority), collapse);
  return form;
}

// A device that already has the app, so that the push arrives at the visible phone; else one of another phone.
function knownToken(topic) {
  const plain = plainTopic(topic);
  const ordered = [...store.phones].sort((left, right) => Number(right.id === store.phone) - Number(left.id === store.phone));
  return ordered.flatMap((each) => each.apps).find((one) => one.topic === plain && one.tokens?.length > 0)?.tokens[0] ?? ANY_TOKEN;
}

/// What is in the fields; empty ones are left out.
export function fieldsOf() {
  const values = {};
  for (const input of form?.querySelectorAll("input") ?? []) {
    const text = input.value.trim();
    if (text) values[input.name] = input.name === "priority" && /^\d{1,3}$/.test(text) ? Number(text) : text;
  }
  return values;
}
