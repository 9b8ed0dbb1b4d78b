// The header fields of the push that is being composed.
import { h, put } from "../dom.js";
import { plain } from "../strangers.js";
import { store } from "../shared/store.js";
import { plainTopic } from "../shared/topics.js";

const FIELDS = [["token", "Device token"], ["topic", "apns-topic"], ["push_type", "apns-push-type"], ["priority", "apns-priority"], ["expiration", "apns-expiration"], ["collapse_id", "apns-collapse-id"]];
const PLACEHOLDERS = { priority: "as usual", expiration: "0, 2h, or seconds since 1970", collapse_id: "none", push_type: "as the payload says" };
const TYPES = ["alert", "background", "liveactivity", "voip", "widgets", "controls", "complication", "fileprovider", "location", "mdm", "pushtotalk", "accessory"];
const SECONDS = { s: 1, m: 60, h: 3600, d: 86400 };
// The number of values that a field offers at most. A profile can have any number of apps.
const MOST_OFFERED = 200;
const ANY_TOKEN = "5f3ad1c07b9e4286".repeat(4);
let form = null;

export function requestFields(start) {
  const value = (name) => start[name] ?? (name === "token" ? knownToken(start.topic) : "");
  const field = (name, title) => h("label", { class: "field" }, h("span", {}, title), h("input", { class: "mono", type: "text", name, value: String(value(name)), list: OFFERS[name] && `offers-${name}`, placeholder: PLACEHOLDERS[name], spellcheck: "false", autocomplete: "off" }));
  const [token, topic, type, priority, expiration, collapse] = FIELDS.map(([name, title]) => field(name, title));
  form = h("div", { class: "request" }, token, topic, h("div", { class: "pair" }, type, priority), expiration, collapse, Object.keys(OFFERS).map((name) => h("datalist", { id: `offers-${name}` })));
  offer();
  // The phones can have other apps and tokens by now.
  form.addEventListener("focusin", offer);
  return form;
}

// What the fields offer: what the phones have, with the name of its phone and app.
const OFFERS = {
  token: () => ofPhones((one) => one.tokens ?? [], (one, phone) => `${phone.name}, ${one.name ?? one.topic}`),
  topic: () => ofPhones((one) => [one.topic], (one) => one.name ?? one.topic),
  push_type: () => TYPES.map((name) => [name]),
  priority: () => [["10", "at once"], ["5", "saves power"], ["1", "saves power, never wakes"]],
  expiration: () => [["0", "one attempt, never stored"], ["1h", "from now"], ["1d", "from now"]],
};

const ofPhones = (values, label) => store.phones.flatMap((phone) => phone.apps.flatMap((one) => values(one).map((value) => [value, label(one, phone)])));

function offer() {
  for (const [name, all] of Object.entries(OFFERS)) {
    const known = new Map([...all()].reverse());
    put(form.querySelector(`#offers-${name}`), [...known].reverse().slice(0, MOST_OFFERED).map(([value, label]) => h("option", { value, label: label && plain(label, 80) })));
  }
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

/// The fields as they are written, for a draft.
export const writtenFields = () => Object.fromEntries([...form.querySelectorAll("input")].map((input) => [input.name, input.value]));

/// When the push expires, in seconds since 1970: a time like 2h counts from now. Other texts stay, and the mock says what is wrong with them.
export function expirationOf() {
  const text = fieldsOf().expiration;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text ?? "") ?? [];
  return unit ? Math.floor(Date.now() / 1000) + Number(count) * SECONDS[unit] : text;
}
