// What a long press opens: picture or content extension, texts, and the actions of the category.
import { h } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { icon } from "../icons.js";
import { tile } from "../shared/tile.js";
import { app, appName, say } from "../shared/store.js";
import { minute } from "../times.js";
import { attachmentView } from "./attachment.js";

/// - `perform`: called with an action's form, and its text; without it, the actions are shown only.
export function expanded(card, { phoneID, perform } = {}) {
  const name = card.app ?? appName(card.topic, phoneID);
  const hidesTexts = card.content?.default_hidden === true;
  return [h("div", { class: "veil" }),
    h("div", { class: "long", role: "group", "aria-label": plain(`Expanded notification from ${name}`) },
      h("div", { class: "sheet" },
        h("header", {}, tile(app(card.topic, phoneID), card.topic), h("b", {}, safe(name, 60)), h("span", {}, minute(card.time))),
        card.content ? contentExtension(card) : card.attachment && attachmentView(card.attachment),
        !hidesTexts && h("div", { class: "txt" }, h("b", {}, safe(card.title ?? name, 400)), card.subtitle && h("i", {}, safe(card.subtitle, 400)), safe(card.body ?? "", 1200))),
      actions(card, perform))];
}

// The view of the app's own content extension: what the profile says it reads from the payload, in the size that it asks for.
function contentExtension(card) {
  const { fields, ratio } = card.content;
  return h("div", { class: "content-extension", "data-ratio": ratioClass(ratio), role: "group", "aria-label": "Content extension" },
    card.attachment && attachmentView(card.attachment),
    h("dl", {}, fields.slice(0, 12).map(([key, value]) => h("div", {}, h("dt", {}, safe(key, 40)), h("dd", {}, safe(value, 160))))));
}

const ratioClass = (ratio) => ratio >= 1.2 ? "tall" : ratio >= .8 ? "square" : ratio >= .45 ? "wide" : "strip";

function actions(card, perform) {
  if (!card.actions?.length) return null;
  return h("div", { class: "acts", role: "group", "aria-label": plain(`Actions of ${card.category ?? "this notification"}`) }, card.actions.map((action) => button(action, perform)));
}

function button(action, perform) {
  const note = action.note ?? (action.authentication_required ? "Needs unlock" : action.foreground ? "Opens the app" : null);
  const whole = h("button", { type: "button", class: action.kind === "destructive" ? "destructive" : "", disabled: !perform, "data-action": action.id, on: { click: () => action.kind === "text" ? askText(whole, action, perform) : perform(action) } },
    safe(action.title, 60), note && h("small", {}, safe(note, 60)), icon(action.icon ?? (action.kind === "text" ? "reply" : action.kind === "destructive" ? "block" : "tap")));
  return whole;
}

// The field of a text reply takes the place of its button. While it exists, the stage is not redrawn.
function askText(button, action, perform) {
  const input = h("input", { type: "text", dir: "auto", placeholder: plain(action.placeholder ?? action.title, 60), "aria-label": plain(action.placeholder ?? action.title, 60), maxlength: "2000" });
  const form = h("form", { class: "reply", on: { submit: (event) => { event.preventDefault(); if (input.value) { form.replaceWith(button); say("stage"); perform(action, input.value); } } } }, input, h("button", { type: "submit", class: "send" }, safe(action.button ?? "Send", 24)));
  form.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); form.replaceWith(button); button.focus(); say("stage"); } });
  button.replaceWith(form);
  input.focus();
}
