// What is wrong, each with a sentence and a way out. A pure function of what the API says, so that every state can be looked at.
import { number, some } from "./dom.js";
import { link } from "./route.js";
import { span } from "./parts.js";
import { clockTime } from "./times.js";
import { plain } from "./strangers.js";

const LATE = 30, FAR = 14, ENOUGH = 20, MANY = .05, MOST_BAD = .2, MANY_UNKNOWN = .01;
// Reasons that are normal: people delete apps.
const NORMAL = new Set(["Unregistered", "gone", "cancelled", "superseded"]);

/// Whether so much of an app failed in an hour that its reasons must be looked at. `counts` are those of its outcomes, by kind.
export const isSuspicious = ({ accepted = 0, rejected = 0, not_sent = 0, unknown = 0 }) => {
  const all = accepted + rejected + not_sent + unknown;
  return all >= ENOUGH && ((rejected + not_sent) / all > MANY || unknown / all > MANY_UNKNOWN);
};

/// - `suspicious`: of each app of which much failed in the last hour, its name and the counts by reason.
/// - Returns: `needs`, the worst first, and the `checks` that passed.
export function examine({ apps, workers = [], now }, hooks, suspicious) {
  const needs = [], checks = [];
  const need = (severity, title, text, ...actions) => needs.push({ severity, title, text, actions });
  const check = (found, passed) => { if (!found) checks.push(passed); };

  let before = needs.length;
  for (const app of apps) {
    const name = plain(app.name, 60), waits = app.counts.waiting ? `${some(app.counts.waiting, "push", "pushes")} wait${app.counts.waiting === 1 ? "s" : ""} for it.` : "No push waits for it.";
    const say = plain(app.reason ?? "", 300);
    if (app.state === "down") need("bad", `${name} is down`, `${say} ${waits}`, { label: "What waits", href: link("waiting", { app: app.name }) });
    else if (app.state === "refused") need("bad", `${name} has stopped: Apple refuses it`, `${say} ${waits}`, { label: "Outcomes", href: link("outcomes", { app: app.name }) }, { label: "Resume", resume: app.name });
    else if (app.state === "paused") need("warn", `${name} is paused`, say ? `“${say}” ${waits}` : waits, { label: "Resume", resume: app.name }, { label: "What waits", href: link("waiting", { app: app.name }) });
    else if (app.state === "resting") need("warn", `${name} rests after failures`, `${say} It goes on by itself. ${waits}`, { label: "What waits", href: link("waiting", { app: app.name }) });
  }
  check(needs.length > before, apps.length === 1 ? "The app is running" : apps.length === 2 ? "Both apps are running" : `All ${apps.length} apps are running`);

  before = needs.length;
  for (const app of apps) if ((app.oldest_due_seconds ?? 0) > LATE && app.state === "running") need("bad", `${plain(app.name, 60)} is late by ${span(app.oldest_due_seconds)}`, `${number(app.counts.waiting)} pushes wait, and more come in than go out. The rate of the app, or Apple, is the limit.`, { label: "What waits", href: link("waiting", { app: app.name }) });
  check(needs.length > before, "Nothing is late");

  before = needs.length;
  for (const app of apps) {
    const left = app.certificate_days_left;
    if (left !== undefined && left < FAR) need(left < 3 ? "bad" : "warn", left < 0 ? `The certificate of ${plain(app.name, 60)} has expired` : `The certificate of ${plain(app.name, 60)} ends in ${some(left, "day")}`, "Without a new one, Apple refuses every push of the app. Put the new file in place; the service reads it by itself.", { label: "Copy the check", copy: "pushserve check --connect" });
    if (["refused", "unreadable"].includes(app.credentials) && app.state !== "refused") need("bad", `The credentials of ${plain(app.name, 60)} ${app.credentials === "refused" ? "are refused" : "can’t be read"}`, "The app can’t send anything until they’re valid.", { label: "Copy the check", copy: "pushserve check --connect" });
    for (const warning of app.warnings ?? []) need("warn", `${plain(app.name, 60)} has changed`, plain(warning, 300));
  }
  check(needs.length > before, `No credentials end within ${FAR} days`);

  before = needs.length;
  for (const app of apps) if (app.delivery?.failure) need("warn", `Apple’s counts of ${plain(app.name, 60)} aren’t imported`, plain(app.delivery.failure, 400), { label: "What is counted", href: link("delivery", { app: app.name }) });
  if (apps.some((app) => app.delivery)) check(needs.length > before, "The imports of Apple’s counts work");

  before = needs.length;
  for (const hook of hooks) if (hook.state === "failing") need("bad", `The webhook of ${plain(hook.app, 60)} has failed since ${hook.failing_since ? clockTime(hook.failing_since, false) : "a while"}`,
    `${plain(hook.last_answer ?? "It doesn’t answer.", 300)} ${hook.waiting >= 1000 ? "1,000 or more" : number(hook.waiting)} events wait.`, { label: "See the failures", href: link(`webhooks/${encodeURIComponent(hook.app)}`) }, { label: "Try now", retry: hook.app });
  check(needs.length > before, hooks.length ? "Every webhook delivers" : "No webhook is set up");

  before = needs.length;
  for (const worker of workers) if (worker.lost) need("bad", `The worker ${plain(worker.name, 60)} is lost`, `It was last seen ${span((new Date(now) - new Date(worker.seen_at)) / 1000)} ago. The others have taken over its pushes; no other one has come in its place.`);
  check(needs.length > before, workers.length ? `${some(workers.length, "worker")} ${workers.length === 1 ? "runs" : "run"}, none is lost` : "The worker runs");

  before = needs.length;
  const dead = apps.reduce((all, app) => all + (app.counts.dead_letters ?? 0), 0);
  if (dead) need("warn", `${some(dead, "dead letter")}`, "The service gave up on them. They are kept, so you can resend them once the cause is fixed.", { label: "See them", href: link("outcomes", { dead: "1" }) });
  check(needs.length > before, "No dead letters");

  before = needs.length;
  for (const { app, reasons } of suspicious) {
    const total = (list) => list.reduce((n, each) => n + each.count, 0), all = total(reasons), name = plain(app, 60), share = (part) => `${Math.max(1, Math.round(part / all * 100))} %`;
    const failed = reasons.filter((each) => ["rejected", "not_sent"].includes(each.kind) && !NORMAL.has(each.reason));
    const wrong = total(failed), worst = failed.toSorted((a, b) => b.count - a.count)[0], lost = total(reasons.filter((each) => each.kind === "unknown"));
    if (worst && wrong / all > MANY) need(worst.reason === "BadDeviceToken" && worst.count / all > MOST_BAD ? "bad" : "warn", `${share(wrong)} of ${name} failed in the last hour`, `Most often ${plain(worst.reason ?? worst.kind, 60)}: ${number(worst.count)} of ${some(all, "push", "pushes")}.`, { label: "See them", href: link("outcomes", { app, outcome: worst.kind, reason: worst.reason }) });
    if (lost / all > MANY_UNKNOWN) need("warn", `${share(lost)} of ${name} ended unknown in the last hour`, `Connections broke after ${some(lost, "push was", "pushes were")} written. Apple may have received ${lost === 1 ? "it" : "them"}.`, { label: "See them", href: link("outcomes", { app, outcome: "unknown" }) });
  }
  check(needs.length > before, "No app fails more than usual");

  return { needs: needs.toSorted((a, b) => (b.severity === "bad") - (a.severity === "bad")), checks };
}
