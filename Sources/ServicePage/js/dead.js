// Dead letters: jobs that the queue gave up. They can be put in again, as new jobs.
import { h, put, some } from "./dom.js";
import { get, write } from "./api.js";
import { attempt, say } from "./say.js";
import { jobLink, reason, target } from "./words.js";
import { clockTime, day } from "./times.js";
import { safe } from "./strangers.js";

const PAGE = 100;

export function drawDeadLetters(work, session) {
  const rows = h("tbody");
  const empty = h("p", { class: "empty" }, "There are no dead letters.");
  const more = h("button", { class: "btn", type: "button", hidden: true }, "Show more");
  const mayRedrive = session.scopes.includes("admin");
  const all = h("button", { class: "btn primary", type: "button", disabled: true }, "Send all shown again");
  put(work, h("section", { class: "page" }, h("header", {}, h("h1", {}, "Dead letters"), mayRedrive && h("div", { class: "push-right" }, all)),
    h("p", { class: "muted" }, "Jobs that were lost with their worker several times, or that an operator has buried. Sending one again creates a new job with a new id."),
    h("div", { class: "card table-card" }, h("table", {}, h("thead", {}, h("tr", {}, ["Ended", "App", "Reason", "Target", "Id", mayRedrive ? "Action" : ""].map((title) => h("th", { scope: "col" }, title)))), rows), empty), more));
  let waiting = [...session.apps], after = null, shown = [], isReading = false;
  const load = async () => {
    while (waiting.length) {
      const page = await get(`/v1/dead-letters?app=${encodeURIComponent(waiting[0])}&limit=${PAGE}${after ? `&after=${encodeURIComponent(after)}` : ""}`);
      after = page.next ?? null;
      if (!after) waiting.shift();
      if (page.items.length) { add(page.items); break; }
    }
    more.hidden = !waiting.length;
    empty.hidden = shown.length > 0;
    document.documentElement.dataset.dead = String(shown.length);
  };
  const add = (jobs) => {
    shown.push(...jobs);
    all.disabled = false;
    rows.append(...jobs.map((job) => h("tr", { "data-id": job.id }, h("td", { class: "tight" }, day(job.finished_at), h("div", { class: "muted" }, clockTime(job.finished_at))), h("td", {}, safe(job.app, 100)), h("td", {}, reason(job.outcome)),
      h("td", {}, target(job)), h("td", { class: "tight" }, jobLink(job)), h("td", { class: "tight" }, mayRedrive && h("button", { class: "btn small", type: "button", "aria-label": `Send ${job.id} again`, on: { click: () => attempt(() => redrive([job])) } }, "Send again")))));
  };
  const redrive = async (jobs) => {
    let done = 0;
    for (const app of new Set(jobs.map((job) => job.app))) {
      const ids = jobs.filter((job) => job.app === app).map((job) => job.id);
      const { items } = await write("POST", "/v1/dead-letters/redrive", { app, ids });
      for (const item of items) if (item.redriven_as) { done += 1; shown = shown.filter(({ id }) => id !== item.id); rows.querySelector(`[data-id="${CSS.escape(item.id)}"]`)?.remove(); }
    }
    say(done === jobs.length ? `${some(done, "job")} put into the queue again.` : `${some(done, "job")} of ${jobs.length} put into the queue again.`);
    all.disabled = !shown.length;
    empty.hidden = shown.length > 0;
  };
  all.addEventListener("click", () => attempt(() => redrive([...shown])));
  // One page at a time: a second press must not read the same page again.
  more.addEventListener("click", async () => { if (isReading) return; isReading = true; await attempt(load); isReading = false; });
  attempt(load);
  return () => {};
}
