// The keyboard, and the sheet that lists it.
import { h } from "./dom.js";
import { say } from "./shared/store.js";
import { route } from "./shared/route.js";
import { replay, step } from "./detail/detail.js";
import { ENTER, SEND } from "./keys.js";

const KEYS = [["Search", "/"], ["Next and previous push", "J", "K"], ["Open", ENTER], ["Back to the inbox", "Esc"], ["Replay the open push", "R"], ["Send from the composer", SEND], ["Pause and resume", "P"], ["Inbox, composer, faults", "1", "2", "3"], ["Light and dark", "T"], ["This list", "?"]];
let sheet = null;

export function showKeys() {
  sheet ??= makeSheet();
  sheet.showModal();
}

function makeSheet() {
  const dialog = h("dialog", { class: "keys", "aria-labelledby": "keys-title" }, h("h2", { id: "keys-title" }, "Keyboard"), h("dl", {}, KEYS.map(([what, ...keys]) => h("div", {}, h("dt", {}, what), h("dd", {}, keys.map((key) => h("kbd", {}, key)))))));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  return dialog;
}

export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.target.closest("input, textarea, select, dialog, [role=listbox], [role=toolbar]")) return;
    const now = route();
    const inRows = document.activeElement?.closest("#rows");
    const move = (by) => {
      if (now.name === "push") { step(by > 0 ? "caret" : "up"); return; }
      const links = [...document.querySelectorAll("#rows a")];
      links[Math.min(Math.max(links.indexOf(document.activeElement) + by, 0), links.length - 1)]?.focus();
    };
    const actions = {
      "/": () => document.getElementById("q")?.focus(), j: () => move(1), k: () => move(-1), ArrowDown: inRows && (() => move(1)), ArrowUp: inRows && (() => move(-1)),
      Escape: () => { if (now.name !== "inbox") location.hash = "#/inbox"; else document.activeElement?.blur(); },
      r: () => { if (now.name === "push") replay(); }, p: () => say("pause"), t: () => say("theme"),
      1: () => { location.hash = "#/inbox"; }, 2: () => { location.hash = "#/compose"; }, 3: () => { location.hash = "#/faults"; }, "?": showKeys,
    };
    const action = Object.hasOwn(actions, event.key) && actions[event.key];
    if (!action) return;
    if (event.key === "/" || event.key.startsWith("Arrow")) event.preventDefault();
    action();
  });
}
