// Notifications of one thread: a stack, which a press opens into its cards.
import { h } from "../dom.js";
import { plain } from "../strangers.js";
import { app, appName } from "../shared/store.js";
import { face, labelOf, note } from "./notification.js";

const open = new Set();

// A card that was delivered quietly asks whether to keep the app's notifications, until the user decides.
const asks = (card, phoneID) => card.quiet && app(card.topic, phoneID)?.permission === "provisional";

/// An entry of a list on the phone: one card, or a group.
export function entry(item, { phoneID, choose, isFresh, changed, list }) {
  const chosen = asks(item.card, phoneID) && choose ? (action) => choose(action, item.push) : null;
  if (item.more.length === 0) return note(item.card, { phoneID, choose: chosen, isFresh });
  // Two apps can have threads of the same name.
  const key = `${phoneID} ${list} ${item.card.topic} ${item.group}`;
  return open.has(key) ? opened(item, key, { phoneID, choose: chosen, changed }) : stack(item, key, { phoneID, isFresh, changed });
}

function stack(item, key, { phoneID, isFresh, changed }) {
  const toggle = () => { open.add(key); changed(`[data-group="${CSS.escape(key)}"] .less`); };
  return h("button", { type: "button", class: ["note", "stack", item.card.quiet && "quiet", isFresh && "enter"].filter(Boolean).join(" "), "data-n": item.push, "data-group": key, "aria-expanded": "false",
    "aria-label": plain(labelOf(item.card, phoneID, item.more.length)), on: { click: toggle } }, face(item.card, { phoneID, summary: item.summary ?? `${item.more.length} more` }));
}

function opened(item, key, { phoneID, choose, changed }) {
  const shown = item.cards ?? [];
  const rest = item.more.length - shown.length;
  const close = () => { open.delete(key); changed(`[data-group="${CSS.escape(key)}"]`); };
  return h("div", { class: "group-open", role: "group", "data-group": key, "aria-label": plain(`${appName(item.card.topic, phoneID)}, group ${item.group}`) },
    h("button", { type: "button", class: "less", "aria-expanded": "true", on: { click: close } }, "Show less"),
    note(item.card, { phoneID, choose }), shown.map((card) => note(card, { phoneID })),
    rest > 0 && h("p", { class: "rest" }, `and ${rest} older`));
}
