// What is on the screen of one phone: lock screen, notification centre, home or the app that is open.
import { h, s } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { icon } from "../icons.js";
import { tile } from "../shared/tile.js";
import { app, appName, phone, store } from "../shared/store.js";
import { day, minute } from "../times.js";
import { entry } from "./group.js";
import { note } from "./notification.js";
import { activity } from "./activity.js";

/// The view that is chosen, or what the phone would show by itself.
export function viewOf(screen) {
  return store.view !== "auto" ? store.view : screen?.locked === false ? "home" : "lock";
}

export function frame(body, { id, time, withTime = false } = {}) {
  return h("div", { class: "screen" }, h("div", { class: "camera" }), status(phone(id), time, withTime), body, h("div", { class: "homebar" }));
}

function status(one, time, withTime) {
  return h("div", { class: "status", "aria-hidden": "true" }, h("span", {}, withTime ? minute(time) : "Mock"),
    h("div", {}, one?.muted && icon("belloff"), one?.focus && icon("moon"),
      one?.online === false ? icon("hidden") : s("svg", { viewBox: "0 0 18 12" }, [0, 1, 2, 3].map((i) => s("rect", { x: i * 4.8, y: 8 - i * 2.6, width: 3, height: 4 + i * 2.6, rx: 1 }))),
      s("svg", { viewBox: "0 0 27 12" }, s("rect", { x: .5, y: .5, width: 22, height: 11, rx: 3.4, fill: "none", stroke: "#fff", opacity: .7 }), s("rect", { x: 2, y: 2, width: 15, height: 8, rx: 2 }), s("rect", { x: 24, y: 4, width: 1.8, height: 4, rx: .9, opacity: .7 }))));
}

export const clock = (time) => h("div", { class: "clock" }, h("div", { class: "date" }, day(time)), h("div", { class: "time" }, minute(time)));

export function lock(time, notes, below) {
  return h("div", { class: "scroll" }, clock(time), h("div", { class: "notes" }, notes), below);
}

/// - `tools`: what the cards need: `choose`, `changed`, and `isFresh`, whether a card is new.
export function lockScreen(screen, tools) {
  const isEmpty = !screen.activities.length && !screen.lock.length && !screen.quiet.length && !screen.center.length;
  return scroller("Lock Screen", clock(screen.time),
    h("div", { class: "notes" }, screen.activities.map((each) => activity(each, screen.phone)), list(screen, "lock", tools)),
    isEmpty ? emptySay() : screen.quiet.length + screen.center.length > 0 && [divider(screen.quiet.length > 0), h("div", { class: "notes" }, list(screen, "quiet", tools), list(screen, "center", tools))]);
}

const emptySay = () => h("p", { class: "empty-say" }, store.counts?.all > 0 ? "No notifications." : "The first push appears here.");

export function centre(screen, tools) {
  const count = ["lock", "center", "quiet"].reduce((sum, name) => sum + screen[name].reduce((all, item) => all + 1 + item.more.length, 0), 0);
  return scroller("Notification Center", h("div", { class: "divider" }, "Notification Center", h("small", {}, count ? `${count} in all` : "empty")),
    h("div", { class: "notes" }, screen.activities.map((each) => activity(each, screen.phone)), list(screen, "lock", tools), list(screen, "center", tools), list(screen, "quiet", tools)));
}

const divider = (isQuiet) => h("div", { class: "divider" }, "Notification Center", isQuiet && h("small", {}, icon("belloff"), "delivered quietly"));

const list = (screen, name, tools) => screen[name].map((item) => entry(item, { ...tools, phoneID: screen.phone, list: name, isFresh: tools.isFresh?.(item) }));

const scroller = (label, ...inside) => h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, inside);

export function home(screen) {
  const apps = phone(screen.phone)?.apps ?? [];
  return h("div", { class: "scroll home", tabindex: "0", role: "group", "aria-label": "Home" }, banner(screen), screen.foreground ? openApp(screen) : h("div", { class: "grid" }, apps.map((each) =>
    h("div", {}, tile(each, each.topic), badge(screen.badges[each.topic]), h("span", {}, safe(each.name ?? each.topic.split(".").pop(), 24))))));
}

// The newest notification while the phone is unlocked.
const banner = (screen) => screen.banner && h("div", { class: "banner", role: "group", "aria-label": "Banner" }, note(screen.banner.card, { phoneID: screen.phone, isFresh: true }));

// The app that is open gets the push first, and decides what is presented.
function openApp(screen) {
  const { topic, presented } = screen.foreground;
  const words = presented?.length ? `It presented the last push with: ${presented.join(", ")}.` : "It presents nothing by itself: the app gets the push.";
  return h("div", { class: "open-app" }, tile(app(topic, screen.phone), topic), h("b", {}, safe(appName(topic, screen.phone), 40)), h("span", {}, "is open"), h("p", {}, plain(words)));
}

export const badge = (count) => count > 0 ? h("span", { class: "badge", role: "img", "aria-label": `badge ${count}` }, count > 9999 ? "9999+" : String(count)) : null;
