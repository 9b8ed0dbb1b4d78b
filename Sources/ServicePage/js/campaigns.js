// Campaigns: how far each is, and the buttons that pause, continue or cancel it.
import { h, s, put, number } from "./dom.js";
import { get, write } from "./api.js";
import { attempt, say } from "./say.js";
import { rate } from "./words.js";
import { safe } from "./strangers.js";

const STATES = { uploading: ["Uploading", ""], running: ["Running", "accent"], paused: ["Paused", "warn"], finished: ["Finished", "ok"], cancelled: ["Cancelled", ""] };

export function drawCampaigns(work, session) {
  const rows = h("tbody");
  const empty = h("p", { class: "empty", hidden: true }, "There are no campaigns. ", h("code", {}, "POST /v1/campaigns"), " makes one.");
  put(work, h("section", { class: "page" }, h("header", {}, h("h1", {}, "Campaigns")), h("div", { class: "card table-card" },
    h("table", {}, h("thead", {}, h("tr", {}, ["Name", "App", "State", "Progress", "Accepted", "Rejected", "Other", "Rate", "Action"].map((title) => h("th", { scope: "col" }, title)))), rows), empty)));
  let isOpen = true, timer;
  const load = async () => {
    const campaigns = [];
    for (const app of session.apps) campaigns.push(...(await get(`/v1/campaigns?app=${encodeURIComponent(app)}&limit=100`)).items);
    if (!isOpen) return;
    empty.hidden = campaigns.length > 0;
    const focused = document.activeElement?.closest("tr")?.dataset.id;
    for (const row of [...rows.children]) if (!campaigns.some(({ id }) => id === row.dataset.id)) row.remove();
    for (const campaign of campaigns) {
      const old = rows.querySelector(`[data-id="${CSS.escape(campaign.id)}"]`);
      if (old && old.dataset.state === campaign.state && focused === campaign.id) continue;
      const fresh = row(campaign, session, load);
      if (old) old.replaceWith(fresh); else rows.append(fresh);
    }
  };
  const again = async () => { try { if (!document.hidden) await load(); } catch (error) { say(error.message); } if (isOpen) timer = setTimeout(again, 2000); };
  again();
  return () => { isOpen = false; clearTimeout(timer); };
}

function row(campaign, session, load) {
  const { counts } = campaign;
  const done = counts.accepted + counts.rejected + counts.unknown + counts.not_sent;
  const total = Math.max(done, campaign.lines ?? done);
  const [title, tone] = STATES[campaign.state] ?? [campaign.state, ""];
  const button = (action, label, said) => h("button", { class: "btn small", type: "button", on: { click: () => attempt(async () => { await write("POST", `/v1/campaigns/${encodeURIComponent(campaign.id)}/${action}`); await load(); }, said) } }, label);
  const mayChange = session.scopes.includes("admin") || session.scopes.includes("send");
  return h("tr", { "data-id": campaign.id, "data-state": campaign.state }, h("td", {}, safe(campaign.name ?? campaign.id, 100)), h("td", {}, safe(campaign.app, 100)), h("td", { class: "tight" }, h("span", { class: `pill ${tone}` }, title)),
    h("td", { class: "tight" }, bar(done, total), h("div", { class: "muted" }, `${number(done)} of ${number(total)}`)), h("td", {}, number(counts.accepted)), h("td", {}, number(counts.rejected)), h("td", {}, number(counts.unknown + counts.not_sent)),
    h("td", { class: "tight" }, campaign.rate ? `${rate(campaign.rate)}/s` : "No limit"),
    h("td", { class: "tight" }, mayChange && [campaign.state === "running" && button("pause", "Pause", "The campaign is paused."), campaign.state === "paused" && button("resume", "Continue", "The campaign continues."),
      ["running", "paused", "uploading"].includes(campaign.state) && [" ", button("cancel", "Cancel", "What still waited is cancelled.")]]));
}

const bar = (done, total) => s("svg", { class: "progress", viewBox: "0 0 100 6", preserveAspectRatio: "none", role: "img", "aria-label": `${done} of ${total} lines finished` }, s("rect", { width: total ? done / total * 100 : 0, height: 6 }));
