// Finds pushes by device token, id, collapse id or dedupe key. One hit opens itself; a device shows its whole history.
import { h, put, number, short, some } from "../dom.js";
import { get, path, text, write } from "../api.js";
import { attempt, copy, toast } from "../copy.js";
import { safe } from "../strangers.js";
import { repeat } from "../page.js";
import { about, act, appName, button, confirm, device, head, nothing, outcome, table, when } from "../parts.js";
import { link, toPush } from "../route.js";
import { may } from "../session.js";

const PAGE = 60;
// The pages of 1,000 pushes that are counted before everything about a device is erased.
const MOST_COUNTED = 10;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NAMES = { token: "device token", collapse_id: "collapse id", dedupe_key: "dedupe key" };

export function search({ filter }) {
  const asked = (filter.q ?? "").trim(), page = h("div", { class: "page" });
  const load = async () => {
    if (!asked) { put(page, head("Search"), nothing("Find a push", "By its whole device token or id, its collapse id or its dedupe key. / comes here from every view.")); return; }
    if (ID.test(asked)) {
      const found = await get(`/v1/notifications/${encodeURIComponent(asked)}`).catch((error) => { if (error.status === 404) return null; throw error; });
      if (found) { location.replace(toPush(found.id)); return; }
    }
    // Only what is long enough can be a device token; the others are asked for at the same time.
    const kinds = Object.keys(NAMES).filter((kind) => kind !== "token" || /^[0-9a-f\s<>]{8,}$/i.test(asked) || /^[\w+/=-]{40,}$/.test(asked));
    const answers = await Promise.all(kinds.map((kind) => get("/v1/notifications", { [kind]: asked, alerts: true, limit: PAGE }).catch((error) => { if (error.status === 400 || error.status === 422) return { items: [] }; throw error; })));
    const at = answers.findIndex((each) => each.items.length > 0);
    if (at < 0) { put(page, head("Search"), nothing(["No push matches “", safe(asked, 80), "”"], "The whole device token, id, collapse id or dedupe key is needed. Pushes are kept for a while after their outcome, and an erased device takes its pushes with it.", h("a", { class: "btn", href: "#/outcomes" }, "Look at the outcomes"))); page.dataset.hits = "0"; return; }
    draw(page, kinds[at], asked, answers[at]);
  };
  const { stop } = repeat(page, load);
  return { body: page, leave: stop };
}

function draw(page, kind, asked, { items, next }) {
  const isToken = kind === "token", token = items[0].token, body = h("tbody");
  const row = (job) => h("tr", { "data-id": job.id }, h("td", { class: "c-time long" }, h("a", { href: toPush(job.id) }, when(job.finished_at ?? job.deliver_at))), h("td", { class: "c-out" }, outcome(job)), h("td", { class: "say" }, about(job)), h("td", { class: "c-app" }, appName(job.app)), !isToken && h("td", { class: "c-dev" }, device(job)), h("td", { class: `c-tries num${job.attempts > 1 ? " many" : ""}` }, job.attempts || "–"));
  let cursor = next;
  const more = button("Load more", () => attempt(async () => { const older = await get("/v1/notifications", { [kind]: asked, alerts: true, limit: PAGE, after: cursor }); body.append(...older.items.map(row)); cursor = older.next; more.hidden = !cursor || body.rows.length >= 300; }), { hidden: !next });
  const grid = table("Pushes found", [["Time", "c-time long"], ["Outcome", "c-out"], ["Notification", "say"], ["App", "c-app"], !isToken && ["Device", "c-dev"], ["Tries", "c-tries num"]], [], "outs");
  grid.tBodies[0].replaceWith(body);
  body.append(...items.map(row));
  const accepted = items.filter((job) => job.outcome?.kind === "accepted").length;
  put(page, head(isToken ? ["Device ", h("code", {}, safe(short(token), 40))] : ["Pushes with “", safe(asked, 60), "”"], `Found by ${NAMES[kind]}: ${next ? "the newest " : ""}${some(items.length, "push", "pushes")}, ${number(accepted)} accepted.`,
    isToken && [button("Copy", () => copy(token, "Device token copied"), { name: "copy", "aria-label": "Copy the device token" }), may("send") && h("a", { class: "btn", href: link("compose", { token, app: items[0].app }) }, "Send a push to it"), may("admin") && act("Export", () => save(token)), may("admin") && button("Erase…", () => attempt(() => erase(token, items.length, next)), { kind: "quiet-danger" })]),
    h("section", { class: "card" }, grid, h("footer", { class: "pager" }, h("span", {}, "Newest first"), more)));
  page.dataset.hits = String(items.length);
}

async function save(token) {
  const address = URL.createObjectURL(new Blob([await text("/v1/export", { token })], { type: "application/x-ndjson" }));
  const file = h("a", { href: address, download: `device-${short(token).replace("…", "-")}.jsonl` });
  file.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/// Counts what the list has not shown, so that the number comes first.
async function erase(token, shown, next) {
  let count = shown, after = next;
  for (let page = 0; after && page < MOST_COUNTED; page += 1) { const older = await get("/v1/notifications", { token, limit: 1000, after }); count += older.items.length; after = older.next; }
  confirm({ title: "Erase everything about this device?", text: `${after ? "More than " : ""}${some(count, "push", "pushes")}, with their payloads, tries and posted webhook bodies, go for good. The audit keeps that you did it.`, count, word: after ? "Erase all of them" : `Erase ${some(count, "push", "pushes")}`, action: async () => { const { erased } = await write("DELETE", path("/v1/notifications", { token })); toast(`${some(erased, "push", "pushes")} erased`); dispatchEvent(new Event("hashchange")); } });
}
