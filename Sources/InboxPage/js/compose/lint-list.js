// The findings of the linter beside the editor.
import { h, put, $ } from "../dom.js";
import { safe } from "../strangers.js";
import { icon } from "../icons.js";

export function drawFindings({ items }, { go, fix }) {
  const errors = items.filter((each) => each.severity === "error").length;
  const warnings = items.filter((each) => each.severity === "warning").length;
  const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  $("lint-n").textContent = items.length ? String(items.length) : "";
  put($("ready"), icon(errors ? "alert" : warnings ? "warn" : "check"), errors ? many(errors, "error") : warnings ? many(warnings, "warning") : "No problems found");
  $("ready").className = `ok-note ${errors ? "bad" : warnings ? "warn" : ""}`;
  const fixable = items.filter((each) => each.fixable).length;
  put($("lint"), fixable > 0 && fix && h("li", { class: "fix-all" }, h("button", { type: "button", class: "btn small", id: "fix", on: { click: fix } }, icon("pen"), `Correct ${fixable === items.length && fixable > 1 ? "all" : fixable}`), h("span", {}, "what is certain")),
    items.length ? [...items].sort((a, b) => (a.line ?? 1e9) - (b.line ?? 1e9)).map((each) => row(each, go)) : h("li", {}, h("div", { class: "fine" }, icon("check"), "No problems found. Apple would accept it, and a phone would read all of it.")));
}

function row(each, go) {
  const inside = [icon(each.severity === "error" ? "alert" : each.severity === "note" ? "info" : "warn", each.severity), h("span", {}, h("b", {}, safe(each.problem, 400)), h("small", {}, safe(each.remedy, 400)), h("code", {}, each.line ? `${each.line}:${each.column}  ${each.rule}` : `${each.subject}  ${each.rule}`))];
  return h("li", { class: each.severity }, each.line ? h("button", { type: "button", class: "go", on: { click: () => go(each) } }, inside) : h("div", { class: "go" }, inside));
}
