// Is it well? What needs me now?
import { h, put, number } from "../dom.js";
import { get, write } from "../api.js";
import { attempt, command, copy, toast } from "../copy.js";
import { icon } from "../icons.js";
import { minute } from "../times.js";
import { bar, spark } from "../chart.js";
import { examine, isSuspicious } from "../needs.js";
import { repeat } from "../page.js";
import { act, ago, appName, button, dialog, field, nothing, pill, refresh, span, table } from "../parts.js";
import { link } from "../route.js";
import { apps, may } from "../session.js";
import { APP_STATES, CREDENTIALS, KINDS } from "../words.js";
import { again, state, sum, watch } from "../watch.js";
import { safe } from "../strangers.js";
import { retried } from "./webhooks.js";

const PAUSE = 10000;
const MINUTES = 60;
// The reasons of so many apps are asked for at once; of those that fail most.
const MOST_SUSPICIOUS = 10;

export function overview() {
  const needs = h("section", { class: "needs", "aria-labelledby": "needs-title" }), sparks = h("div", { class: "sparks" }), list = h("div"), foot = h("p", { class: "foot" });
  const page = h("div", { class: "page" });
  let counts = null, shown = "";
  const draw = () => {
    if (!counts || !state.status) return;
    if (!page.firstChild) put(page, needs, sparks, list, foot);
    const found = examine(state.status, state.hooks, counts.suspicious);
    const key = JSON.stringify([found.needs.map((each) => [each.title, each.text]), found.checks]);
    if (key !== shown) { shown = key; refresh(needs, found.needs.length ? needy(found.needs) : fine(found.checks)); }
    const isFirst = counts.apps.length === 0 && sum(({ counts: c }) => c.kept ?? 0) + sum(({ counts: c }) => c.waiting) === 0;
    refresh(list, isFirst ? first() : appTable(new Map(counts.apps.map((each) => [each.app, each]))));
    if (!sparks.matches(":hover, :focus-within")) put(sparks, isFirst ? null : lines(counts));
    const { workers = [], version } = state.status;
    put(foot, icon("server"), workers.length > 0 && h("span", {}, workers.filter(({ lost }) => !lost).map((each, i) => [i > 0 && " · ", safe(each.name, 60), ` seen ${ago(each.seen_at, state.status.now)}`])), h("span", {}, `version ${version}`));
    page.dataset.needs = String(found.needs.length);
  };
  const load = async () => {
    const read = async (by, app) => (await get("/v1/statistics", { by, app })).items;
    const [minutes, byApp] = await Promise.all([read("minute"), read("app")]);
    const failed = (each) => KINDS.slice(1).reduce((n, kind) => n + (each[kind] ?? 0), 0);
    const worst = byApp.filter(isSuspicious).sort((a, b) => failed(b) - failed(a)).slice(0, MOST_SUSPICIOUS);
    counts = { minutes, apps: byApp, suspicious: await Promise.all(worst.map(async ({ app }) => ({ app, reasons: await read("reason", app) }))) };
    if (!state.status) await new Promise((resolve) => { const stop = watch(() => { resolve(); setTimeout(() => stop()); }); });
    draw();
  };
  const { stop } = repeat(page, load, PAUSE);
  const stopWatching = watch(draw);
  return { body: page, leave: () => { stop(); stopWatching(); } };
}

function needy(list) {
  return [h("h1", { id: "needs-title" }, list.length === 1 ? "One thing needs you" : `${list.length} things need you`), h("ul", { class: "card" }, list.map((each) =>
    h("li", { class: each.severity }, icon(each.severity === "bad" ? "alert" : "warn", each.severity === "bad" ? "Urgent" : "Soon"), h("div", {}, h("h2", {}, each.title), h("p", {}, each.text)), h("div", { class: "actions" }, each.actions.map(wayOut)))))];
}

function wayOut(action) {
  if (action.href) return h("a", { class: "btn small", href: action.href }, action.label);
  if (action.copy) return button(action.label, () => copy(action.copy, "Command copied"), { kind: "small" });
  if (!may("admin")) return null;
  if (action.resume) return act(action.label, () => setPaused(action.resume, false), { kind: "small" });
  return act(action.label, async () => { toast(retried(await write("POST", `/v1/webhooks/${encodeURIComponent(action.retry)}/retry`))); again(); }, { kind: "small" });
}

const fine = (checks) => h("div", { class: "fine" }, h("h1", { id: "needs-title" }, icon("check"), "Nothing needs you"), h("p", {}, `${checks.length} checks passed just now.`), h("ul", { class: "checks card" }, checks.map((each) => h("li", {}, icon("check"), each))));

function lines({ minutes }) {
  const now = new Date(state.status.now).getTime(), byMinute = new Map(minutes.map((each) => [Math.floor(new Date(each.at) / 60e3), each]));
  // The minute that runs isn't over, so the line ends with the one before.
  const places = Array.from({ length: MINUTES }, (_, i) => Math.floor(now / 60e3) - MINUTES + i);
  const at = (i) => minute(new Date(places[i] * 60e3).toISOString());
  const values = (...kinds) => places.map((place) => kinds.reduce((n, kind) => n + (byMinute.get(place)?.[kind] ?? 0), 0));
  const accepted = values("accepted"), failed = values("rejected", "unknown", "not_sent"), samples = state.samples, when = (i) => minute(samples[Math.min(i, samples.length - 1)].at);
  return [spark(accepted, { label: "Accepted", unit: "/min", at, tone: "ok" }), spark(failed, { label: "Failed", unit: "/min", at, tone: "bad", worst: failed.at(-1) > .1 * accepted.at(-1) }),
    spark(samples.map((each) => each.waiting), { label: "Waiting", at: when }), spark(samples.map((each) => each.late), { label: "Late by", unit: " s", at: when, tone: "warn", worst: samples.at(-1).late > 30 })];
}

function appTable(hour) {
  const rows = state.status.apps.map((app) => {
    const counts = hour.get(app.name) ?? {}, failed = KINDS.slice(1).reduce((n, kind) => n + (counts[kind] ?? 0), 0), late = app.oldest_due_seconds;
    return h("tr", {}, h("td", { class: "c-app" }, h("a", { href: link("outcomes", { app: app.name }) }, appName(app.name))), h("td", { class: "c-state" }, pill(APP_STATES[app.state] ?? [app.state, "", "info"])), h("td", { class: "c-parts" }, bar(counts), h("small", { class: "narrow" }, `${number(counts.accepted ?? 0)} accepted, ${number(failed)} failed, ${number(app.counts.waiting)} wait`)),
      h("td", { class: "num" }, number(counts.accepted ?? 0)), h("td", { class: "num" }, number(failed)), h("td", { class: "num" }, number(app.counts.waiting)), h("td", { class: "num opt" }, app.state === "paused" ? h("span", { class: "faint" }, "paused") : late > 1 ? span(late) : "–"),
      h("td", { class: "c-cred opt" }, CREDENTIALS[app.credentials] ?? app.credentials, app.certificate_days_left !== undefined && h("span", { class: `pill ${app.certificate_days_left < 14 ? "warn" : ""}` }, `${app.certificate_days_left} days`)),
      may("admin") && h("td", { class: "c-act" }, app.state === "paused" || app.state === "refused" ? act("Resume", () => setPaused(app.name, false), { kind: "small bare" }) : button("Pause…", () => pause(app.name), { kind: "small bare" })));
  });
  if (!rows.length) return nothing("No app", "The service has no app that this key is for.");
  return h("section", { class: "card" }, h("header", {}, h("h2", {}, "Apps"), h("p", {}, "in the last hour")),
    table("Apps", [["App", "c-app"], ["State", "c-state"], ["Outcomes", "c-parts"], ["Accepted", "num"], ["Failed", "num"], ["Waiting", "num"], ["Late by", "num opt"], ["Credentials", "c-cred opt"], may("admin") && ["", "c-act"]], rows, "apps"));
}

async function setPaused(name, isPaused, reason = "") {
  await write("POST", `/v1/apps/${encodeURIComponent(name)}/${isPaused ? "pause" : "resume"}`, reason ? { reason } : {});
  toast(isPaused ? `${name} is paused. Pushes in flight finish, the others wait.` : `${name} sends again.`, isPaused ? "pause" : "check");
  again();
}

function pause(name) {
  // The service takes 200 bytes.
  const why = h("input", { autocomplete: "off", maxlength: "60", placeholder: "Receipts show 0.00 €" });
  dialog(["Pause ", safe(name, 60), "?"], () => attempt(() => setPaused(name, true, why.value.trim())), h("p", {}, "Its pushes wait until someone resumes it. Those that expire meanwhile aren’t sent."), field("Why? The others read it here", why), h("button", { class: "btn primary", type: "submit" }, "Pause"));
}

const first = () => h("div", { class: "card" }, nothing("No push yet", "This page shows every push, its outcome and what needs you. Send the first one, to a phone or to the mock:",
  command(`curl -sS "${location.origin}/v1/notifications?wait=10s" -H "Authorization: Bearer $PUSHSERVE_API_KEY" -H 'Content-Type: application/json' -d '{"app":"${apps()[0] ?? "NAME"}","token":"5f3ad1c07b9e4286","payload":{"aps":{"alert":"Hello"}}}'`), may("send") && h("a", { class: "btn", href: "#/compose" }, "Or compose it here")));
