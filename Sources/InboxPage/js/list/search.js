// The search box: the query is drawn in colour under the transparent input, with fields to choose from.
import { h, put, $, number } from "../dom.js";
import { icon } from "../icons.js";
import { FIELDS, tokens } from "./query.js";
import { store, when } from "../shared/store.js";
import { foundCount, isSelection, select } from "./listing.js";

const PAUSE = 180;
let timer = null;
let problem = null;
// Draws the text of the box again.
let draw = () => {};
// Whether what is typed now changes the search of the last step in the address.
let isTyping = false;

export function searchBox() {
  const echo = h("div", { class: "echo", "aria-hidden": "true" });
  const input = h("input", { id: "q", type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": "fields", "aria-autocomplete": "list", "aria-label": "Search pushes", "aria-describedby": "hits", placeholder: "Search, or topic: status: type: outcome:", spellcheck: "false", autocomplete: "off" });
  const list = h("div", { class: "suggest", id: "fields", role: "listbox", "aria-label": "Fields", hidden: true });
  input.value = store.query;
  draw = () => { put(echo, tokens(input.value).map(coloured)); echo.scrollLeft = input.scrollLeft; };
  const options = () => [...list.querySelectorAll("button")];
  const choose = (name) => { input.value = input.value.replace(/\S*$/, "") + `${name}:`; changed(); input.focus(); };
  const offer = (open) => {
    const fitting = open ? suggestions(input.value) : [];
    list.hidden = fitting.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
    put(list, h("p", { role: "presentation" }, "Fields. A minus before one negates it; a word alone searches the payload."), fitting.map((name) => option(name, choose)));
  };
  const changed = () => { store.query = input.value; draw(); offer(true); clearTimeout(timer); timer = setTimeout(search, PAUSE); };
  input.addEventListener("input", changed);
  input.addEventListener("scroll", () => { echo.scrollLeft = input.scrollLeft; });
  input.addEventListener("focus", () => offer(true));
  input.addEventListener("blur", () => { offer(false); if (timer) search(); isTyping = false; });
  input.addEventListener("keydown", (event) => {
    const all = options();
    const at = all.findIndex((each) => each.getAttribute("aria-selected") === "true");
    if (event.key === "Escape") {
      event.stopPropagation();
      if (list.hidden) { input.value = ""; changed(); }
      offer(false);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && all.length) {
      event.preventDefault();
      const next = all[(at + (event.key === "ArrowDown" ? 1 : -1) + all.length + (at < 0 && event.key === "ArrowUp" ? 1 : 0)) % all.length];
      for (const each of all) each.setAttribute("aria-selected", String(each === next));
      input.setAttribute("aria-activedescendant", next.id);
      next.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      if (at >= 0 && !list.hidden) choose(all[at].dataset.field); else { offer(false); isTyping = false; }
    }
  });
  draw();
  const box = h("div", { class: "search", role: "search" }, icon("search"), h("div", { class: "wrap" }, echo, input), h("kbd", { "aria-hidden": "true" }, "/"), h("span", { class: "hits", id: "hits", role: "status" }), list);
  drawHits();
  return box;
}

function search() {
  clearTimeout(timer);
  timer = null;
  select({ isStep: !isTyping });
  isTyping = true;
}

/// Shows the search of the address in the box.
export function drawQuery() {
  clearTimeout(timer);
  timer = null;
  isTyping = false;
  if ($("q")) { $("q").value = store.query; draw(); }
}

function coloured(token) {
  if (!token.field) return h("span", { class: token.not ? "not" : "" }, token.text);
  const colon = token.text.indexOf(":") + 1;
  return h("span", { class: token.wrong ? "wrong" : "" }, h("span", { class: token.not ? "not" : "f" }, token.text.slice(0, colon)), token.text.slice(colon));
}

function suggestions(text) {
  const last = text.split(/\s/).pop().replace(/^-/, "");
  return last.includes(":") ? [] : Object.keys(FIELDS).filter((name) => name.startsWith(last)).slice(0, 9);
}

function option(name, choose) {
  const [example, about] = FIELDS[name];
  return h("button", { type: "button", role: "option", id: `field-${name}`, "data-field": name, tabindex: "-1", "aria-selected": "false", on: { pointerdown: (event) => { event.preventDefault(); choose(name); } } },
    h("code", {}, h("b", {}, `${name}:`), example.slice(name.length + 1)), h("span", {}, about));
}

/// How many pushes fit, or what is wrong with the search.
export function drawHits() {
  const container = $("hits");
  if (!container) return;
  const count = foundCount();
  container.className = problem ? "hits bad" : "hits";
  container.textContent = problem ?? (isSelection() && count !== null ? `${number(count)} found` : "");
  $("q")?.setAttribute("aria-invalid", String(problem !== null));
}

when("search-problem", (text) => { problem = text; drawHits(); });
