// A finding of the linter as a row beside the editor.
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { safe } from "./strangers.js";

const ICONS = { error: "alert", note: "info" };

/// - `go`: called for a finding that has a place.
export function findingRow(each, go) {
  const place = each.line ? `${each.line}:${each.column}` : each.subject;
  const inside = [icon(ICONS[each.severity] ?? "warn", each.severity), h("span", {}, h("b", {}, safe(each.problem, 400)), h("small", {}, safe(each.remedy, 400)), h("code", {}, place && `${place}  `, safe(each.rule, 60)))];
  return h("li", { class: each.severity }, each.line ? h("button", { type: "button", class: "go", on: { click: () => go(each) } }, inside) : h("div", { class: "go" }, inside));
}
