// The switches of the phone: a toolbar, in which the arrow keys move and Tab leaves.
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { phone, store } from "../shared/store.js";
import { act, change } from "./phones.js";
import { toast } from "../copy.js";
import { openApps } from "./apps.js";

const SWITCHES = [
  ["wifi", "Online", (one) => one.online, (on) => ({ online: on })],
  ["belloff", "Muted", (one) => one.muted, (on) => ({ muted: on })],
  ["moon", "Focus", (one) => Boolean(one.focus), (on) => ({ focus: on ? "Work" : null })],
  ["lock", "Locked", (one) => one.locked, (on) => ({ locked: on })],
];
// The position of the focus in the toolbar, to restore it.
let current = 0;

export function tools() {
  const one = phone(store.phone);
  if (!one) return null;
  const bar = h("div", { class: "tools", role: "toolbar", "aria-label": "State of the phone", "aria-orientation": "vertical" },
    SWITCHES.map(([name, title, isOn, form]) => tool(name, title, isOn(one), async () => {
      const on = !isOn(phone(one.id));
      if (title === "Locked") store.view = "auto";
      if (await change(one.id, form(on))) toast(`${title}: ${on ? "on" : "off"}`, name);
    })),
    h("hr"),
    tool("app", "Apps and their settings", null, () => openApps(one.id, store.app)),
    h("hr"),
    tool("trash", "Clear all", null, () => act(one.id, { action: "clear_all" }, "Cleared")));
  const all = [...bar.querySelectorAll("button")];
  current = Math.min(current, all.length - 1);
  all.forEach((button, at) => { button.tabIndex = at === current ? 0 : -1; button.dataset.tool = String(at); });
  bar.addEventListener("keydown", (event) => {
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    current = (to + all.length) % all.length;
    all.forEach((button, index) => { button.tabIndex = index === current ? 0 : -1; });
    all[current].focus();
  });
  bar.addEventListener("focusin", (event) => { const at = all.indexOf(event.target); if (at >= 0) { current = at; all.forEach((button, index) => { button.tabIndex = index === at ? 0 : -1; }); } });
  return bar;
}

const tool = (name, title, isOn, action) => h("button", { type: "button", "aria-label": title, "data-tip": title, "aria-pressed": isOn === null ? null : String(isOn), on: { click: action } }, icon(name));
