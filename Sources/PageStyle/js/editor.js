// A text area over its own coloured copy.
import { h, put } from "./dom.js";
import { codeLine, located } from "./code.js";

export function editor(text) {
  const area = h("textarea", { id: "payload", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "Payload, JSON" });
  area.value = text;
  const code = h("pre", { "aria-hidden": "true" });
  area.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) { event.preventDefault(); area.form.requestSubmit(); } });
  return { area, code, paper: h("div", { class: "paper" }, h("div", { class: "sizer" }, code, area)) };
}

export function drawText(area, code, found) {
  const text = area.value;
  const all = located(text, found);
  put(code, text.split("\n").map((line, i) => codeLine(line, all.filter((each) => each.line === i + 1), true)));
}

export function jump(area, finding) {
  const [range] = located(area.value, [finding]);
  if (!range) { area.focus(); return; }
  const lines = area.value.split("\n");
  const start = lines.slice(0, range.line - 1).reduce((sum, line) => sum + line.length + 1, 0) + range.at;
  area.focus();
  area.setSelectionRange(start, start + range.size);
}
