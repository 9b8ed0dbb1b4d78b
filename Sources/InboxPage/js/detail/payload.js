// The body of a push, with what the linter found.
import { h } from "../dom.js";
import { code } from "../code.js";
import { icon } from "../icons.js";
import { safe } from "../strangers.js";

export function payload(body, findings, number) {
  return code(body.text, findings, (each) => note(each, number), "Payload", body.mark && h("p", { class: "body-mark" }, icon("warn"), explain(body)));
}

function note(finding, number) {
  return h("div", { class: `finding ${finding.severity}`, role: "note" }, icon(finding.severity === "error" ? "alert" : "warn", finding.severity),
    h("div", {}, safe(finding.problem, 400), " ", h("b", {}, safe(finding.remedy, 400)), " ", h("code", {}, finding.rule)),
    h("a", { class: "btn small", href: `#/compose/push-${number}` }, "Open in composer"));
}

function explain(body) {
  if (!body.isText) return "This isn’t UTF-8. Bytes that aren’t characters are shown as \\xFF.";
  return body.isCut ? "The body was cut: the mock keeps its first 64 KiB." : "This isn’t JSON.";
}
