// Who did that?
import { h, put, some } from "../dom.js";
import { get } from "../api.js";
import { attempt } from "../copy.js";
import { icon } from "../icons.js";
import { plain, safe } from "../strangers.js";
import { clockTime, day } from "../times.js";
import { noScope, repeat } from "../page.js";
import { appName, button, choice, head, nothing } from "../parts.js";
import { go, link, toPush } from "../route.js";
import { apps, may } from "../session.js";
import { ACTIONS, COUNTED } from "../words.js";

const PAGE = 100, ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function audit({ filter }) {
  const page = h("div", { class: "page" });
  if (!may("admin")) { put(page, noScope("admin")); page.dataset.loaded = ""; return { body: page }; }
  let entries = [], next = null;
  const more = button("Load older", () => attempt(read), { hidden: true }), list = h("div", { class: "stackup" });
  const read = async () => {
    const found = await get("/v1/audit", { app: filter.app, limit: PAGE, after: next });
    entries = [...entries, ...found.items].slice(0, 300);
    next = found.next;
    more.hidden = !next || entries.length >= 300;
    const days = Map.groupBy(entries, (each) => day(each.at));
    put(list, [...days].map(([name, list]) => h("section", { class: "card audit" }, h("header", {}, h("h2", {}, name === day(new Date()) ? "Today" : name)), h("ul", {}, list.map(entry)))), entries.length === 0 && h("section", { class: "card" }, nothing("No entry yet", "Sending pushes isn’t audited; changing, cancelling, revoking, exporting and erasing are.")));
    page.dataset.entries = String(entries.length);
  };
  const load = async () => { entries = []; next = null; put(page, head("Audit", "An entry is written together with its change, and kept for 400 days. Commands on the machine name their user."), apps().length > 1 && h("div", { class: "filters" }, choice("App", filter.app, "All apps", apps().map((app) => [app, plain(app, 60)]), (app) => go("audit", { app }))), list, more); await read(); };
  const { stop } = repeat(page, load);
  return { body: page, leave: stop };
}

function entry(each) {
  const object = each.object_name !== undefined ? safe(each.object_name, 100) : each.object === undefined ? null : safe(each.object, 100), [kind] = each.action.split("."), isPush = ["notification", "dead_letters"].includes(kind) && ID.test(each.object);
  // Several are counted, and what follows says which.
  const count = Number.isInteger(each.count) && !isPush && Object.hasOwn(COUNTED, each.action) ? `${COUNTED[each.action]} ${some(each.count, "push", "pushes")}${object ? ": " : ""}` : null;
  const place = each.object === undefined && kind !== "webhook" ? null : kind === "campaign" ? `#/campaigns/${encodeURIComponent(each.object)}` : isPush ? toPush(each.object) : kind === "webhook" ? link(`webhooks/${encodeURIComponent(each.app ?? "")}`) : null;
  return h("li", {}, h("time", { datetime: each.at }, clockTime(each.at)), h("div", {}, h("p", {}, h("b", {}, safe(each.key_name ?? each.key, 60)), " ", count ?? (Object.hasOwn(ACTIONS, each.action) ? ACTIONS[each.action] : safe(each.action, 60)), " ", object && (place ? h("a", { href: place }, object) : object)),
    (each.before || each.after) && h("p", { class: "change" }, each.before && h("del", {}, safe(each.before, 160)), each.before && each.after && icon("right", "to"), each.after && h("ins", {}, safe(each.after, 160)))), h("span", { class: "from" }, each.app && appName(each.app)));
}
