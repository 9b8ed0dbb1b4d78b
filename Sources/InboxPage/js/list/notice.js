// A line above the table: what this page has missed.
import { h, put, $, number } from "../dom.js";
import { icon } from "../icons.js";
import { store } from "../shared/store.js";

export function drawNotice() {
  if (!$("notice")) return;
  const { missed } = store;
  put($("notice"), missed && h("p", { class: "missed", role: "status" }, icon("clock"), h("span", {}, sentence(missed)),
    h("button", { class: "btn icon small bare", type: "button", "aria-label": "Close this note", on: { click: () => { store.missed = null; drawNotice(); } } }, icon("cross"))));
}

function sentence({ count, kept, again }) {
  if (again) return "The mock was started again: its log is new.";
  const many = `You missed ${number(count)} ${count === 1 ? "push" : "pushes"}`;
  return kept ? `${many} while this page was away. They are in the log.` : `${many}: they are no longer in the log.`;
}
