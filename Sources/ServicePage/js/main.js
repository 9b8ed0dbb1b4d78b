// Login, the bar, the view that the address names, and the keyboard.
import { h, put, $ } from "./dom.js";
import { onHeard, onLocked } from "./api.js";
import { toast } from "./copy.js";
import { icon, mark } from "./icons.js";
import { isDark, toggleTheme } from "./theme.js";
import { clockTime } from "./times.js";
import { dialog, lonely } from "./parts.js";
import { go, route } from "./route.js";
import { current, drawLogin, forget, leave as logOut } from "./session.js";
import { again, begin as startWatching, end as stopWatching, state, watch } from "./watch.js";
import { audit } from "./views/audit.js";
import { campaigns } from "./views/campaigns.js";
import { compose, forgetDraft } from "./views/compose.js";
import { delivery } from "./views/delivery.js";
import { keys } from "./views/keys.js";
import { outcomes } from "./views/outcomes.js";
import { overview } from "./views/overview.js";
import { push } from "./views/push.js";
import { search } from "./views/search.js";
import { upload } from "./views/upload.js";
import { waiting } from "./views/waiting.js";
import { webhooks } from "./views/webhooks.js";

const VIEWS = { overview: [overview, "Overview"], outcomes: [outcomes, "Outcomes"], search: [search, "Search"], push: [push, "Push"], waiting: [waiting, "Waiting"], campaigns: [campaigns, "Campaigns"], upload: [upload, "New campaign"], delivery: [delivery, "Delivery"], webhooks: [webhooks, "Webhooks"], keys: [keys, "Keys"], audit: [audit, "Audit"], compose: [compose, "Compose"] };
const TABS = [["overview", "home"], ["outcomes", "list"], ["waiting", "clock"], ["campaigns", "flag"], ["delivery", "phone"], ["webhooks", "hook"], ["keys", "key"], ["audit", "book"]];
// A phone has room for four tabs; the others are under "More".
const FIRST = new Set(["overview", "outcomes", "waiting", "campaigns"]);
const BELONGS = { push: "outcomes", upload: "campaigns" };
const JUMPS = { o: "overview", r: "outcomes", w: "waiting", c: "campaigns", d: "delivery", h: "webhooks", k: "keys", a: "audit" };

let isOpen = false, leave = null, stopBadges = null, lostSince = null;
// Where each entry of the history was scrolled to: Back finds the place again.
const places = new Map();
let entry = 0, newest = 0;

function drawBar() {
  const field = h("input", { id: "find", type: "search", autocomplete: "off", spellcheck: "false", "aria-label": "Find a push by device token, id, collapse id or dedupe key", placeholder: "Device token, id, collapse id, dedupe key" });
  const tab = ([name, picture]) => h("a", { href: `#/${name}`, class: FIRST.has(name) ? "" : "later", "data-view": name }, icon(picture), h("span", {}, VIEWS[name][1]), name === "webhooks" && h("span", { class: "n warn", hidden: true }));
  const theme = h("button", { class: "btn icon bare", type: "button", "aria-label": "Light or dark", on: { click: switchTheme } }, icon(isDark() ? "sun" : "moon"));
  const menu = h("div", { class: "more-menu", id: "more", popover: "auto" }, TABS.filter(([name]) => !FIRST.has(name)).map(tab), h("a", { href: "#/compose", "data-view": "compose" }, icon("pen"), h("span", {}, "Compose")), h("button", { type: "button", on: { click: end } }, icon("unlock"), "Log out"));
  put($("bar"), h("a", { class: "brand", href: "#/overview", "aria-label": "pushserve, overview" }, mark(), "pushserve"),
    h("nav", { class: "tabs", "aria-label": "Views" }, TABS.map(tab), h("button", { class: "more", type: "button", popovertarget: "more" }, icon("more"), h("span", {}, "More"), h("span", { class: "n warn", hidden: true }))), menu,
    h("form", { class: "find", role: "search", on: { submit: (event) => { event.preventDefault(); if (field.value.trim()) go("search", { q: field.value.trim() }); } } }, icon("search"), field, h("kbd", {}, "/")),
    h("div", { class: "end" }, theme, h("a", { class: "btn primary compose-link", href: "#/compose", "aria-label": "Compose" }, icon("pen"), h("span", {}, "Compose")), h("button", { class: "btn icon bare log-out", type: "button", "aria-label": "Log out", title: "Log out", on: { click: end } }, icon("unlock"))));
  theme.dataset.theme = "";
}

function switchTheme() {
  toggleTheme();
  put(document.querySelector("[data-theme].btn"), icon(isDark() ? "sun" : "moon"));
}

function markBar({ view, filter }) {
  const here = BELONGS[view] ?? view;
  for (const each of document.querySelectorAll("#bar [data-view]")) { if (each.dataset.view === here) each.setAttribute("aria-current", "page"); else each.removeAttribute("aria-current"); }
  document.querySelector(".tabs .more")?.toggleAttribute("data-here", !FIRST.has(here));
  $("more").hidePopover?.();
  if (document.activeElement !== $("find")) $("find").value = view === "search" ? filter.q ?? "" : "";
}

function drawBadges() {
  const failing = state.hooks.filter((each) => each.state === "failing").length;
  for (const each of document.querySelectorAll("#bar .n")) { each.hidden = failing === 0; each.textContent = String(failing); each.setAttribute("aria-label", `${failing} failing`); }
}

function show() {
  if (!isOpen) return;
  leave?.();
  places.set(entry, $("work").scrollTop);
  const isBack = Number.isInteger(history.state?.entry);
  entry = isBack ? history.state.entry : ++newest;
  if (!isBack) history.replaceState({ entry }, "");
  newest = Math.max(newest, entry);
  const place = route(), found = Object.hasOwn(VIEWS, place.view) ? VIEWS[place.view] : null;
  document.title = `${found?.[1] ?? "Not found"} – pushserve`;
  const view = found ? found[0](place) : { body: h("div", { class: "page", "data-loaded": "" }, lonely("There is no such view", "The address may come from another version.", h("a", { class: "btn", href: "#/overview" }, "Go to the overview"))) };
  leave = view.leave;
  if (view.title) document.title = `${view.title} – pushserve`;
  const scroll = isBack ? places.get(entry) ?? 0 : 0;
  view.body.addEventListener("loaded", () => { $("work").scrollTop = scroll; });
  put($("work"), lostSince && strip(), view.body);
  $("work").scrollTop = scroll;
  document.documentElement.dataset.view = place.view;
  markBar(place);
}

// MARK: The service is away: the view stays as it was, and says how old it is.

const strip = () => h("div", { class: "lost", id: "lost", role: "status" }, icon("alert"), h("span", {}, h("b", {}, `The service hasn’t answered since ${clockTime(lostSince)}.`), " You see what it said then. This page asks again every few seconds."), h("button", { class: "btn small", type: "button", on: { click: again } }, "Try now"));

onHeard((isHeard) => {
  if (isHeard === (lostSince === null)) return;
  lostSince = isHeard ? null : new Date().toISOString();
  $("lost")?.remove();
  if (!isHeard && isOpen) $("work").prepend(strip());
  document.documentElement.toggleAttribute("data-lost", !isHeard);
});

// MARK: The keyboard

const KEYS = [["Find a push", "/"], ["Next, previous row", "J", "K"], ["Open the row", "Enter"], ["Compose", "N"], ["Overview", "G", "O"], ["Outcomes", "G", "R"], ["Waiting", "G", "W"], ["Campaigns", "G", "C"], ["Delivery", "G", "D"], ["Webhooks", "G", "H"], ["Keys", "G", "K"], ["Audit", "G", "A"], ["Light or dark", "T"], ["Leave a field", "Esc"]];
const help = () => dialog("Keyboard", () => {}, h("dl", { class: "key-list" }, KEYS.map(([what, ...all]) => [h("dt", {}, what), h("dd", {}, all.map((key) => h("kbd", {}, key)))])), null);
let before = "";

addEventListener("keydown", (event) => {
  if (!isOpen || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, textarea, select, dialog")) { if (event.key === "Escape" && !event.target.closest("dialog")) event.target.blur(); return; }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isJump = before === "g" && Object.hasOwn(JUMPS, key);
  before = key === "g" && !isJump ? "g" : "";
  if (isJump) { go(JUMPS[key]); return; }
  const rows = [...document.querySelectorAll(".log tbody td:first-child a")], at = rows.indexOf(document.activeElement);
  if (key === "/") { event.preventDefault(); $("find").focus(); } else if (key === "j" || key === "k") rows[Math.max(0, Math.min(rows.length - 1, at + (key === "j" ? 1 : -1)))]?.focus();
  else if (key === "n") go("compose"); else if (key === "t") switchTheme(); else if (key === "?") help();
});

// MARK: The session

function begin() {
  isOpen = true;
  drawBar();
  startWatching();
  stopBadges = watch(drawBadges);
  show();
  document.documentElement.dataset.ready = "true";
}

function close() {
  leave?.();
  stopBadges?.();
  stopWatching();
  [isOpen, leave] = [false, null];
  for (const box of document.querySelectorAll("dialog")) box.remove();
}

async function end() {
  close();
  try { await logOut(); } catch (error) { begin(); toast(`You’re still logged in: ${error.message} Reload the page, and try again.`, "warn"); return; }
  forgetDraft();
  go("overview");
  drawLogin(begin);
}

onLocked(() => { if (!isOpen) return; close(); forget(); forgetDraft(); drawLogin(begin, "The session has ended. Log in again."); });
addEventListener("hashchange", show);
current().then((found) => found ? begin() : drawLogin(begin), (error) => drawLogin(begin, error.message));
