// What became of what Apple accepted?
import { h, put, number, some } from "../dom.js";
import { get } from "../api.js";
import { command } from "../copy.js";
import { plain, safe } from "../strangers.js";
import { repeat } from "../page.js";
import { ago, head, nothing, percent, select, table } from "../parts.js";
import { go } from "../route.js";
import { apps } from "../session.js";

const PAUSE = 60000, DAYS = ["7", "30", "90", "366"];
const COLUMNS = [["Day", "c-time long"], ["Type", "c-app"], ["Accepted", "num"], ["Delivered", "num"], ["Stored", "num"], ["Discarded", "num"], ["Why they differ", "say"]];

export function delivery({ filter }) {
  const page = h("div", { class: "page" });
  const names = apps(), app = filter.app ?? names[0], days = DAYS.includes(filter.days) ? filter.days : "30";
  const load = async () => {
    const found = await get("/v1/delivery", { app, days });
    const counted = found.items.filter((each) => each.counts), newest = counted.filter((each) => each.day === counted[0].day);
    const total = (name) => newest.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0), all = newest.reduce((sum, { counts }) => sum + Object.values(counts).reduce((a, b) => a + b, 0), 0);
    const said = newest.length ? `${counted[0].day}: Apple delivered ${percent(total("delivered"), all)}, stored ${percent(total("stored"), all)} and discarded ${percent(total("discarded"), all)}.` : "";
    put(page, head("Delivery", ["Apple rounds its counts, and they include all senders of your team. ", said], found.import?.imported_at && h("span", { class: "muted" }, `imported ${ago(found.import.imported_at)}`)),
      h("div", { class: "filters" }, names.length > 1 && select("App", app, names.map((name) => [name, plain(name, 60)]), (name) => go("delivery", { app: name, days }), false), select("Days", days, DAYS.map((each) => [each, some(Number(each), "day")]), (each) => go("delivery", { app, days: each }), false)),
      found.import?.failure && h("section", { class: "card" }, h("header", {}, h("h2", {}, "The import failed"), h("p", {}, safe(found.import.failure, 600)))),
      (found.items.length > 0 || found.import) && h("section", { class: "card" }, found.items.length > 0 ? table("Delivery", COLUMNS, found.items.map(row), "still wrap delivery") : nothing("Nothing was counted", "For each day and push type, this shows what Apple delivered, stored and discarded of what it accepted.")),
      !found.import && h("section", { class: "card" }, nothing("Apple’s counts aren’t imported", "They would tell you what Apple delivered, stored and discarded of what it accepted. Give the app a data export token in pushserve.yaml:", command("delivery: {token_file: export.token}", { prompt: false }))));
    page.dataset.items = String(found.items.length);
  };
  const { stop } = repeat(page, load, PAUSE);
  return { body: page, leave: stop };
}

const figure = (name, value) => h("td", { class: "num", "data-name": name }, value === undefined ? "–" : number(value));

function row({ day, push_type, accepted, counts, explanation }) {
  return h("tr", { "data-day": day }, h("td", { class: "c-time long" }, safe(day, 10)), h("td", { class: "c-app" }, safe(push_type, 64)), figure("Accepted", accepted), ["Delivered", "Stored", "Discarded"].map((name) => figure(name, counts && (counts[name.toLowerCase()] ?? 0))), h("td", { class: "say" }, safe(explanation, 300)));
}
