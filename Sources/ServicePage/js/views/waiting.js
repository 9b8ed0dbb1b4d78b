// What is waiting, and for when? Cancel one, or all that match, with the number first.
import { h, put, number, some } from "../dom.js";
import { get, write } from "../api.js";
import { columns } from "../chart.js";
import { attempt, toast } from "../copy.js";
import { icon } from "../icons.js";
import { plain } from "../strangers.js";
import { repeat } from "../page.js";
import { about, act, appName, button, choice, confirm, device, head, nothing, ofApps, pill, refresh, seconds, span, table, when } from "../parts.js";
import { go, link, toPush } from "../route.js";
import { apps, may } from "../session.js";
import { APP_STATES, cancelled } from "../words.js";
import { again, state, watch } from "../watch.js";

const PAGE = 50, PAUSE = 5000, LATE = 5;
// The chart counts at most so many pushes, which are asked for with every twelfth list.
const MOST_COUNTED = 2000, COUNTED_EVERY = 12;
const DUE = { now: ["Due now", 0], "1h": ["Due within an hour", 3600], "24h": ["Due within a day", 86400] };

export function waiting({ filter }) {
  const set = (change) => go("waiting", { ...filter, ...change });
  const asked = filter.app ? [filter.app] : apps(), before = () => DUE[filter.due] && new Date(Date.now() + DUE[filter.due][1] * 1000).toISOString();
  const page = h("div", { class: "page wide" }), cards = h("div", { class: "app-cards" }), body = h("tbody"), box = h("section", { class: "card" }), top = h("div"), chart = h("section", { class: "card histogram due", tabindex: "0", "aria-label": "When they are due" });
  const grid = table("Waiting pushes", [["Due", "c-time long"], ["State", "c-out"], ["Notification", "say"], ["App", "c-app"], ["Device", "c-dev"], may("cancel") && ["", "c-act"]], [], "outs");
  grid.tBodies[0].replaceWith(body);
  let after = {}, shown = [], isMore = false, counted = null, turn = 0;
  const more = button("Load more", () => attempt(async () => { isMore = true; await read(); }), { hidden: true });
  const read = async () => {
    const found = await ofApps(asked, (app, cursor) => get("/v1/notifications", { state: "waiting", app, due_before: before(), alerts: true, limit: PAGE, after: cursor }), after);
    after = found.after;
    shown = [...shown, ...found.items].sort((a, b) => a.deliver_at.localeCompare(b.deliver_at)).slice(0, 300);
    draw();
  };
  const count = async () => { counted = await ofApps(asked, (app) => get("/v1/notifications", { state: "waiting", app, limit: Math.min(1000, Math.ceil(MOST_COUNTED / asked.length)) })); };
  const draw = () => {
    // A person aims at a row.
    if (!body.matches(":hover, :focus-within")) put(body, shown.map((job) => row(job)));
    const isEmpty = shown.length === 0;
    refresh(box, isEmpty ? nothing("Nothing waits here", "A push that is due is sent within a second. To schedule one, give it a delivery time.", may("send") && h("a", { class: "btn", href: "#/compose" }, "Compose a push")) : grid,
      !isEmpty && h("footer", { class: "pager" }, h("span", {}, `${some(shown.length, "push", "pushes")} shown, by due time${state.status ? ` · ${number(total())} wait in all` : ""}`), more));
    chart.hidden = isEmpty || !counted || !state.status;
    if (!chart.hidden) put(chart, dueChart(counted.items, countedTo(), total()));
    more.hidden = shown.length >= 300 || !Object.values(after).some(Boolean);
    refresh(top, head("Waiting", null, may("cancel") && !isEmpty && (asked.length === 1 ? button(`Cancel all of ${plain(asked[0], 40)}…`, () => attempt(() => cancelAll(asked[0])), { kind: "quiet-danger" }) : h("span", { class: "muted" }, "Choose an app to cancel all that match"))));
    page.dataset.rows = String(shown.length);
  };
  /// The time to which all are counted; `undefined` if these are all.
  const countedTo = () => asked.filter((app) => counted.after[app]).map((app) => counted.items.findLast((job) => job.app === app).deliver_at).sort()[0];
  const total = () => state.status.apps.filter((app) => asked.includes(app.name)).reduce((n, app) => n + app.counts.waiting, 0);
  const row = (job) => {
    const left = seconds(Date.now(), job.deliver_at);
    const [tone, name, word] = isPaused(job) ? ["warn", "pause", "App is paused"] : left < -LATE ? ["bad", "warn", "Late"] : left <= 0 ? ["", "arrowout", "Due now"] : ["", "clock", "Scheduled"];
    const line = h("tr", { "data-id": job.id }, h("td", { class: "c-time long" }, h("a", { href: toPush(job.id) }, when(job.deliver_at)), " ", h("i", {}, left < 0 ? `${span(left)} ago` : `in ${span(left)}`)), h("td", { class: "c-out" }, h("span", { class: `out ${tone}` }, icon(name), h("span", {}, word))),
      h("td", { class: "say" }, about(job)), h("td", { class: "c-app" }, appName(job.app)), h("td", { class: "c-dev" }, device(job)), may("cancel") && h("td", { class: "c-act" }, act("Cancel", async () => {
        const { result } = await write("DELETE", `/v1/notifications/${encodeURIComponent(job.id)}`);
        line.classList.add("gone");
        line.querySelector("button")?.replaceWith(h("span", { class: "faint" }, result === "cancelled" ? "cancelled" : "unknown"));
        toast(cancelled(result), result === "cancelled" ? "check" : "warn");
      }, { kind: "small bare", "aria-label": `Cancel ${job.id}` })));
    return line;
  };
  const cancelAll = async (app) => {
    const form = { app, due_before: before() };
    const { matching, more: isMore } = await write("POST", "/v1/notifications/cancel", { ...form, dry_run: true });
    const count = `${isMore ? "more than " : ""}${some(matching, "push", "pushes")}`, of = `of ${plain(app, 40)}${filter.due ? `, ${DUE[filter.due][0].toLowerCase()}` : ""}`;
    if (!matching) { toast("None of them waits any more"); return; }
    confirm({ title: `Cancel ${count} ${of}?`, text: "They end as not sent, with the reason cancelled, and webhooks report them. Pushes that a worker has started are still sent. You can’t undo this.", count: matching, word: `Cancel ${count}`, action: async () => {
      const { cancelled: count, unknown } = await write("POST", "/v1/notifications/cancel", form);
      toast(`${some(count, "push", "pushes")} cancelled${unknown ? `; ${some(unknown, "more isn’t", "more aren’t")} tried again, but may have reached Apple` : ""}`, unknown ? "warn" : "check");
      turn = 0; again(); now();
    } });
  };
  const load = async () => {
    if (!page.firstChild || !("loaded" in page.dataset)) put(page, top, cards, chart, filterBar(filter, set), box);
    // Once a person has loaded more, the list stays as it is.
    if (isMore) return;
    shown = []; after = {};
    if (!filter.due && turn++ % COUNTED_EVERY === 0) await count();
    await read();
  };
  const drawCards = () => refresh(cards, state.status.apps.map((app) => h("a", { class: "card app-card", href: link("waiting", { ...filter, app: filter.app === app.name ? "" : app.name }), "aria-current": filter.app === app.name && "true" },
    h("span", { class: "top" }, appName(app.name), app.state !== "running" && pill(APP_STATES[app.state] ?? [app.state, "", "info"])), h("b", {}, number(app.counts.waiting)), h("span", { class: "faint" }, [app.oldest_due_seconds > 1 && `oldest due for ${span(Math.round(app.oldest_due_seconds))}`, app.counts.held > 0 && `${number(app.counts.held)} more held by campaigns`].filter(Boolean).join(", ") || "nothing is late"))));
  const stopWatching = watch(drawCards);
  const { stop, now } = repeat(page, load, PAUSE);
  return { body: page, leave: () => { stop(); stopWatching(); } };
}

const isPaused = (job) => state.status?.apps.find((app) => app.name === job.app)?.state === "paused";

/// Columns of time, each to its name. Behind `end` not all are counted: these are one column, with the rest of `total`.
function dueChart(jobs, end, total) {
  const ends = { "due now": 0, "1 min": 60, "5 min": 300, "15 min": 900, "1 h": 3600, "6 h": 21600, "1 day": 86400, later: Infinity };
  const now = Date.now(), whole = end ? seconds(now, end) : Infinity;
  const bins = Object.entries(ends).filter(([, to]) => !end || to < whole).map(([name, to]) => ({ name, to, late: 0, held: 0, due: 0 }));
  const count = (bin) => bin.late + bin.held + bin.due;
  for (const job of jobs) {
    const left = seconds(now, job.deliver_at), bin = bins.find((each) => left <= each.to);
    if (bin) bin[isPaused(job) ? "held" : left < -LATE ? "late" : "due"] += 1;
  }
  const legend = h("div", { class: "legend" }, h("span", {}, "When they are due"), h("span", { class: "faint" }, `red is late, amber is held by a paused app${end ? `; the first ${number(jobs.length)} are counted` : ""}`));
  if (!bins.length) return legend;
  if (end) bins.push({ name: "after that", late: 0, held: 0, due: Math.max(0, total - bins.reduce((n, bin) => n + count(bin), 0)) });
  for (const bin of bins) bin.title = `${bin.name}: ${number(count(bin))}`;
  return [legend, columns(bins, { parts: ["late", "held", "due"], height: 60, label: `Pushes by due time: ${bins.map((bin) => bin.title).join(", ")}` }),
    h("div", { class: "axis even", "aria-hidden": "true" }, bins.map((bin) => h("span", {}, h("b", {}, count(bin) ? number(count(bin)) : "–"), bin.name)))];
}

const filterBar = (filter, set) => h("div", { class: "filters", role: "group", "aria-label": "Filters" }, apps().length > 1 && choice("App", filter.app, "All apps", apps().map((app) => [app, plain(app, 60)]), (app) => set({ app })),
  choice("Due", filter.due, "Due at any time", Object.entries(DUE).map(([key, [name]]) => [key, name]), (due) => set({ due })), (filter.app || filter.due) && h("a", { class: "btn small bare", href: "#/waiting" }, "Clear"));
