// What fails, why, since when? The address carries every filter; the newest are on top.
import { h, put, number, some } from "../dom.js";
import { get, write } from "../api.js";
import { attempt, toast } from "../copy.js";
import { icon } from "../icons.js";
import { minute } from "../times.js";
import { plain, safe } from "../strangers.js";
import { bar, columns } from "../chart.js";
import { meter } from "../meter.js";
import { liveList } from "../live.js";
import { repeat } from "../page.js";
import { about, appName, button, choice, confirm, device, nothing, ofApps, outcome, outcomeChoice, refresh, seconds, span, table, when } from "../parts.js";
import { go, link, toPush } from "../route.js";
import { apps, may } from "../session.js";
import { KINDS, OUTCOMES, meaning } from "../words.js";

const PAGE = 50, PAUSE = 2500;
// The campaigns of each app that can be chosen.
const CAMPAIGNS = 20;
// The counts are asked for with every fourth list.
const COUNTS_EVERY = 4;
// The service counts minutes for this long.
const CHARTED = 24 * 3600e3;
const RANGES = { "15m": ["15 min", 15, 1], "1h": ["1 hour", 60, 1], "6h": ["6 hours", 360, 5], "24h": ["24 hours", 1439, 15] };

export const outcomes = ({ filter }) => filter.dead ? deadLetters(filter) : newest(filter);

const row = (job) => h("tr", { "data-id": job.id }, h("td", { class: "c-time" }, h("a", { href: toPush(job.id) }, job.finished_at ? when(job.finished_at) : "open")), h("td", { class: "c-out" }, outcome(job)), h("td", { class: "say" }, about(job)), h("td", { class: "c-app" }, appName(job.app)),
  h("td", { class: "c-dev" }, device(job)), h("td", { class: `c-tries num${job.attempts > 1 ? " many" : ""}` }, job.attempts || "–"), h("td", { class: "c-took num" }, took(job)));
// What ends before it is due has not taken any time.
const took = (job) => { const time = job.finished_at ? seconds(new Date(Math.max(new Date(job.queued_at), new Date(job.deliver_at))), job.finished_at) : -1; return time < 0 ? "–" : span(time); };
const HEADS = [["Time", "c-time"], ["Outcome", "c-out"], ["Notification", "say"], ["App", "c-app"], ["Device", "c-dev"], ["Tries", "c-tries num"], ["Took", "c-took num"]];

function newest(filter) {
  const set = (change) => go("outcomes", { ...filter, ...change });
  const [from, to] = (filter.at ?? "").split("_"), [, minutes, wide] = RANGES[filter.range] ?? RANGES["1h"];
  // A campaign is looked at as a whole, unless a time is chosen.
  const since = () => from || (filter.campaign && !filter.range ? undefined : new Date(Date.now() - minutes * 60e3).toISOString());
  const list = liveList({ row, stays: Boolean(filter.at) });
  const page = h("div", { class: "page wide" }), filters = h("div", { class: "filter-box" }), chart = h("section", { class: "card histogram" }), reasons = h("aside", { class: "card reasons", "aria-label": "Reasons" }), note = h("span"), empty = h("div");
  const grid = table("Outcomes", HEADS, [], "outs");
  grid.tBodies[0].replaceWith(list.body);
  let next = null, turn = 0, isMore = false, campaigns = [];
  const more = button("Load older", async () => { more.disabled = true; await attempt(async () => { const older = await read(next); isMore = true; list.append(older.items); next = older.next; settle(); }); more.disabled = false; }, { hidden: true });
  const read = (before) => get("/v1/results", { order: "newest", alerts: true, limit: PAGE, app: filter.app, outcome: filter.outcome, reason: filter.reason, campaign: filter.campaign, since: since(), before });
  const settle = () => { more.hidden = !next || list.body.rows.length >= 300; put(empty, list.body.rows.length === 0 && nothing("No outcome matches", "Widen the time, or clear a filter.", filter.campaign ? h("a", { class: "btn", href: link("outcomes", { campaign: filter.campaign }) }, "Show all of the campaign") : h("a", { class: "btn", href: link("outcomes", { range: "24h" }) }, "Show all of the last 24 hours"))); grid.hidden = list.body.rows.length === 0; page.dataset.rows = String(list.body.rows.length); };
  const countCampaign = async () => {
    const one = await get(`/v1/campaigns/${encodeURIComponent(filter.campaign)}`);
    put(note, since() ? "The list is of the chosen time, the counts are of the whole campaign" : "Of the whole campaign");
    put(chart, h("div", { class: "legend" }, h("a", { href: `#/campaigns/${encodeURIComponent(one.id)}` }, icon("flag"), h("b", {}, safe(one.name, 100))), KINDS.filter((kind) => one.lines[kind]).map((kind) => h("span", {}, h("i", { class: `dot q-${kind}` }), OUTCOMES[kind].word, h("b", {}, number(one.lines[kind])))), h("span", { class: "faint" }, `of ${some(one.lines.total, "line")}`)), bar(one.lines));
    const counted = (one.outcomes ?? []).toSorted((a, b) => b.count - a.count);
    refresh(reasons, reasonList(counted, filter));
    if (!campaigns.some(({ id }) => id === one.id)) campaigns.push(one);
    return counted;
  };
  const countAll = async () => {
    const ask = (by) => get("/v1/statistics", { by, since: since(), app: filter.app });
    const [byReason, byMinute] = await Promise.all([ask("reason"), Date.now() - new Date(since()) <= CHARTED && ask("minute")]);
    const matching = byReason.items.filter((each) => (!filter.outcome || each.kind === filter.outcome) && (!filter.reason || each.reason === filter.reason)).reduce((n, each) => n + each.count, 0);
    put(note, filter.at ? "Within the chosen time" : `${number(matching)} in the last ${RANGES[filter.range]?.[0] ?? "hour"}`);
    if (!byMinute) put(chart, h("p", { class: "faint" }, "The chart shows the last 24 hours only."));
    else if (!chart.matches(":focus-within, :hover") || !chart.firstChild) put(chart, histogram(byMinute, filter, { wide, from: new Date(since()), to: to ? new Date(to) : new Date(byMinute.now), set }));
    refresh(reasons, reasonList(byReason.items, filter));
    return byReason.items;
  };
  const count = async () => {
    const known = (await (filter.campaign ? countCampaign() : countAll())).filter((each) => each.reason).map((each) => each.reason);
    refresh(filters, filterBar(filter, set, [...new Set(known)].sort(), campaigns));
  };
  const load = async () => {
    const isFirst = !("loaded" in page.dataset);
    if (isFirst) {
      put(filters, filterBar(filter, set, [], []));
      campaigns = (await ofApps(filter.app ? [filter.app] : apps(), (app) => get("/v1/campaigns", { app, limit: CAMPAIGNS }))).items.sort((a, b) => b.created_at.localeCompare(a.created_at));
      const [found] = await Promise.all([read(to), count()]);
      put(page, h("header", { class: "page-head" }, h("h1", {}, "Outcomes"), filters), chart, h("div", { class: "split" }, h("section", { class: "card list-card" }, list.bar, grid, empty, h("footer", { class: "pager" }, note, more)), reasons));
      list.fill(found.items);
      next = found.next;
    } else if (!filter.at) {
      const [found] = await Promise.all([read(), (turn += 1) % COUNTS_EVERY === 0 && count()]);
      if (list.take(found.items) || (!isMore && list.body.rows.length <= PAGE)) next = found.next;
    }
    settle();
  };
  const { stop } = repeat(page, load, PAUSE);
  return { body: page, leave: stop };
}

function filterBar(filter, set, reasons, campaigns) {
  const isSet = ["app", "outcome", "reason", "campaign", "at"].some((key) => filter[key]);
  return h("div", { class: "filters", role: "group", "aria-label": "Filters" },
    h("div", { class: "seg", role: "group", "aria-label": "Time" }, Object.entries(RANGES).map(([key, [name]]) => h("button", { type: "button", "aria-pressed": String(!filter.at && (filter.range ?? (filter.campaign ? "" : "1h")) === key), on: { click: () => set({ range: key, at: "" }) } }, name))),
    apps().length > 1 && choice("App", filter.app, "All apps", apps().map((each) => [each, plain(each, 60)]), (app) => set({ app })), outcomeChoice(filter.outcome, (kind) => set({ outcome: kind, reason: "" })),
    choice("Reason", filter.reason, "All reasons", reasons.map((each) => [each, plain(each, 60)]), (reason) => set({ reason })),
    (campaigns.length > 0 || filter.campaign) && choice("Campaign", filter.campaign, "All campaigns", campaigns.map((each) => [each.id, plain(each.name, 60)]), (campaign) => set({ campaign, reason: "", range: "", at: "" })),
    filter.at && h("button", { class: "btn small", type: "button", on: { click: () => set({ at: "" }) } }, filter.at.split("_").map((each) => minute(each)).join(" to "), icon("cross", "clear")),
    isSet && h("a", { class: "btn small bare", href: link("outcomes", { range: filter.range }) }, "Clear"), h("a", { class: "btn small bare", href: link("outcomes", { dead: "1" }) }, "Dead letters"));
}

function histogram({ items }, filter, { wide, from, to, set }) {
  const step = wide * 60e3, first = Math.floor(from / step) * step, size = Math.max(1, Math.min(120, Math.ceil((to - first) / step)));
  const bins = Array.from({ length: size }, (_, i) => ({ from: first + i * step }));
  for (const each of items) { const bin = bins[Math.floor((new Date(each.at) - first) / step)]; if (bin) for (const kind of KINDS) bin[kind] = (bin[kind] ?? 0) + each[kind]; }
  const kinds = filter.outcome ? [filter.outcome] : KINDS;
  for (const bin of bins) bin.title = `${minute(new Date(bin.from).toISOString())}: ${kinds.filter((kind) => bin[kind]).map((kind) => `${OUTCOMES[kind]?.word.toLowerCase()} ${number(bin[kind])}`).join(", ") || "none"}`;
  const total = (kind) => bins.reduce((n, bin) => n + (bin[kind] ?? 0), 0);
  const pick = (a, b) => set({ at: `${new Date(bins[a].from).toISOString()}_${new Date(bins[b].from + step).toISOString()}` });
  return [h("div", { class: "legend" }, KINDS.filter(total).map((kind) => h("a", { href: link("outcomes", { ...filter, outcome: filter.outcome === kind ? "" : kind, reason: "" }) }, h("i", { class: `dot q-${kind}` }), OUTCOMES[kind].word, h("b", {}, number(total(kind))))), !KINDS.some(total) && h("span", {}, "No outcome in this time"), filter.reason && h("span", { class: "faint" }, "of all reasons")),
    columns(bins, { parts: kinds, label: "Outcomes over time", pick }),
    h("div", { class: "axis", "aria-hidden": "true" }, (size < 8 ? [0, 1] : [0, .25, .5, .75, 1]).map((x) => h("span", {}, minute(new Date(first + x * size * step).toISOString()))))];
}

function reasonList(items, filter) {
  const failed = items.filter((each) => each.kind !== "accepted" && (!filter.outcome || each.kind === filter.outcome)), most = failed[0]?.count;
  return [h("header", {}, h("h2", {}, "Reasons"), h("p", {}, filter.at && !filter.campaign ? `since ${minute(filter.at.split("_")[0])}` : failed.length ? number(failed.reduce((n, each) => n + each.count, 0)) : "")), failed.length ? h("ul", {}, failed.slice(0, 30).map(({ kind, reason, count }) => {
    const isSet = filter.outcome === kind && (filter.reason ?? "") === (reason ?? "");
    return h("li", {}, h("a", { href: link("outcomes", { ...filter, outcome: isSet ? "" : kind, reason: isSet ? "" : reason }), "aria-current": isSet && "true" }, h("span", { class: "top" }, h("b", {}, reason ? safe(reason, 60) : OUTCOMES[kind]?.word ?? kind), h("span", {}, number(count))), meter(count, most, plain(reason ?? kind, 60), kind === "rejected" ? "bad" : kind === "unknown" ? "warn" : "quiet"), h("small", {}, meaning(kind, reason).means)));
  })) : nothing("No failures", filter.campaign ? "No line of the campaign has failed." : "No push failed in this time.")];
}

// MARK: Dead letters

function deadLetters(filter) {
  const asked = filter.app ? [filter.app] : apps();
  const page = h("div", { class: "page wide" }), body = h("tbody"), actions = h("div", { class: "actions" }), note = h("span"), box = h("section", { class: "card" });
  const grid = table("Dead letters", HEADS, [], "outs");
  grid.tBodies[0].replaceWith(body);
  let shown = [], after = {};
  const more = button("Load more", () => attempt(() => add()), { hidden: true });
  const add = async () => {
    const found = await ofApps(asked, (app, cursor) => get("/v1/dead-letters", { app, alerts: true, limit: PAGE, after: cursor }), after);
    after = found.after;
    shown = [...shown, ...found.items].sort((a, b) => String(b.finished_at).localeCompare(String(a.finished_at))).slice(0, 300);
    draw();
  };
  const draw = () => {
    put(body, shown.map(row));
    put(box, shown.length ? grid : nothing("No dead letters", "A push becomes one if its worker was lost with it several times, or if someone buried it."), h("footer", { class: "pager" }, note, more));
    note.textContent = shown.length ? `${some(shown.length, "dead letter")} shown` : "";
    more.hidden = shown.length >= 300 || !Object.values(after).some(Boolean);
    put(actions, may("admin") && shown.length > 0 && button(`Send ${number(shown.length)} again…`, redrive));
    page.dataset.rows = String(shown.length);
  };
  const redrive = () => confirm({ title: `Send ${some(shown.length, "dead letter")} again?`, text: "Each becomes a new push with a new id. Those that are still wrong come back here.", count: shown.length, word: "Send them again", danger: false, action: async () => {
    let done = 0, erased = 0;
    for (const app of new Set(shown.map((job) => job.app))) {
      const { items } = await write("POST", "/v1/dead-letters/redrive", { app, ids: shown.filter((job) => job.app === app).map(({ id }) => id) });
      const count = (result) => items.filter((each) => each.result === result).length;
      done += count("queued");
      erased += count("payload_erased");
      // Someone else may have sent some of them.
      const gone = new Set(items.filter((each) => each.result !== "payload_erased").map(({ id }) => id));
      shown = shown.filter(({ id }) => !gone.has(id));
    }
    toast(`${some(done, "push", "pushes")} put back into the queue${erased ? `; the payloads of ${number(erased)} were erased` : ""}`, erased ? "warn" : "check");
    draw();
  } });
  const load = async () => { put(page, h("div", { class: "detail-bar" }, h("a", { class: "btn bare", href: "#/outcomes" }, icon("left"), "Outcomes")), h("header", { class: "page-head" }, h("div", {}, h("h1", {}, "Dead letters"), h("p", {}, "The service gave up on these. Fix the cause, then resend them.")), actions), box); shown = []; after = {}; await add(); };
  const { stop } = repeat(page, load);
  return { body: page, title: "Dead letters", leave: stop };
}
