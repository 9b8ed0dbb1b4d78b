// Faults on the left; connections and violations on the right.
import { h, put, $ } from "../dom.js";
import { drawConnections, loadConnections, legend } from "./connections.js";
import { drawFaults, loadFaults } from "./faults.js";
import { drawViolations, loadViolations } from "./violations.js";
import { newFault } from "./new-fault.js";

const EVERY = 1500;
let timer = null;

export async function drawWire() {
  put($("work"), h("div", { class: "wire" }, h("h1", { class: "sr" }, "Faults and connections"),
    h("div", {},
      h("section", { "aria-labelledby": "s" }, head("s", "Scenarios", "One at a time"), h("div", { class: "card", id: "scenarios" })),
      h("section", { "aria-labelledby": "f" }, head("f", "Faults", "The first matching fault acts"), newFault(), h("div", { class: "card", id: "faults" }))),
    h("div", {},
      h("section", { "aria-labelledby": "c" }, head("c", "Connections", h("span", { id: "connection-count" }), legend()), h("div", { class: "card", id: "connections" })),
      h("section", { "aria-labelledby": "v" }, head("v", "Broken rules", "Not enforced by the mock, but perhaps by Apple"), h("ul", { class: "card", id: "violations" })))));
  clearInterval(timer);
  timer = setInterval(refresh, EVERY);
  await refresh();
}

const head = (id, title, about, end) => h("div", { class: "sec-head" }, h("h2", { id }, title), h("p", {}, about), end && h("div", { class: "end" }, end));

async function refresh() {
  if (!$("connections")) { clearInterval(timer); return; }
  if (document.hidden) return;
  try { await Promise.all([loadFaults(), loadConnections(), loadViolations()]); } catch { return; }
  drawFaults(); drawConnections(); drawViolations();
}
