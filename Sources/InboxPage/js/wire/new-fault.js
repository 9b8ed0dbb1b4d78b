// A fault as JSON, written here.
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { inject } from "./faults.js";

const EXAMPLE = `{
  "name": "gone",
  "when": {"topic": "com.example.app"},
  "steps": [{"answer": {"status": 410, "reason": "Unregistered"}}],
  "times": 1
}`;

export function newFault() {
  const area = h("textarea", { class: "fault-json", rows: "7", spellcheck: "false", "aria-label": "Fault, JSON" });
  const problem = h("p", { class: "wrong", role: "alert" });
  area.value = EXAMPLE;
  const add = async () => {
    problem.textContent = "";
    let json;
    try { json = JSON.parse(area.value); } catch { problem.textContent = "This isn’t JSON."; return; }
    if (await inject(json)) { whole.open = false; whole.querySelector("summary").focus(); }
  };
  const whole = h("details", { class: "new-fault" }, h("summary", { class: "btn small" }, icon("plus"), "New fault"),
    h("div", { class: "card" }, area, problem, h("div", { class: "end" }, h("button", { type: "button", class: "btn primary small", on: { click: add } }, "Switch on"))));
  return whole;
}
