// Outcomes as they come, by server-sent events. The browser itself continues after a break, with Last-Event-ID.
import { h, put, number } from "./dom.js";
import { jobLink, outcomePill, reason, target } from "./words.js";
import { precise } from "./times.js";
import { safe } from "./strangers.js";

const MOST_ROWS = 200;

export function drawOutcomes(work, _, setLink) {
  const rows = h("tbody");
  const note = h("div");
  const empty = h("p", { class: "empty" }, "No outcome since you opened this page. Each new one appears here when it is stored; earlier ones are in GET /v1/results.");
  const table = h("table", {}, h("thead", {}, h("tr", {}, ["Time", "App", "Outcome", "Reason", "Target", "Id"].map((title) => h("th", { scope: "col" }, title)))), rows);
  let isHeld = false, held = [];
  const hold = h("button", { class: "btn small", type: "button", "aria-pressed": "false" }, "Hold");
  put(work, h("section", { class: "page" }, h("header", {}, h("h1", {}, "Outcomes"), h("div", { class: "push-right" }, hold)), note, h("div", { class: "card table-card" }, table, empty)));
  hold.addEventListener("click", () => {
    isHeld = !isHeld;
    hold.setAttribute("aria-pressed", String(isHeld));
    hold.textContent = isHeld ? "Continue" : "Hold";
    if (!isHeld) { add(held); held = []; }
  });
  const waiting = [];
  let frame = null;
  const add = (jobs) => {
    empty.hidden = true;
    rows.prepend(...jobs.slice(-MOST_ROWS).reverse().map(row));
    while (rows.children.length > MOST_ROWS) rows.lastElementChild.remove();
  };
  const flush = () => {
    frame = null;
    const jobs = waiting.splice(0);
    if (isHeld) { held = held.concat(jobs).slice(-MOST_ROWS); hold.textContent = `Continue (${number(held.length)})`; } else add(jobs);
  };
  const source = new EventSource("/v1/results/events");
  source.addEventListener("result", (event) => {
    waiting.push(JSON.parse(event.data));
    if (waiting.length > 2 * MOST_ROWS) waiting.splice(0, waiting.length - MOST_ROWS);
    frame ??= requestAnimationFrame(flush);
  });
  source.addEventListener("gap", () => put(note, h("p", { class: "notice", role: "status" }, "Outcomes were deleted before this page could read them. The overview counts them.")));
  source.addEventListener("open", () => { setLink("live"); document.documentElement.dataset.stream = "open"; });
  source.addEventListener("error", () => setLink("lost"));
  return () => { source.close(); delete document.documentElement.dataset.stream; };
}

const row = (job) => h("tr", { "data-id": job.id }, h("td", { class: "tight mono" }, precise(job.finished_at)), h("td", {}, safe(job.app, 100)), h("td", { class: "tight" }, outcomePill(job)),
  h("td", {}, reason(job.outcome)), h("td", {}, target(job)), h("td", { class: "tight" }, jobLink(job)));
