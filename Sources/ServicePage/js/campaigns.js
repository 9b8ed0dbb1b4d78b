// Campaigns: how far each is, the buttons that pause, resume or cancel it, and the lines of one that failed.
import { h, s, put, number } from "./dom.js";
import { get, lines, write } from "./api.js";
import { icon } from "./icons.js";
import { attempt, say } from "./say.js";
import { OUTCOMES, rate } from "./words.js";
import { clockTime, day } from "./times.js";
import { safe } from "./strangers.js";
import { answers } from "./answers.js";

const EVERY = 2000, PAGE = 100;
const STATES = { draft: ["Draft", "", "clock"], scheduled: ["Scheduled", "", "clock"], running: ["Running", "ok", "play"], paused: ["Paused", "warn", "pause"],
  cancelling: ["Being cancelled", "warn", "cross"], cancelled: ["Cancelled", "", "cross"], finished: ["Finished", "ok", "check"] };
const path = (campaign) => `/v1/campaigns/${encodeURIComponent(campaign.id)}`;
const link = (campaign) => `#/campaigns/${encodeURIComponent(campaign.id)}`;
const finished = ({ lines }) => OUTCOMES.reduce((all, [id]) => all + lines[id], 0);

// The page asks every two seconds, and after each press of a button, so answers can overlap.
export function drawCampaigns(work, session, _, [id] = []) {
  const draw = id ? drawOne : drawAll;
  let isOpen = true, timer;
  const container = h("section", { class: "page" });
  put(work, container);
  const load = draw(container, session, id);
  const again = async () => {
    try { if (!document.hidden) await load(); } catch (error) { if (isOpen) say(error.message); }
    if (isOpen) timer = setTimeout(again, EVERY);
  };
  again();
  return () => { isOpen = false; clearTimeout(timer); };
}

// MARK: All campaigns

function drawAll(container, session) {
  const list = h("div", { class: "campaigns" });
  const empty = h("p", { class: "empty", hidden: true }, "There are no campaigns. ", h("code", {}, "POST /v1/campaigns"), " makes one.");
  const more = h("button", { class: "btn", type: "button", hidden: true }, "Show more");
  put(container, h("header", {}, h("h1", {}, "Campaigns")), list, empty, more);
  const cards = new Map();
  let shown = PAGE;
  const reads = answers();
  const load = async () => {
    const turn = reads.ask();
    const campaigns = [];
    for (const app of session.apps) campaigns.push(...await newest(app, shown));
    if (!container.isConnected || !reads.mayShow(turn)) return;
    campaigns.sort((one, other) => other.created_at.localeCompare(one.created_at));
    more.hidden = campaigns.length <= shown;
    const seen = campaigns.slice(0, shown);
    for (const [id, card] of cards) if (!seen.some((campaign) => campaign.id === id)) { card.remove(); cards.delete(id); }
    for (const [at, campaign] of seen.entries()) {
      if (!cards.has(campaign.id)) cards.set(campaign.id, h("article", { class: "card campaign-card", "data-id": campaign.id }));
      const card = cards.get(campaign.id);
      if (list.children[at] !== card) list.insertBefore(card, list.children[at] ?? null);
      drawCard(card, campaign, session, load);
    }
    empty.hidden = campaigns.length > 0;
    document.documentElement.dataset.campaigns = String(seen.length);
  };
  more.addEventListener("click", () => { shown += PAGE; attempt(load); });
  return load;
}

/// The newest campaigns of an app: one more than are shown, so that the page knows whether there are more.
async function newest(app, count) {
  const found = [];
  for (let after = null, isFirst = true; found.length <= count && (isFirst || after); isFirst = false) {
    const page = await get(`/v1/campaigns?app=${encodeURIComponent(app)}&limit=${PAGE + 1}${after ? `&after=${encodeURIComponent(after)}` : ""}`);
    found.push(...page.items);
    after = page.next;
  }
  return found;
}

function drawCard(card, campaign, session, load) {
  card.setAttribute("aria-label", campaign.name);
  // A person who presses a button must not lose it under the pointer.
  if (card.dataset.state !== campaign.state || !card.firstChild) {
    const hadFocus = card.contains(document.activeElement);
    card.dataset.state = campaign.state;
    put(card, h("div", { class: "head" }, h("h2", {}, h("a", { href: link(campaign) }, safe(campaign.name, 200))), pill(campaign)), h("div", { class: "figures" }), buttons(campaign, session, load));
    if (hadFocus) card.querySelector("button, a")?.focus();
  }
  drawFigures(card.querySelector(".figures"), campaign);
}

function pill(campaign) {
  const [title, tone, drawing] = STATES[campaign.state] ?? [campaign.state, "", "question"];
  return h("span", { class: `pill ${tone}` }, icon(drawing), title);
}

function drawFigures(container, campaign) {
  const counts = campaign.lines, done = finished(campaign);
  const facts = [["App", safe(campaign.app, 100)], ["Rate", `${rate(campaign.rate_now)}/s${campaign.rate === null ? ", no limit" : ` of ${rate(campaign.rate)}/s`}`],
    counts.refused > 0 && ["Refused lines", number(counts.refused)], counts.in_flight + counts.waiting > 0 && ["Being sent", number(counts.in_flight + counts.waiting)],
    campaign.state === "scheduled" && campaign.starts_at && ["Starts", moment(campaign.starts_at)], campaign.estimated_end && ["Ends about", moment(campaign.estimated_end)],
    campaign.ended_at && ["Ended", moment(campaign.ended_at)]];
  put(container, progress(campaign, done), h("div", { class: "done" }, h("strong", {}, counts.total ? `${Math.floor(done / counts.total * 100)} %` : "No lines"), counts.total > 0 && ` ${number(done)} of ${number(counts.total)} lines`),
    h("div", { class: "legend" }, OUTCOMES.map(([id, title]) => h("span", { class: id }, h("i"), `${title} ${number(counts[id])}`))),
    h("dl", { class: "facts" }, facts.filter(Boolean).map(([title, value]) => [h("dt", {}, title), h("dd", {}, value)])));
}

function progress(campaign, done) {
  const counts = campaign.lines;
  let x = 0;
  const parts = OUTCOMES.map(([id]) => {
    const width = counts.total ? counts[id] / counts.total * 100 : 0;
    const part = width > 0 && s("rect", { class: id, x, width, height: 8 });
    x += width;
    return part;
  });
  return s("svg", { class: "bars", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": `${number(done)} of ${number(counts.total)} lines of ${campaign.name} have their outcome` }, parts);
}

function buttons(campaign, session, load) {
  const may = (scope) => session.scopes.includes(scope) || session.scopes.includes("admin");
  const button = (step, title, said) => h("button", { class: "btn small", type: "button", "data-step": step, "aria-label": `${title}: ${campaign.name}`,
    on: { click: () => attempt(async () => { await write("POST", `${path(campaign)}/${step}`); await load(); }, said) } }, title);
  const isLive = campaign.state === "running" || campaign.state === "scheduled";
  return h("div", { class: "steps" }, may("send") && [campaign.state === "draft" && button("start", "Start", "The campaign is started."), isLive && button("pause", "Pause", "The campaign is paused. Pushes in flight are completed."),
    campaign.state === "paused" && button("resume", "Resume", "The campaign goes on.")], may("cancel") && (isLive || ["draft", "paused"].includes(campaign.state)) && cancelButton(campaign, load));
}

/// A cancellation cannot be undone, so the button asks for confirmation.
function cancelButton(campaign, load) {
  const button = h("button", { class: "btn small", type: "button", "data-step": "cancel", "aria-label": `Cancel: ${campaign.name}` }, "Cancel");
  button.addEventListener("click", () => {
    if (!("sure" in button.dataset)) {
      button.dataset.sure = "";
      button.textContent = "Cancel permanently?";
      button.setAttribute("aria-label", `Cancel permanently: ${campaign.name}`);
      return;
    }
    attempt(async () => { await write("POST", `${path(campaign)}/cancel`); await load(); }, "The campaign is cancelled. Lines that were not started are not sent.");
  });
  return button;
}

const moment = (time) => `${day(time)} ${clockTime(time)}`;

// MARK: One campaign

function drawOne(container, session, id) {
  const card = h("article", { class: "card campaign-card" });
  const reasons = h("div");
  const rows = h("tbody");
  const empty = h("p", { class: "empty", hidden: true }, "No line has failed.");
  const more = h("button", { class: "btn", type: "button", hidden: true }, "Show more");
  put(container, h("header", {}, h("h1", {}, "Campaign"), h("div", { class: "push-right" }, h("a", { class: "btn small", href: "#/campaigns" }, "All campaigns"))), card, reasons,
    h("div", { class: "card table-card" }, h("table", {}, h("caption", { class: "sr" }, "Lines that were refused or not accepted"), h("thead", {}, h("tr", {}, ["Line", "Outcome", "Reason", "Detail", "Id"].map((title) => h("th", { scope: "col" }, title)))), rows), empty), more);
  let last = 0, failures = -1, read = 0, isAdding = false;
  const reads = answers();
  /// Returns `false` if a newer request replaced this one.
  const loadLines = async (after = last) => {
    const turn = ++read;
    const found = await lines(`/v1/campaigns/${encodeURIComponent(id)}/report?only=failures&after=${after}&limit=${PAGE}`);
    if (turn !== read || !container.isConnected) return false;
    if (after === 0) { last = 0; put(rows); }
    rows.append(...found.map(failure));
    last = found.at(-1)?.line ?? last;
    more.hidden = found.length < PAGE;
    empty.hidden = rows.children.length > 0;
    document.documentElement.dataset.failures = String(rows.children.length);
    return true;
  };
  const load = async () => {
    const turn = reads.ask();
    const campaign = await get(`/v1/campaigns/${encodeURIComponent(id)}`);
    if (!container.isConnected || !reads.mayShow(turn)) return;
    drawCard(card, campaign, session, load);
    put(reasons, outcomeTable(campaign.outcomes ?? []));
    const now = campaign.lines.refused + finished(campaign) - campaign.lines.accepted;
    // Lines that fail later may have smaller numbers, so the first page is read again, until the user has loaded more.
    if (!isAdding && now !== failures && rows.children.length <= PAGE) { if (await loadLines(0)) failures = now; }
  };
  more.addEventListener("click", async () => { isAdding = true; await attempt(loadLines); isAdding = false; });
  return load;
}

function outcomeTable(outcomes) {
  if (!outcomes.length) return null;
  return h("div", { class: "card table-card" }, h("table", {}, h("thead", {}, h("tr", {}, ["Outcome", "Reason", "Lines"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, outcomes.map(({ kind, reason, count }) => h("tr", {}, h("td", {}, OUTCOMES.find(([id]) => id === kind)?.[1] ?? kind), h("td", { class: "mono" }, safe(reason ?? "", 80)), h("td", {}, number(count)))))));
}

const failure = (line) => h("tr", { "data-line": line.line }, h("td", { class: "tight" }, number(line.line)), h("td", { class: "tight" }, OUTCOMES.find(([id]) => id === line.outcome)?.[1] ?? line.outcome ?? ""),
  h("td", {}, h("span", { class: "mono" }, safe(line.code ?? line.reason ?? "", 80))), h("td", { class: "text" }, safe([line.detail, line.remedy].filter(Boolean).join(" "), 400)), h("td", { class: "tight" }, line.id && h("a", { class: "mono", href: `#/job/${encodeURIComponent(line.id)}` }, line.id)));
