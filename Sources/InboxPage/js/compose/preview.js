// What the composer's payload would show: first as the payload alone, and a moment later as the chosen phone would show it.
import { h, put, $ } from "../dom.js";
import { icon } from "../icons.js";
import { app, phone, store } from "../shared/store.js";
import { note } from "../phone/notification.js";
import { activity } from "../phone/activity.js";
import { expanded } from "../phone/expanded.js";
import { safe } from "../strangers.js";
import { alertOf, own, parsed } from "../shared/texts.js";
import { stageIcon } from "../detail/timeline.js";
import { plainTopic } from "../shared/topics.js";

export function drawPreview(text, fields) {
  const json = parsed(text);
  const { aps, ...alert } = alertOf(json);
  if (!$("preview") || !$("notes")) return;
  put($("tried"), null);
  if (json === undefined) { put($("notes"), say("alert", "The preview waits: this isn’t JSON yet.")); return; }
  const topic = String(fields.topic ?? "");
  const card = { push: 0, topic, ...alert, level: alert.level ?? "active", time: store.screens.get(phone(store.phone)?.id)?.time ?? new Date().toISOString(), actions: [], quiet: false };
  const running = typeof own(aps, "event") === "string";
  const hasAlert = alert.title || alert.body;
  put($("preview"), running ? activity(state(aps, topic)) : hasAlert ? note(card, { link: false }) : null);
  put($("preview-long"), store.preview === "long" && hasAlert && !running ? expanded(card) : null);
  put($("notes"), notes(json, aps, { alert, running, hasAlert, topic, token: fields.token }));
}

function state(aps, topic) {
  const fields = Object.entries(Object(own(aps, "content-state") ?? {})).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]);
  return { push: 0, topic, type: own(aps, "attributes-type"), fields, mapped: false, stale: false, ended: own(aps, "event") === "end" };
}

const say = (name, text) => h("li", {}, icon(name), h("span", {}, text));

function notes(json, aps, { alert, running, hasAlert, topic, token }) {
  const one = phone(store.phone) ?? store.phones[0];
  const permission = app(topic, one?.id)?.permission;
  const address = Object.keys(Object(json)).find((key) => /url$/i.test(key) && typeof json[key] === "string");
  const sound = own(aps, "sound");
  const owner = store.phones.find((each) => each.apps.some((one) => one.topic === plainTopic(topic) && one.tokens?.includes(String(token ?? "").toLowerCase())));
  return [
    owner && one && owner.id !== one.id && say("warn", safe(`The device token belongs to ${owner.name}: the push goes there, not to ${one.name}.`, 200)),
    !hasAlert && !running && say("hidden", "Nothing is shown: there is no alert."),
    own(aps, "mutable-content") && hasAlert && say("cog", "The service extension runs, at most 30 seconds, if the phone’s profile has one."),
    own(aps, "mutable-content") && !hasAlert && say("warn", "Without an alert the service extension never runs."),
    address && say("down", `${address} names a file. It is attached if the profile maps it; nothing is fetched.`),
    alert.category && say("tap", "The actions of its category are shown if the profile has it."),
    sound !== undefined && own(sound, "critical") && say("bell", "A critical sound plays even if the phone is muted."),
    sound !== undefined && !own(sound, "critical") && say(one?.muted ? "belloff" : "bell", one?.muted ? "The phone is muted: no sound." : "With a sound."),
    alert.level === "time-sensitive" && say("moon", "Breaks through Focus."),
    alert.thread && say("inbox", "Grouped with its thread."),
    permission === "denied" && say("hidden", "This app may not notify here: nothing is shown."),
    permission === "provisional" && say("belloff", "Delivered quietly: only in Notification Center."),
    running && say("activity", "Updated, unless its timestamp is older than that of the shown state."),
  ];
}

/// Draws how a phone would show it, as the mock's phones report.
export function drawOnPhone({ outcome, timeline, card, screen }, one) {
  if (!$("preview") || !$("tried")) return;
  const running = screen.activities.find((each) => each.push === 0);
  const isSeen = outcome.kind === "shown" || outcome.kind === "quiet";
  put($("preview"), running ? activity(running) : card && isSeen ? note(card, { link: false, phoneID: one.id }) : null);
  put($("preview-long"), store.preview === "long" && card && isSeen && !running ? expanded(card, { phoneID: one.id }) : null);
  put($("tried"), [
    say(isSeen ? "phone" : "hidden", safe([`${one.name}: ${outcome.text}`, outcome.why].filter(Boolean).join(". "), 300)),
    ...timeline.filter((each) => each.stage !== "received" && each.stage !== "judged").map((each) => say(stageIcon(each.stage), safe([each.text, each.note].filter(Boolean).join(". "), 300))),
  ]);
}
