// The rows of the table, by number: each stays the same element while it is there. New rows are added in batches, and never while a
// pointer or the focus is on a row: then they wait, and a button says how many.
import { h, put, $, some } from "../dom.js";
import { renewOutcome, row } from "../shared/row.js";
import { light } from "../shared/light.js";
import { store } from "../shared/store.js";

export const PER_PAGE = 50;
const elements = new Map();
let waiting = null;
let isHovered = false;

export function rowGroup() {
  const body = h("tbody", { id: "rows", role: "rowgroup" });
  body.addEventListener("pointerover", (event) => { isHovered = event.pointerType !== "touch"; light(event.target.closest("tr")?.dataset.n); });
  body.addEventListener("pointerleave", leaveRows);
  body.addEventListener("focusout", () => setTimeout(release));
  elements.clear();
  store.pushes = latestRows();
  waiting = null;
  isHovered = false;
  return body;
}

/// The pointer has left the rows, or the button above them. The button can appear under a pointer that does not move: then the rows
/// still wait.
export function leaveRows(event) {
  if (event.relatedTarget?.closest?.("#rows, #waiting")) return;
  isHovered = false;
  light(null);
  release();
}

/// Shows the waiting rows, although the pointer is on the button.
export function showWaiting() {
  document.activeElement?.blur();
  isHovered = false;
  release();
}

const isHeld = () => isHovered || $("rows")?.contains(document.activeElement);

/// Shows these pushes, newest first; immediately, or when the pointer leaves the rows.
export function showRows(pushes, { mayWait = false } = {}) {
  if (!$("rows")) { waiting = null; store.pushes = pushes; return; }
  if (mayWait && isHeld() && store.pushes.length) {
    waiting = pushes;
    const count = pushes.findIndex((push) => push.number === store.pushes[0]?.number);
    tellWaiting(count < 0 ? pushes.length : count);
    return;
  }
  waiting = null;
  tellWaiting(0);
  arrange(pushes);
}

function release() {
  if (waiting && !isHeld()) showRows(waiting);
}

/// The rows as they are or will be, newest first.
export const latestRows = () => waiting ?? store.pushes;

function arrange(pushes) {
  const body = $("rows");
  const had = store.pushes.length > 0;
  store.pushes = pushes;
  const wanted = new Set(pushes.map((push) => push.number));
  for (const [number, element] of elements) if (!wanted.has(number)) { element.remove(); elements.delete(number); }
  if (!pushes.length) { put(body, h("tr", { role: "row" }, h("td", { role: "cell", colspan: "7" }, nothing()))); return; }
  if (body.firstElementChild && !body.firstElementChild.dataset.n) put(body);
  let at = body.firstElementChild;
  for (const push of pushes) {
    let element = elements.get(push.number);
    if (!element) {
      element = row(push);
      if (had) element.classList.add("fresh");
      elements.set(push.number, element);
    }
    if (element === at) at = at.nextElementSibling; else body.insertBefore(element, at);
  }
}

function nothing() {
  const isAll = !store.query.trim() && store.outcome === "all" && !store.app;
  return h("div", { class: "nothing" }, isAll ? [h("b", {}, "The log is empty"), "The next push appears here."] : [h("b", {}, "No push fits"), "Take a word out of the search, or choose All."]);
}

function tellWaiting(count) {
  const button = $("waiting");
  if (!button) return;
  button.hidden = count === 0;
  button.textContent = `${some(count, "new push").replace(/pushs$/, "pushes")} above`;
}

/// Shows another outcome in its row.
export function changeOutcome(number, outcome) {
  for (const list of [store.pushes, waiting ?? []]) {
    const push = list.find((each) => each.number === number);
    if (push) push.outcome = outcome;
  }
  const push = store.pushes.find((each) => each.number === number);
  if (push && elements.has(number)) renewOutcome(elements.get(number), push);
}

/// Forgets all rows, because their numbers belong to other pushes now.
export function forgetRows() {
  for (const element of elements.values()) element.remove();
  elements.clear();
  waiting = null;
  store.pushes = [];
}

/// Redraws all rows, because the phones have new names. Rows that wait continue to wait.
export function renewRows() {
  elements.clear();
  if ($("rows")) { put($("rows")); const all = store.pushes; store.pushes = []; arrange(all); release(); }
}
