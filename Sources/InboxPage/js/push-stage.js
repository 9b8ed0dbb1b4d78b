// The stage on the page of one push: the notification as a long press opens it, or why it is not there; and what a person or the
// app can do with it.
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { phone, store } from "./store.js";
import { act } from "./phones.js";
import { frame, lock } from "./screen.js";
import { activity } from "./activity.js";
import { expanded } from "./expanded.js";
import { ghost, nothingToShow } from "./ghost.js";
import { outcomeOf } from "./row.js";

let opened = null;

export const openedPush = () => opened;
export function showOnStage(push) { opened = push; if (push?.phone && phone(push.phone) && store.phone !== "all") store.phone = push.phone; }

export function pushScreen(screen) {
  const id = opened?.phone ?? store.phone;
  const time = opened?.time ?? screen?.time ?? new Date().toISOString();
  if (!opened) return frame(lock(time, []), { id });
  if (opened.card) return frame([h("div", { class: "behind", "aria-hidden": "true" }, lock(time, [])), expanded(opened.card, { phoneID: id, perform: perform() })], { id });
  const running = store.screens.get(id)?.activities.find((each) => each.push === opened.number);
  if (running) return frame(lock(time, [activity(running, id)]), { id });
  return frame(lock(time, [], opened.push_type === "alert" || outcomeOf(opened).kind === "rejected" ? ghost(opened) : nothingToShow(opened)), { id });
}

const isThere = () => opened?.card && ["shown", "quiet"].includes(outcomeOf(opened).kind);

function perform() {
  if (!isThere()) return null;
  return async (action, text) => {
    const { number, phone: id, card } = opened;
    // A content extension answers an action only while it is open.
    if (card.content && store.screens.get(id)?.expanded !== number) await act(id, { push: number, action: "expand" }, "Expanded");
    await act(id, { push: number, action: action.id, ...(text !== undefined && { text }) });
  };
}

const PLAIN_ACTIONS = [["tap", "Tap", "tap"], ["dismiss", "Dismiss", "cross"], ["remove", "App removes it", "trash"]];

export function pushTools() {
  if (!isThere()) return h("div", { class: "icons" });
  const { number, phone: id } = opened;
  return h("div", { class: "icons acts-beside", role: "group", "aria-label": "Do with this notification" }, PLAIN_ACTIONS.map(([action, title, name]) =>
    h("button", { type: "button", class: "btn small", "data-action": action, on: { click: () => act(id, { push: number, action }) } }, icon(name), title)));
}
