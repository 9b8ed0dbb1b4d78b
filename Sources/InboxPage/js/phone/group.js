// Notifications of one thread: a stack, which a press opens into its cards.
import { h } from "../dom.js";
import { plain } from "../strangers.js";
import { app } from "../shared/store.js";
import { face, labelOf, note } from "./notification.js";

const open = new Set();

// A card that was delivered quietly asks whether to keep the app's notifications, until the user decides.
const asks = (card, phoneID) => card.quiet && app(card.topic, phoneID)?.permission === "provisional";

/// An entry of a list on the phone: one card, or a group.
export function entry(item, { phoneID, choose, isFresh, changed, list }) {
  if (item.more.length === 0) return note(item.card, { phoneID, choose: asks(item.card, phoneID) ? choose && ((action) => choose(action, item.push)) : null, isFresh });
  const key = `${phoneID} ${list} ${item.group}`;
  return open.has(key) ? opened(item, key, { phoneID, changed }) : stack(item, key, { phoneID, isFresh, changed });
}

function stack(item, key, { phoneID, isFresh, changed }) {
  const toggle = () => { open.add(key); changed(`[data-group="${CSS.escape(item.group)}"] .less`); };
  return h("button", { type: "button", class: ["note", "stack", item.card.quiet && "quiet", isFresh && "enter"].filter(Boolean).join(" "), "data-n": item.push, "data-group": item.group, "aria-expanded": "false",
    "aria-label": plain(labelOf(item.card, phoneID, item.more.length)), on: { click: toggle } }, face(item.card, { phoneID, summary: item.summary ?? `${item.more.length} more` }));
}

function opened(item, key, { phoneID, changed }) {
  const shown = item.cards ?? [];
  const rest = item.more.length - shown.length;
  const close = () => { open.delete(key); changed(`[data-group="${CSS.escape(item.group)}"]`); };
  return h("div", { class: "group-open", role: "group", "data-group": item.group, "aria-label": plain(`Group ${item.group}`) },
    h("button", { type: "button", class: "less", "aria-expanded": "true", on: { click: close } }, "Show less"),
    note(item.card, { phoneID }), shown.map((card) => note(card, { phoneID })),
    rest > 0 && h("p", { class: "rest" }, `and ${rest} older`));
}
