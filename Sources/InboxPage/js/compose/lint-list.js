// The findings of the linter beside the editor.
import { h, put, some, $ } from "../dom.js";
import { findingRow } from "../findings.js";
import { icon } from "../icons.js";

export function drawFindings({ items }, { go, fix }) {
  const errors = items.filter((each) => each.severity === "error").length;
  const warnings = items.filter((each) => each.severity === "warning").length;
  $("lint-n").textContent = items.length ? String(items.length) : "";
  put($("ready"), icon(errors ? "alert" : warnings ? "warn" : "check"), errors ? some(errors, "error") : warnings ? some(warnings, "warning") : "No problems found");
  $("ready").className = `ok-note ${errors ? "bad" : warnings ? "warn" : ""}`;
  const fixable = items.filter((each) => each.fixable).length;
  put($("lint"), fixable > 0 && fix && h("li", { class: "fix-all" }, h("button", { type: "button", class: "btn small", id: "fix", on: { click: fix } }, icon("pen"), `Correct ${fixable === items.length && fixable > 1 ? "all" : fixable}`), h("span", {}, "what is certain")),
    items.length ? [...items].sort((a, b) => (a.line ?? 1e9) - (b.line ?? 1e9)).map((each) => findingRow(each, go)) : h("li", {}, h("div", { class: "fine" }, icon("check"), "No problems found. Apple would accept it, and a phone would read all of it.")));
}
