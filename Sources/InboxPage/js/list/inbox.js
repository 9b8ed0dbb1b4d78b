// The page of all pushes: search, counts, table, pages.
import { h, put, $ } from "../dom.js";
import { icon } from "../icons.js";
import { say, store } from "../shared/store.js";
import { searchBox } from "./search.js";
import { drawCounts } from "./counts.js";
import { drawPager, pager } from "./pager.js";
import { leaveRows, rowGroup, showRows, showWaiting } from "./rows.js";
import { drawNotice } from "./notice.js";

const COLUMNS = [["c-time", "Time"], ["c-status", "Status"], ["c-type", "Type"], ["", "Notification"], ["c-app", "Topic"], ["c-dev", "Device"], ["c-out", "Outcome"]];

export function drawInbox() {
  const rows = rowGroup();
  put($("work"), h("div", { class: "inbox" }, h("h1", { class: "sr" }, "Inbox"),
    h("div", { class: "finder" }, searchBox(), pauseButton()),
    h("div", { class: "counts", role: "group", "aria-label": "Filter by outcome", id: "counts" }),
    h("div", { id: "notice" }),
    h("div", { class: "rows" },
      h("button", { class: "btn small waiting", type: "button", id: "waiting", hidden: true, on: { click: () => { showWaiting(); document.querySelector(".rows").scrollTop = 0; }, pointerleave: leaveRows } }),
      h("table", { class: "log", role: "table", "aria-label": "Pushes, newest first" },
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, COLUMNS.map(([name, title]) => h("th", { class: name, scope: "col", role: "columnheader" }, h("span", {}, title))))),
        rows)),
    pager()));
  const pushes = store.pushes;
  store.pushes = [];
  if (pushes.length) showRows(pushes);
  drawCounts(); drawPager(); drawNotice();
}

function pauseButton() {
  return h("button", { class: "btn text-narrow", type: "button", id: "pause", "aria-label": store.live ? "Pause" : "Resume", on: { click: () => say("pause") } },
    icon(store.live ? "pause" : "play"), h("span", {}, store.live ? "Pause" : "Resume"));
}

export function drawPause() {
  if ($("pause")) { const had = document.activeElement === $("pause"); $("pause").replaceWith(pauseButton()); if (had) $("pause").focus(); }
}
