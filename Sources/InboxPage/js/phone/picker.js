// Chooses the phone that the stage shows, or all.
import { h } from "../dom.js";
import { safe } from "../strangers.js";
import { icon } from "../icons.js";
import { phone, say, store } from "../shared/store.js";
import { loadScreens, MOST_AT_ONCE } from "./phones.js";
import { attempt } from "../copy.js";

let isOpen = false;
export const isMenuOpen = () => isOpen;

export function picker() {
  const chosen = phone(store.phone);
  const rows = store.phones.map((each) => [each.id, each.name, [each.os, each.note ?? `${each.app_count ?? each.apps.length} apps`, each.online === false && "offline"].filter(Boolean).join(" · ")]);
  if (store.phones.length > 1) rows.push(["all", "All phones", store.phones.length > MOST_AT_ONCE ? `the first ${MOST_AT_ONCE} of ${store.phones.length}, beside each other` : `${store.phones.length} beside each other`]);
  const menu = h("div", { class: "menu phones", role: "listbox", "aria-label": "Phones", hidden: true }, rows.map(([id, name, about]) =>
    h("button", { type: "button", role: "option", tabindex: "-1", "aria-selected": String(id === store.phone), on: { click: () => choose(id) } }, icon(id === "all" ? "widget" : "phone"), h("span", {}, h("b", {}, safe(name, 40)), safe(about, 80)))));
  const opener = h("button", { class: "who", type: "button", "aria-haspopup": "listbox", "aria-expanded": "false" }, chosen ? safe(chosen.name, 30) : store.phone === "all" ? "All phones" : "No phone", h("span", {}, safe(chosen?.os ?? "", 24)), icon("caret"));
  const open = (on) => {
    const wasOpen = isOpen;
    isOpen = on; menu.hidden = !on;
    opener.setAttribute("aria-expanded", String(on));
    // Changes since the menu was opened are drawn now, after the press that closed it.
    if (wasOpen && !on) setTimeout(() => say("stage"));
  };
  opener.addEventListener("click", () => { open(menu.hidden); if (!menu.hidden) (menu.querySelector("[aria-selected=true]") ?? menu.firstElementChild)?.focus(); });
  const whole = h("div", { class: "pick" }, opener, menu);
  whole.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !menu.hidden) { event.stopPropagation(); open(false); opener.focus(); }
    if (!menu.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      (event.key === "ArrowDown" ? document.activeElement.nextElementSibling : document.activeElement.previousElementSibling)?.focus();
    }
  });
  whole.addEventListener("focusout", (event) => { if (!whole.contains(event.relatedTarget)) open(false); });
  return whole;
}

export async function choose(id) {
  isOpen = false;
  store.phone = id;
  await attempt(loadScreens);
  say("stage");
  document.querySelector("#stage .who")?.focus();
}
