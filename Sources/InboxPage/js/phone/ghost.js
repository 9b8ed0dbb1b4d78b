// A push that is not on the phone: its outline and the reason.
import { h } from "../dom.js";
import { safe } from "../strangers.js";
import { icon } from "../icons.js";
import { note } from "./notification.js";
import { alertOf, parsed } from "../shared/texts.js";
import { outcomeOf } from "../shared/row.js";

/// The card from the payload alone.
export function plainCard(push) {
  const { title, subtitle, body, level } = alertOf(parsed(push.payload));
  return { push: push.number, topic: push.topic ?? "", title, subtitle, body, level: level ?? "active", time: push.time, actions: [], quiet: false };
}

export function ghost(push) {
  const { kind, text, why } = outcomeOf(push);
  const say = kind === "rejected" ? `Nothing reached the phone: ${text}.` : `${text}${why ? `: ${why}` : ""}.`;
  const card = push.card ?? plainCard(push);
  const hasTexts = card.title || card.body;
  return h("div", {}, hasTexts && h("div", { class: "ghost" }, note(card, { link: false })), h("p", { class: "ghost-say" }, icon("hidden"), h("span", {}, safe(say.replace(/\.\.$/, "."), 300))));
}

export function nothingToShow(push, more) {
  const { text, why } = outcomeOf(push);
  return h("p", { class: "ghost-say" }, icon("info"), h("span", {}, safe([[text, why].filter(Boolean).join(": "), more].filter(Boolean).join(". "), 300)));
}
