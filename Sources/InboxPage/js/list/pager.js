// Below the table: which part of the log it shows, and links to the others.
import { h, put, $, number } from "../dom.js";
import { icon } from "../icons.js";
import { foundCount, goTo, hasNext, isSelection, pageIndex, turn } from "./listing.js";
import { store } from "../shared/store.js";
import { PER_PAGE } from "./rows.js";

export function pager() {
  return h("footer", { class: "pager" }, h("span", { id: "range", role: "status" }), h("span", { class: "wide faint", id: "kept" }), h("nav", { "aria-label": "Pages of the table", id: "pages" }));
}

export function drawPager() {
  if (!$("range")) return;
  const page = pageIndex();
  const count = foundCount();
  const from = page * PER_PAGE + 1;
  const rows = store.pushes.length;
  const of = count === null ? "" : ` of ${number(Math.max(count, from + rows - 1))}`;
  const range = rows ? `${number(from)} to ${number(from + rows - 1)}${of}` : "none";
  if ($("range").textContent !== range) $("range").textContent = range;
  $("kept").textContent = store.isCut ? `  · the newest ${number(store.kept)} are kept` : "";
  drawPages(page, Math.ceil(Math.max(count ?? 0, 1) / PER_PAGE));
}

function drawPages(page, pages) {
  const key = `${page} ${pages} ${hasNext()} ${isSelection()}`;
  if ($("pages").dataset.key === key) return;
  const focused = document.activeElement?.dataset?.page;
  $("pages").dataset.key = key;
  const step = (name, label, by, on) => h("button", { type: "button", "data-page": label, "aria-label": label, disabled: !on, on: { click: () => turn(by) } }, icon(name));
  const near = [...new Set([0, page - 1, page, page + 1, pages - 1])].filter((each) => each >= 0 && each < pages).sort((a, b) => a - b);
  const one = (each, at) => [at > 0 && each > near[at - 1] + 1 && h("span", { class: "faint" }, "…"),
    h("button", { type: "button", "data-page": String(each), "aria-label": `Page ${each + 1}`, "aria-current": each === page ? "page" : null, on: { click: () => goTo(each) } }, number(each + 1))];
  put($("pages"), step("left", "Previous page", -1, page > 0), isSelection() ? h("span", {}, `Page ${number(page + 1)}`) : near.map(one), step("right", "Next page", 1, hasNext()));
  if (focused) $("pages").querySelector(`[data-page="${CSS.escape(focused)}"]`)?.focus();
}
