// The apps of a phone: what the person allows, and what each does with a push while it is open.
import { h, put } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { icon } from "../icons.js";
import { tile } from "../shared/tile.js";
import { phone, when } from "../shared/store.js";
import { act, change, changeApp } from "./phones.js";

const PERMISSIONS = [["allowed", "Allowed"], ["provisional", "Quietly"], ["denied", "Not allowed"]];
const PRESENTS = [["banner", "Banner"], ["list", "List"], ["sound", "Sound"], ["badge", "Badge"]];
let sheet, id, topic;

export function openApps(phoneID, chosen) {
  sheet ??= makeSheet();
  id = phoneID;
  const apps = phone(id)?.apps ?? [];
  topic = apps.find((each) => each.topic === chosen)?.topic ?? apps[0]?.topic ?? null;
  draw();
  sheet.showModal();
}

function makeSheet() {
  const dialog = h("dialog", { class: "keys apps", "aria-labelledby": "apps-title" });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  for (const name of ["screen", "phones"]) when(name, () => { if (dialog.open) draw(); });
  document.body.append(dialog);
  return dialog;
}

function draw() {
  const apps = phone(id)?.apps ?? [];
  const one = apps.find((each) => each.topic === topic);
  const focused = document.activeElement?.dataset?.key;
  put(sheet, h("div", { class: "top" }, h("h2", { id: "apps-title" }, "Apps on ", safe(phone(id)?.name ?? "", 30)), h("button", { type: "button", class: "btn icon small bare", "aria-label": "Close", on: { click: () => sheet.close() } }, icon("cross"))),
    !one && h("p", { class: "nothing-yet" }, "No app yet: the first push to its topic adds it."),
    one && h("label", { class: "field" }, h("span", {}, "App"), select(apps)),
    one && settings(one));
  if (focused) sheet.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function select(apps) {
  const list = h("select", { "data-key": "app" }, apps.map((each) => h("option", { value: each.topic, selected: each.topic === topic }, plain(each.name ? `${each.name} – ${each.topic}` : each.topic, 120))));
  list.addEventListener("change", () => { topic = list.value; draw(); });
  return list;
}

function settings(one) {
  const isOpen = phone(id).foreground === one.topic;
  return [
    h("p", { class: "app-now" }, tile(one, one.topic), h("span", {}, h("b", {}, safe(one.name ?? one.topic, 60)), one.force_quit ? "force-quit" : isOpen ? "open" : one.running ? "in the background" : "not running", one.badge > 0 && ` · badge ${one.badge}`)),
    group("Notifications", PERMISSIONS.map(([value, title]) => toggle(`permission-${value}`, title, one.permission === value, () => changeApp(id, one.topic, { permission: value })))),
    group("While open, it presents", PRESENTS.map(([value, title]) => toggle(`presents-${value}`, title, one.presents.includes(value), () => changeApp(id, one.topic, { presents: one.presents.includes(value) ? one.presents.filter((each) => each !== value) : [...one.presents, value] })))),
    h("div", { class: "app-acts" },
      h("button", { type: "button", class: "btn", "data-key": "open", on: { click: () => isOpen ? change(id, { foreground: null }) : act(id, { action: "open_app", topic: one.topic }, "Opened") } }, icon("app"), isOpen ? "Go to Home" : "Open"),
      h("button", { type: "button", class: "btn", "data-key": "quit", "aria-pressed": String(one.force_quit), on: { click: () => changeApp(id, one.topic, { force_quit: !one.force_quit }) } }, icon("stop"), one.force_quit ? "Undo force-quit" : "Force-quit"))];
}

const group = (title, buttons) => h("div", { class: "app-group", role: "group", "aria-label": title }, h("span", {}, title), h("div", { class: "seg" }, buttons));
const toggle = (key, title, isOn, action) => h("button", { type: "button", "data-key": key, "aria-pressed": String(isOn), on: { click: action } }, title);
