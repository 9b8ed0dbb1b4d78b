// The bar on top: the pages, the mock's address, whether the page is live.
import { h, put, $, number } from "./dom.js";
import { icon, mark } from "./icons.js";
import { say, store } from "./shared/store.js";
import { isDark } from "./theme.js";
import { copy } from "./copy.js";
import { showKeys } from "./shortcuts.js";

const TABS = [["inbox", "#/inbox", "Inbox", "inbox"], ["compose", "#/compose", "Compose", "pen"], ["faults", "#/faults", "Faults & connections", "plug"]];
let drawn = "";

export function drawBar(now) {
  const count = store.counts?.all ?? store.total;
  const key = JSON.stringify([now.tab, now.name === "empty", count, store.faultsOn, store.live, store.link, isDark(), store.setup.port]);
  if (key === drawn) return;
  drawn = key;
  if ($("bar").firstElementChild && renew(now, count)) return;
  const { host, port, url, environment } = store.setup;
  put($("bar"),
    h("a", { class: "brand", href: "#/inbox", "aria-label": "pushsend mock, to the inbox" }, mark(), "pushsend", h("span", {}, "mock")),
    h("nav", { class: "tabs", "aria-label": "Pages" }, TABS.map(([id, to, title, name]) => h("a", { href: to, "data-tab": id }, icon(name), title, h("span", { class: id === "faults" ? "n warn" : "n", hidden: true })))),
    h("div", { class: "end", id: "bar-end" },
      h("button", { class: "server", type: "button", id: "server", title: "Copy the address", on: { click: () => copy(url, "Address copied") } }, h("span", { class: "beat" }), h("span", { class: "mono" }, `${host}:${port}`), h("span", { class: "said" }, environment)),
      h("button", { class: "btn icon bare hide-narrow", type: "button", "aria-label": "Keyboard shortcuts", on: { click: showKeys } }, icon("keys")),
      h("button", { class: "btn icon bare", type: "button", id: "theme", on: { click: () => say("theme") } })));
  renew(now, count);
}

function renew(now, count) {
  const { host, port, environment } = store.setup;
  if ($("server")?.querySelector(".mono").textContent !== `${host}:${port}`) return false;
  for (const [id] of TABS) {
    const tab = $("bar").querySelector(`[data-tab="${id}"]`);
    if (now.tab === id) tab.setAttribute("aria-current", "page"); else tab.removeAttribute("aria-current");
    const label = tab.lastElementChild;
    const text = id === "inbox" && now.name !== "empty" && count > 0 ? number(count) : id === "faults" && store.faultsOn > 0 ? `${store.faultsOn} on` : "";
    label.textContent = text; label.hidden = !text;
  }
  const state = store.link === "lost" ? "Reconnecting" : store.link === "connecting" ? "Connecting" : store.live ? "Live" : "Paused";
  $("bar-end").className = `end${store.link === "live" && store.live ? "" : " paused"}${store.link === "lost" ? " lost" : ""}`;
  $("server").setAttribute("aria-label", `${state}, listening on ${host}:${port}. Copy the address`);
  $("server").querySelector(".said").textContent = store.link === "lost" ? "reconnecting…" : environment ?? "";
  $("theme").setAttribute("aria-label", isDark() ? "Change to light" : "Change to dark");
  put($("theme"), icon(isDark() ? "sun" : "moon"));
  return true;
}
