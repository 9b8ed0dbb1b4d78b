// One notification card: tile, texts, time; quiet, critical, with a picture. A group of several is in group.js.
import { h } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { icon } from "../icons.js";
import { tile } from "../shared/tile.js";
import { app, appName } from "../shared/store.js";
import { minute } from "../times.js";
import { picture } from "./attachment.js";

/// - `choose`: called with "keep" or "turn_off" for a card that was delivered quietly.
export function note(card, { phoneID, more = 0, summary, choose, link = true, isFresh = false, name = "" } = {}) {
  const classes = ["note", card.quiet && "quiet", isFresh && "enter", name].filter(Boolean).join(" ");
  const label = plain(labelOf(card, phoneID, more));
  const inside = face(card, { phoneID, summary, choose });
  if (!link || choose) {
    const title = choose ? h("a", { class: "cover", href: `#/push/${card.push}`, "aria-label": label }) : null;
    return h("div", { class: classes, "data-n": card.push || null, role: "group", "aria-label": label }, title, inside);
  }
  return h("a", { class: classes, href: `#/push/${card.push}`, "data-n": card.push, "aria-label": label }, inside);
}

export function labelOf(card, phoneID, more = 0) {
  return [card.app ?? appName(card.topic, phoneID), card.level === "critical" && "critical", card.level === "time-sensitive" && "time-sensitive", card.quiet && "delivered quietly",
    card.title, card.subtitle, card.body, card.attachment && `attachment ${card.attachment.name}`, more > 0 && `and ${more} more in this group`, minute(card.time)].filter(Boolean).join(", ");
}

export function face(card, { phoneID, summary, choose } = {}) {
  return h("span", { class: "face" },
    tile(app(card.topic, phoneID), card.topic),
    h("span", { class: "txt" }, kind(card, Boolean(choose)),
      h("span", { class: "ttl" }, safe(card.title ?? card.app ?? appName(card.topic, phoneID), 200)),
      card.subtitle && h("span", { class: "ttl" }, safe(card.subtitle, 200)),
      card.body && h("span", { class: "bdy" }, safe(card.body, 400)),
      summary && h("span", { class: "sum" }, safe(summary, 120))),
    h("span", { class: "meta" }, minute(card.time), card.attachment?.kind === "image" && picture(card.attachment, { class: "thumb", alt: "" })),
    choose && choices(choose));
}

const choices = (choose) => h("span", { class: "choices" },
  h("button", { type: "button", "data-action": "keep", on: { click: () => choose("keep") } }, "Keep…"),
  h("button", { type: "button", "data-action": "turn_off", on: { click: () => choose("turn_off") } }, "Turn Off…"));

function kind(card, hasChoices) {
  if (card.level === "critical") return h("span", { class: "kind critical" }, icon("warn"), "Critical");
  if (card.level === "time-sensitive") return h("span", { class: "kind timely" }, icon("clock"), "Time Sensitive");
  if (card.quiet && !hasChoices) return h("span", { class: "kind" }, icon("belloff"), "Delivered quietly");
  return null;
}
