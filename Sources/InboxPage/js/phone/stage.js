// The phone and what is around it. It has the same position on every page but the faults.
import { h, put, $ } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { icon } from "../icons.js";
import { tile } from "../shared/tile.js";
import { app, phone, say, store } from "../shared/store.js";
import { act, shownPhones } from "./phones.js";
import { badge, centre, frame, home, lock, lockScreen, viewOf } from "./screen.js";
import { choose, isMenuOpen, picker } from "./picker.js";
import { tools } from "./tools.js";
import { follow } from "../shared/light.js";
import { openedPush, pushScreen, pushTools, whereabouts } from "./push-stage.js";

const VIEWS = [["lock", "Lock"], ["centre", "Center"], ["home", "Home"]];
let drawn = new Set();
// While a button is pressed or a menu is open, nothing is redrawn: a press must reach what it began on.
let isPressed = false;
let waits = false;

export function listenToPresses() {
  const release = () => { isPressed = false; if (waits) say("stage"); };
  $("stage").addEventListener("pointerdown", () => { isPressed = true; });
  $("stage").addEventListener("click", () => { isPressed = false; }, { capture: true });
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(release));
}

export function drawStage(route) {
  const stage = $("stage");
  waits = isPressed || isMenuOpen() || isWriting(stage, route);
  if (waits) return;
  stage.dataset.page = pageOf(route);
  const focused = focusKey(stage);
  const scroll = stage.querySelector(".scroll")?.scrollTop ?? 0;
  const isAll = store.phone === "all" && route.name === "inbox";
  put(stage, h("div", { class: "stage-top" }, picker(), topEnd(route)), profileError(),
    isAll ? allPhones(route) : h("div", { class: "stage-mid" }, onePhone(route), tools()),
    route.name === "push" ? pushTools() : icons(route));
  follow(stage.querySelector(".stage-mid") ?? stage);
  if (stage.querySelector(".scroll")) stage.querySelector(".scroll").scrollTop = scroll;
  if (focused) stage.querySelector(focused)?.focus({ preventScroll: true });
}

const pageOf = (route) => `${route.name} ${route.n ?? ""}`;

// Whether the user is writing a reply on this page.
const isWriting = (stage, route) => stage.dataset.page === pageOf(route) && stage.querySelector(".reply") !== null;

// The element that has the focus, found again after the stage was redrawn.
function focusKey(stage) {
  const one = document.activeElement;
  if (!stage.contains(one)) return null;
  if (one.matches(".less")) return `[data-group="${CSS.escape(one.closest("[data-group]").dataset.group)}"] .less`;
  if (one.dataset.tool) return `[data-tool="${one.dataset.tool}"]`;
  if (one.dataset.view) return `[data-view="${one.dataset.view}"]`;
  if (one.matches(".stage-mid > .phone .scroll")) return ".scroll";
  if (one.dataset.group) return `[data-group="${CSS.escape(one.dataset.group)}"]`;
  const card = one.parentElement.closest("[data-n]");
  const inCard = card ? `[data-n="${CSS.escape(card.dataset.n)}"] ` : "";
  if (one.matches(".cover")) return `${inCard}.cover`;
  if (one.dataset.action) return `${inCard}[data-action="${CSS.escape(one.dataset.action)}"]`;
  if (one.dataset.n) return `[data-n="${CSS.escape(one.dataset.n)}"]`;
  if (one.dataset.topic) return `[data-topic="${CSS.escape(one.dataset.topic)}"]`;
  return one.classList.contains("who") ? ".who" : null;
}

function topEnd(route) {
  if (route.name === "push") { const [name, words] = openedPush() ? whereabouts() : []; return name && h("span", { class: "pill" }, icon(name), words); }
  if (route.name === "compose") return segment([["card", "Lock"], ["long", "Expanded"]], store.preview, (id) => { store.preview = id; say("stage"); say("preview"); });
  // Phones beside each other can show different views by themselves; then none is chosen.
  const views = new Set(shownPhones().map((each) => viewOf(store.screens.get(each.id))));
  return segment(VIEWS, views.size === 1 ? [...views][0] : null, (id) => { store.view = id; say("stage"); });
}

const segment = (all, now, choose) => h("div", { class: "seg", role: "group", "aria-label": "What the phone shows" }, all.map(([id, title]) =>
  h("button", { type: "button", "data-view": id, "aria-pressed": String(now === id), on: { click: () => choose(id) } }, title)));

function profileError() {
  const wrong = shownPhones().filter((each) => each.profile_error);
  return wrong.length > 0 && h("div", { class: "profile-error", role: "status" }, icon("warn"), h("span", {}, h("b", {}, "The profile has a mistake. "), safe(wrong[0].profile_error, 400), " The last good one is used."));
}

function onePhone(route) {
  const one = phone(store.phone) ?? store.phones[0];
  const name = one?.name ?? "Phone";
  return h("div", { class: "phone", role: "region", "aria-label": plain(`${name}, what is on its screen`, 80) }, screenOf(one?.id, route));
}

function screenOf(id, route) {
  const screen = store.screens.get(id);
  if (route.name === "push") return pushScreen(screen);
  if (route.name === "compose") return frame([lock(screen?.time ?? new Date().toISOString(), [h("div", { id: "preview", class: "notes" })]), h("div", { id: "preview-long" })], { id });
  if (!screen) return frame(h("div", { class: "scroll" }, h("p", { class: "empty-say" }, "No phone answers yet.")), { id });
  const view = viewOf(screen);
  const body = view === "home" ? home(screen) : view === "centre" ? centre(screen, cardTools(id)) : lockScreen(screen, cardTools(id));
  return frame(body, { id, time: screen.time, withTime: view !== "lock" });
}

function cardTools(id) {
  const before = drawn;
  drawn = new Set([...store.screens.values()].flatMap((screen) => [...screen.lock, ...screen.center, ...screen.quiet].map((item) => `${screen.phone} ${item.push}`)));
  return {
    isFresh: (item) => before.size > 0 && !before.has(`${id} ${item.push}`),
    choose: (action, push) => act(id, { push, action }, action === "keep" ? "Kept: its next pushes are shown" : "Turned off"),
    changed: (focus) => { say("stage"); document.querySelector(`#stage ${focus}`)?.focus(); },
  };
}

// All phones at once, small: a press on a name shows that one alone.
function allPhones(route) {
  return h("div", { class: "stage-mid all", tabindex: "0", role: "group", "aria-label": "All phones" }, shownPhones().map((each) => h("figure", {},
    h("div", { class: "phone small", role: "region", "aria-label": plain(`${each.name}, what is on its screen`, 80) }, screenOf(each.id, route)),
    h("figcaption", {}, h("button", { type: "button", class: "who", on: { click: () => choose(each.id) } }, safe(each.name, 30), h("span", {}, safe(each.os, 20)))))));
}

// The apps with their badges: a press shows only its pushes in the table.
function icons(route) {
  const one = phone(store.phone) ?? store.phones[0];
  const screen = store.screens.get(one?.id);
  const strip = h("div", { class: "icons", role: "group", "aria-label": "Apps of this phone and their badges" }, (one?.apps ?? []).slice(0, 7).map((each) =>
    h("button", { type: "button", "data-topic": each.topic, "aria-pressed": String(store.app === each.topic), "aria-label": plain(`${each.name ?? each.topic}, badge ${screen?.badges[each.topic] ?? "none"}. Show only its pushes`, 160), title: plain(each.name ?? each.topic, 80), on: { click: () => say("app", each.topic) } }, tile(each, each.topic), badge(screen?.badges[each.topic]))));
  if (store.app && app(store.app)) strip.dataset.picked = "";
  return strip;
}
