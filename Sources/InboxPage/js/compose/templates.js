// The menu of ready payloads.
import { h } from "../dom.js";
import { icon, TYPE_ICON } from "../icons.js";
import { leaveDraft } from "./drafts.js";

export function templateMenu(templates, current) {
  const menu = h("div", { class: "menu", role: "listbox", "aria-label": "Templates", hidden: true }, templates.map((each) =>
    h("button", { type: "button", role: "option", tabindex: "-1", "aria-selected": String(each.name === current), on: { click: () => { open(false); begin(each.name); } } }, icon(TYPE_ICON[each.push_type] ?? "bell"), h("b", {}, each.name), h("span", {}, each.about))));
  const opener = h("button", { class: "btn", type: "button", id: "templates", "aria-haspopup": "listbox", "aria-expanded": "false" }, h("span", {}, icon("doc"), "Template ", h("b", {}, current)), icon("caret"));
  const open = (on) => { menu.hidden = !on; opener.setAttribute("aria-expanded", String(on)); };
  opener.addEventListener("click", () => { open(menu.hidden); if (!menu.hidden) (menu.querySelector("[aria-selected=true]") ?? menu.firstElementChild).focus(); });
  const whole = h("div", { class: "pick" }, opener, menu);
  whole.addEventListener("keydown", (event) => {
    if (menu.hidden) return;
    if (event.key === "Escape") { event.stopPropagation(); open(false); opener.focus(); }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); (event.key === "ArrowDown" ? document.activeElement.nextElementSibling : document.activeElement.previousElementSibling)?.focus(); }
  });
  whole.addEventListener("focusout", (event) => { if (!whole.contains(event.relatedTarget)) open(false); });
  return whole;
}

// The template as it is, also if it was changed here.
function begin(name) {
  const hash = `#/compose/${name}`;
  if (location.hash !== hash) { location.hash = hash; return; }
  leaveDraft();
  dispatchEvent(new Event("hashchange"));
}
