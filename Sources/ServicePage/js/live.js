// New rows while a list is open. Rows never move under the pointer: while it is over the list, or the page is scrolled, or a row has
// the focus, new rows wait in a bar of fixed height above it.
import { h, put, $ } from "./dom.js";
import { icon } from "./icons.js";

const MOST = 300;

/// - `row`: makes the row of an item.
/// - `stays`: whether nothing new may come, since the list is of a time that is over.
export function liveList({ row, stays }) {
  const body = h("tbody");
  const bar = h("button", { class: "fresh-bar", type: "button", disabled: true, on: { click: () => { $("work").scrollTop = 0; admit(); } } });
  let waits = [], isOver = false, known = new Set();
  const isAiming = () => isOver || $("work").scrollTop > 40 || body.contains(document.activeElement);
  const say = () => {
    bar.disabled = waits.length === 0;
    bar.hidden = stays;
    put(bar, icon(waits.length ? "up" : "activity"), waits.length ? `${waits.length >= MOST ? `${MOST} or more` : waits.length} new` : "Live, newest on top");
  };
  const admit = () => {
    const made = waits.map((item) => { const line = row(item); line.classList.add("fresh"); return line; });
    waits = [];
    body.prepend(...made);
    while (body.rows.length > MOST) body.deleteRow(-1);
    say();
  };
  body.addEventListener("pointerenter", () => { isOver = true; });
  body.addEventListener("pointerleave", () => { isOver = false; });
  say();
  return {
    body, bar,
    /// The first page.
    fill(items) { known = new Set(items.map(({ id }) => id)); waits = []; put(body, items.map(row)); say(); },
    /// Older ones, at the end.
    append(items) { for (const { id } of items) known.add(id); body.append(...items.map(row)); },
    /// The newest, the newest first. If none is known, more came than a page has: then only these are of use.
    ///
    /// - Returns: whether earlier rows were left out.
    take(items) {
      const fresh = items.filter(({ id }) => !known.has(id));
      const isGap = fresh.length > 0 && fresh.length === items.length && known.size > 0;
      if (isGap) { known = new Set(); waits = []; if (!isAiming()) put(body); }
      for (const { id } of fresh) known.add(id);
      waits = [...fresh, ...waits].slice(0, MOST);
      if (known.size > 4 * MOST) known = new Set([...known].slice(-2 * MOST));
      if (waits.length && !isAiming()) admit(); else say();
      return isGap;
    },
  };
}
