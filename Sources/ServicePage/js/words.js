// The words of the API as people read them.
import { h, number } from "./dom.js";
import { icon } from "./icons.js";
import { safe } from "./strangers.js";

export const OUTCOMES = [
  ["accepted", "Accepted", "ok", "check"], ["rejected", "Rejected", "bad", "cross"],
  ["unknown", "Unknown", "warn", "question"], ["not_sent", "Not sent", "", "clock"],
];
const STATES = { held: "Held by its campaign", waiting: "Waits", leased: "Taken by a worker", started: "Being sent", finished: "Finished" };
const APP_STATES = { running: ["Running", "ok", "check"], resting: ["Apple rests", "warn", "clock"], paused: ["Paused", "warn", "pause"], refused: ["Needs a correction", "bad", "warn"], down: ["Down", "bad", "warn"] };

/// A pill with the outcome of a job, or its state.
export function outcomePill(job) {
  const outcome = OUTCOMES.find(([id]) => id === job.outcome?.kind);
  if (!outcome) return h("span", { class: "pill" }, icon("clock"), STATES[job.state] ?? job.state);
  return h("span", { class: `pill ${outcome[2]}` }, icon(outcome[3]), outcome[1]);
}

export function appPill(state) {
  const [title, tone, drawing] = APP_STATES[state] ?? [state, "", "question"];
  return h("span", { class: `pill ${tone}` }, icon(drawing), title);
}

export const reason = (outcome) => outcome?.reason ? [h("span", { class: "mono" }, safe(outcome.reason, 80)), outcome.detail && h("div", { class: "muted" }, safe(outcome.detail, 300))] : null;

export function target(job) {
  const text = job.token ?? job.channel ?? "";
  return h("span", { class: "mono", title: job.channel ? "Channel" : "Device token" }, safe(text.length > 20 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text, 80));
}

export const jobLink = (job) => h("a", { class: "mono", href: `#/job/${encodeURIComponent(job.id)}` }, job.id);
export const rate = (value) => value >= 100 ? number(Math.round(value)) : value >= 10 ? value.toFixed(0) : value.toFixed(1);
