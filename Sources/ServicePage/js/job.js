// One job: where it is, its outcome, and what happened to it.
import { h, put } from "./dom.js";
import { get, write } from "./api.js";
import { attempt } from "./say.js";
import { outcomePill, reason } from "./words.js";
import { precise, day } from "./times.js";
import { safe } from "./strangers.js";

const EVENTS = { queued: "Queued", redriven: "Put into the queue again", started: "Sending began", retried: "An attempt failed; another one follows", lease_lost: "Its worker was lost", finished: "Finished" };

export function drawJob(work, session, _, [id]) {
  let isOpen = true;
  const container = h("section", { class: "page" });
  put(work, container);
  const load = async () => {
    try { draw(container, await get(`/v1/notifications/${encodeURIComponent(id)}?history=true`), session, load); } catch (error) { put(container, h("h1", {}, "Job"), h("p", { class: "empty card" }, error.message)); }
    if (isOpen) document.documentElement.dataset.job = id;
  };
  load();
  return () => { isOpen = false; delete document.documentElement.dataset.job; };
}

function draw(container, job, session, load) {
  const time = (text) => text && `${day(text)}, ${precise(text)}`;
  const facts = [["App", safe(job.app, 100)], [job.channel ? "Channel" : "Device token", h("span", { class: "mono" }, safe(job.token ?? job.channel, 600))], ["State", outcomePill(job)], ["Reason", reason(job.outcome)], ["Status", job.outcome?.status],
    ["apns-unique-id", job.outcome?.apns_unique_id && h("span", { class: "mono" }, safe(job.outcome.apns_unique_id, 80))], ["Taken in", time(job.queued_at)], ["Due", time(job.deliver_at)], ["Expires", time(job.expires_at)], ["Finished", time(job.finished_at)],
    ["Attempts", String(job.attempts)], ["Dedupe key", job.dedupe_key && safe(job.dedupe_key, 600)], ["Put in again as", job.redriven_as && h("a", { class: "mono", href: `#/job/${encodeURIComponent(job.redriven_as)}` }, job.redriven_as)]];
  const canCancel = ["waiting", "leased"].includes(job.state) && session.scopes.some((scope) => scope === "cancel" || scope === "admin");
  put(container, h("header", {}, h("h1", {}, "Job"), h("span", { class: "mono muted" }, job.id), canCancel && h("div", { class: "push-right" }, h("button", { class: "btn", type: "button", on: { click: () => attempt(async () => { await write("DELETE", `/v1/notifications/${encodeURIComponent(job.id)}`); await load(); }, "The job is cancelled.") } }, "Cancel the job"))),
    h("div", { class: "card" }, h("dl", { class: "facts-list" }, facts.filter(([, value]) => value).map(([title, value]) => [h("dt", {}, title), h("dd", {}, value)]))),
    job.history && h("div", { class: "card table-card" }, h("table", {}, h("thead", {}, h("tr", {}, ["Time", "Event", "Detail"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, job.history.map((event) => h("tr", {}, h("td", { class: "tight mono" }, precise(event.at)), h("td", {}, EVENTS[event.event] ?? event.event), h("td", {}, safe(event.detail ?? "", 300))))))));
}
