// The rules that clients broke and the mock does not enforce, one row for each rule. A rejection is a push in the inbox, with its verdict.
import { h, put, $ } from "../dom.js";
import { safe } from "../strangers.js";
import { icon } from "../icons.js";
import { get } from "../shared/api.js";
import { markPill } from "../detail/verdict.js";
import { clockTime } from "../times.js";

let rules = [];

export async function loadViolations() {
  const { items, counts } = await get("/violations?order=newest&limit=1000");
  const newest = new Map();
  for (const each of items) if (!each.rejected && !newest.has(each.id)) newest.set(each.id, each);
  rules = [...newest.values()].map((each) => ({ ...each, count: counts[each.id] ?? 1 }));
}

export function drawViolations() {
  if (!$("violations")) return;
  put($("violations"), rules.length ? rules.map(violation) : h("li", { class: "nothing-yet" }, "No client has broken a rule."));
}

function violation(each) {
  return h("li", { class: "vio warning" }, icon("warn"),
    h("div", {}, h("b", {}, safe(each.fact, 300)), each.detail && h("p", {}, safe(each.detail, 400)),
      h("p", { class: "where" }, `connection ${each.connection}`, each.push && [", ", h("a", { class: "link", href: `#/push/${each.push}` }, `push ${each.push}`)], ` · ${each.count} time${each.count > 1 ? "s" : ""} · last ${clockTime(each.time)} · `, h("code", {}, safe(each.id, 60)))), h("div", { class: "end" }, markPill(each.confidence)));
}
