// Which campaign does what?
import { h, put, number, some } from "../dom.js";
import { get, lines, path, write } from "../api.js";
import { attempt, toast } from "../copy.js";
import { icon } from "../icons.js";
import { plain, safe } from "../strangers.js";
import { bar, spark } from "../chart.js";
import { meter } from "../meter.js";
import { minute } from "../times.js";
import { repeat } from "../page.js";
import { act, anchor, appName, button, choice, confirm, head, nothing, ofApps, percent, pill, refresh, seconds, span, table, when } from "../parts.js";
import { go, link, toPush } from "../route.js";
import { apps, may } from "../session.js";
import { CAMPAIGNS, KINDS, OUTCOMES, meaning } from "../words.js";

const PAGE = 50, FAILED = 25, PAUSE = 3000;
const place = (id) => `/v1/campaigns/${encodeURIComponent(id)}`;
const done = ({ lines }) => KINDS.reduce((n, kind) => n + lines[kind], 0);
const share = (one) => one.lines.total ? Math.floor(done(one) / one.lines.total * 100) : 0;
const state = (one) => pill(CAMPAIGNS[one.state] ?? [one.state, "", "info"]);
const progress = (one) => meter(done(one), one.lines.total, "Lines with an outcome", one.state === "paused" ? "warn" : "");
const rate = (value) => value >= 10 ? number(Math.round(value)) : number(Math.round(value * 10) / 10);

export const campaigns = ({ id, filter }) => id ? one(id) : list(filter);

function list(filter) {
  const page = h("div", { class: "page wide" }), box = h("section", { class: "card" }), asked = filter.app ? [filter.app] : apps();
  let items = [], after = {}, isMore = false;
  const more = button("Load older", () => attempt(async () => { isMore = true; await read(after); }), { hidden: true });
  const read = async (from) => {
    const found = await ofApps(asked, (app, cursor) => get("/v1/campaigns", { app, limit: PAGE, after: cursor }), from);
    items = [...(Object.keys(from).length ? items : []), ...found.items].sort((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, 300);
    after = found.after;
    more.hidden = items.length >= 300 || !Object.values(after).some(Boolean);
    refresh(box, items.length ? table("Campaigns", [["Campaign", "c-name"], ["State", "c-state"], ["Progress", "c-prog"], ["Outcomes", "c-parts opt"], ["Rate", "num"], ["Ends", "c-end"]], items.map(row), "camps tall")
      : nothing("No campaign yet", "A campaign sends a file of device tokens, as fast as you allow, and can be paused.", may("send") && anchor("Upload a file", "#/upload", { kind: "primary", name: "upload" })), items.length > 0 && h("footer", { class: "pager" }, h("span", {}, some(items.length, "campaign")), more));
    page.dataset.campaigns = String(items.length);
  };
  const load = async () => {
    if (!page.firstChild || !("loaded" in page.dataset)) put(page, h("header", { class: "page-head" }, h("h1", {}, "Campaigns"), apps().length > 1 && h("div", { class: "filters" }, choice("App", filter.app, "All apps", apps().map((app) => [app, plain(app, 60)]), (app) => go("campaigns", { app }))), may("send") && h("div", { class: "actions" }, anchor("New campaign", "#/upload", { name: "upload", kind: "primary" }))), box);
    if (!isMore && !box.matches(":hover tr:hover")) await read({});
  };
  const { stop } = repeat(page, load, PAUSE);
  return { body: page, leave: stop };
}

function row(one) {
  const end = one.ended_at ? when(one.ended_at) : one.estimated_end ? ["about ", when(one.estimated_end)] : { paused: "on resume", draft: "not started", scheduled: one.starts_at && ["starts ", when(one.starts_at)] }[one.state] ?? "–";
  return h("tr", { "data-id": one.id }, h("td", { class: "c-name" }, h("a", { href: `#/campaigns/${encodeURIComponent(one.id)}` }, h("b", {}, safe(one.name, 100))), h("small", {}, appName(one.app))), h("td", { class: "c-state" }, state(one)),
    h("td", { class: "c-prog" }, one.lines.total === 0 ? h("span", { class: "faint" }, "no lines yet") : h("span", { class: "prog" }, h("b", {}, `${share(one)} %`), progress(one), h("small", {}, `${number(done(one))} of ${number(one.lines.total)}`))), h("td", { class: "c-parts opt" }, done(one) ? bar(one.lines) : h("span", { class: "faint" }, "none yet")),
    h("td", { class: "num" }, one.state === "running" ? `${rate(one.rate_now)}/s` : h("span", { class: "faint" }, one.rate === null ? "–" : `${rate(one.rate)}/s`)), h("td", { class: "c-end" }, end));
}

// MARK: One campaign

function one(id) {
  const page = h("div", { class: "page campaign" }), top = h("div", { class: "detail-bar" }), title = h("header", { class: "push-head" }), figures = h("section", { class: "card big-progress" }), speed = h("section", { class: "card rates" }), reasons = h("section", { class: "card reasons" }), failed = h("section", { class: "card failed" });
  const rates = [];
  let failures = -1, isMore = false, last = 0;
  const body = h("tbody"), grid = table("Failed lines", [["Line", "num c-line"], ["Reason", "c-out"], ["What is wrong", "say"], ["What to do", "say todo"]], [], "still wrap");
  grid.tBodies[0].replaceWith(body);
  const more = button("Load more", () => attempt(async () => { isMore = true; await readFailed(last); }), { hidden: true });
  const readFailed = async (from) => {
    const found = await lines(`${place(id)}/report`, { only: "failures", after: from, limit: FAILED });
    if (from === 0) put(body);
    body.append(...found.map(failure));
    last = found.at(-1)?.after ?? found.at(-1)?.line ?? last;
    more.hidden = found.length < FAILED || body.rows.length >= 300;
    page.dataset.failures = String(body.rows.length);
  };
  const step = (name, word, said, options) => act(word, async () => { await write("POST", `${place(id)}/${name}`); toast(said); now(); }, { "data-step": name, ...options });
  const draw = (each) => {
    document.title = `${plain(each.name, 60)} – pushserve`;
    const isLive = each.state === "running" || each.state === "scheduled", isOpen = isLive || each.state === "paused" || each.state === "draft", left = each.lines.total - done(each);
    const cancel = () => confirm({ title: `Cancel the ${some(left, "line")} that ${left === 1 ? "is" : "are"} left?`, text: `${some(done(each), "line")} ${done(each) === 1 ? "is" : "are"} sent already and stay${done(each) === 1 ? "s" : ""} sent.`, count: left, word: `Cancel ${some(left, "line")}`, action: async () => { await write("POST", `${place(id)}/cancel`); toast("The campaign is cancelled. Lines that weren’t started aren’t sent."); now(); } });
    refresh(top, anchor("Campaigns", "#/campaigns", { name: "left", kind: "bare" }), h("div", { class: "actions" }, isOpen && may("cancel") && button("Cancel…", cancel, { kind: "quiet-danger" }),
      may("send") && [each.state === "draft" && step("start", `Start with ${some(each.lines.total, "line")}`, "The campaign is started", { name: "play", kind: "primary" }), isLive && step("pause", "Pause", "The campaign is paused. Pushes in flight finish.", { name: "pause" }), each.state === "paused" && step("resume", "Resume", "The campaign goes on", { name: "play", kind: "primary" })]));
    refresh(title, h("div", { class: "marks" }, state(each), h("span", { class: "pill" }, appName(each.app)), each.lines.refused > 0 && h("span", { class: "pill warn" }, `${some(each.lines.refused, "line")} refused`)), h("h1", {}, safe(each.name, 200)));
    refresh(figures, h("div", { class: "figures" }, h("p", { class: "share" }, `${share(each)} %`), h("p", {}, h("b", {}, number(done(each))), ` of ${some(each.lines.total, "line")}`), each.estimated_end && each.state === "running" && h("p", {}, "ends about ", h("b", {}, when(each.estimated_end)), h("span", { class: "faint" }, `, in ${span(Math.max(0, seconds(Date.now(), each.estimated_end)))}`)), each.ended_at && h("p", {}, "ended ", h("b", {}, when(each.ended_at))), each.starts_at && each.state === "scheduled" && h("p", {}, "starts ", h("b", {}, when(each.starts_at)))), progress(each),
      h("div", { class: "legend" }, KINDS.filter((kind) => each.lines[kind]).map((kind) => h("span", {}, h("i", { class: `dot q-${kind}` }), OUTCOMES[kind].word, h("b", {}, number(each.lines[kind])), h("span", { class: "faint" }, percent(each.lines[kind], done(each))))), each.lines.in_flight + each.lines.waiting > 0 && h("span", {}, "in the queue", h("b", {}, number(each.lines.in_flight + each.lines.waiting)))));
    rates.push({ at: new Date().toISOString(), value: each.rate_now });
    rates.splice(0, rates.length - 200);
    // What has ended has no speed any more.
    speed.hidden = !isOpen;
    if (isOpen && !speed.matches(":focus-within, :hover")) put(speed, spark(rates.map((rate) => rate.value), { label: "Lines a second", unit: "/s", at: (i) => minute(rates[Math.min(i, rates.length - 1)].at) }), may("send") && rateForm(each));
    const worst = (each.outcomes ?? []).filter(({ kind }) => kind !== "accepted").sort((a, b) => b.count - a.count);
    refresh(reasons, h("header", {}, h("h2", {}, "Reasons"), done(each) > 0 && anchor("Outcomes", link("outcomes", { campaign: id }), { kind: "small push-right", name: "list" })), worst.length ? h("ul", {}, worst.slice(0, 12).map(({ kind, reason, count }) => h("li", {}, h("a", { href: link("outcomes", { campaign: id, outcome: kind, reason }) }, h("span", { class: "top" }, h("b", {}, reason ? safe(reason, 80) : OUTCOMES[kind]?.word), h("span", {}, number(count))), meter(count, worst[0].count, plain(reason ?? kind, 60), kind === "rejected" ? "bad" : kind === "unknown" ? "warn" : "quiet"), h("small", {}, meaning(kind, reason).means))))) : nothing(isOpen ? "None yet" : "None", isOpen ? "Reasons of failed lines are counted here." : done(each) > 0 ? "Every line that was sent was accepted." : "No line was sent."));
  };
  const rateForm = (each) => {
    const input = h("input", { value: each.rate === null ? "" : String(each.rate), inputmode: "decimal", placeholder: "no limit", "aria-label": "Rate, lines a second" });
    const change = async () => { const text = input.value.trim(), value = text === "" ? null : Number(text.replace(",", ".")); if (value !== null && !(value > 0)) { toast("The rate is a number above 0, or empty for none", "warn"); return; } const now_ = await write("PATCH", place(id), { rate: value }); toast(now_.rate === null ? "The rate has no limit now" : `The rate is ${rate(now_.rate)}/s now`); input.blur(); now(); };
    return h("form", { class: "rate", on: { submit: (event) => { event.preventDefault(); attempt(change); } } }, h("label", {}, "Limit ", input, " lines a second"), h("button", { class: "btn small", type: "submit" }, "Change"));
  };
  const load = async () => {
    const each = await get(place(id));
    if (!page.firstChild || !("loaded" in page.dataset)) put(page, top, title, figures, h("div", { class: "two" }, speed, reasons), failed);
    draw(each);
    const count = each.lines.refused + done(each) - each.lines.accepted;
    // Lines that fail later can have smaller numbers, so the first page is read again, until a person has loaded more.
    if (count !== failures && !isMore) { await readFailed(0); failures = count; }
    put(failed, h("header", {}, h("h2", {}, "Failed lines"), h("p", {}, body.rows.length ? `the first ${body.rows.length} of ${number(count)}` : ""), count > 0 && h("a", { class: "btn small push-right", href: path(`${place(id)}/report`, { only: "failures" }), download: "failed-lines.jsonl" }, icon("down"), "Download")), body.rows.length ? [grid, !more.hidden && h("footer", { class: "pager" }, h("span"), more)] : nothing("No line has failed", "Lines that are refused or not accepted are listed here, each with what to do."));
    page.dataset.state = each.state;
  };
  const { stop, now } = repeat(page, load, PAUSE);
  return { body: page, leave: stop };
}

function failure(line) {
  const kind = OUTCOMES[line.outcome] ?? OUTCOMES.not_sent, reason = line.code ?? line.reason, known = meaning(line.outcome, line.reason);
  return h("tr", { "data-line": line.line }, h("td", { class: "num c-line" }, line.id ? h("a", { class: "link", href: toPush(line.id) }, number(line.line)) : number(line.line)), h("td", { class: "c-out" }, h("span", { class: `out ${kind.tone}` }, icon(kind.icon), h("span", {}, reason ? safe(reason, 80) : kind.word))), h("td", { class: "say" }, line.outcome === "rejected" && known.means ? known.means : line.detail ? safe(line.detail, 400) : known.means), h("td", { class: "say todo" }, line.remedy ? safe(line.remedy, 400) : known.todo[0] ?? (line.id ? "–" : "Correct the line, and send it with its number.")));
}
