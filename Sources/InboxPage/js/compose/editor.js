// A text area over its own coloured copy.
import { h, put, $, number } from "../dom.js";
import { codeLine, located } from "../detail/payload.js";
import { meter, toneOf } from "../shared/meter.js";
import { fieldsOf } from "./request-fields.js";

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

/// The size of what is sent: the text as it is.
export function drawSize(text) {
  const bytes = new TextEncoder().encode(text).length;
  const limit = fieldsOf().push_type === "voip" ? 5120 : 4096;
  put($("size"), meter(bytes, limit, "Bytes of the payload", toneOf(bytes, limit, .85, 1)), h("span", {}, `${number(bytes)} of ${number(limit)} bytes`), h("span", { class: "end" }, "Tab leaves the editor"));
}

export function jump(area, finding) {
  const [range] = located(area.value, [finding]);
  if (!range) { area.focus(); return; }
  const lines = area.value.split("\n");
  const start = lines.slice(0, range.line - 1).reduce((sum, line) => sum + line.length + 1, 0) + range.at;
  area.focus();
  area.setSelectionRange(start, start + range.size);
}
