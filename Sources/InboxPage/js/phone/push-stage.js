// The stage on the page of one push: the notification as a long press opens it, the Live Activity, or why neither is there; and what a
// person or the app can do with it.
import { h } from "../dom.js";
import { icon } from "../icons.js";
import { phone, say, store } from "../shared/store.js";
import { act, loadScreen } from "./phones.js";
import { attempt } from "../copy.js";
import { frame, lock } from "./screen.js";
import { activity } from "./activity.js";
import { expanded } from "./expanded.js";
import { ghost, nothingToShow } from "./ghost.js";
import { outcomeOf } from "../shared/row.js";

let opened = null;
// The push whose phone was read after it was opened. Before that, the screen can be older than the push.
let known = null;

export const openedPush = () => opened;

/// Shows a push, on its phone.
export function showOnStage(push) {
  opened = push;
  if (!push) known = null;
  const id = push?.phone;
  if (!id || !phone(id)) return;
  if (store.phone !== "all") store.phone = id;
  if (known !== push.number) attempt(async () => { await loadScreen(id); if (opened?.number !== push.number) return; known = push.number; say("stage"); });
}

const isActivity = (push) => push.push_type === "liveactivity" || push.channel_id !== undefined;
const isSeen = (push) => ["shown", "quiet"].includes(outcomeOf(push).kind);
const screenOf = (push) => known === push.number ? store.screens.get(push.phone) : undefined;
const running = (push) => store.screens.get(push.phone)?.activities.find((each) => each.push === push.number);

export function pushScreen(screen) {
  const id = opened?.phone ?? store.phone;
  const time = opened?.time ?? screen?.time ?? new Date().toISOString();
  if (!opened) return frame(lock(time, []), { id });
  if (isActivity(opened) && isSeen(opened)) return frame(activityOn(time, id), { id });
  if (opened.card) return frame([h("div", { class: "behind", "aria-hidden": "true" }, lock(time, [])), expanded(opened.card, { phoneID: id, perform: perform() })], { id });
  return frame(lock(time, [], opened.push_type === "alert" || outcomeOf(opened).kind === "rejected" ? ghost(opened) : nothingToShow(opened)), { id });
}

// The Live Activity as this push left it. The alert of the push is no notification: it only lights the Live Activity up.
function activityOn(time, id) {
  const now = running(opened);
  if (now) return lock(time, [activity(now, id)]);
  return lock(time, [], screenOf(opened) && nothingToShow(opened, "A later push has changed it, or it no longer exists."));
}

/// Where the push is now, for the top of the stage: a drawing and words.
export function whereabouts() {
  if (isActivity(opened) && isSeen(opened)) return running(opened) || !screenOf(opened) ? ["activity", "Live Activity"] : ["hidden", "No longer on the phone"];
  if (!opened.card) return ["hidden", "Not on the phone"];
  return isThere() ? ["eye", "Expanded"] : ["hidden", "No longer on the phone"];
}

// A notification can stay after an action, so its screen decides. Before that is known, the outcome does.
function isThere() {
  if (!opened?.card || isActivity(opened)) return false;
  const screen = screenOf(opened);
  if (!screen) return isSeen(opened);
  return [screen.banner, ...screen.lock, ...screen.center, ...screen.quiet].some((each) => each?.push === opened.number || each?.more.includes(opened.number));
}

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
  return h("div", { class: "icons acts-beside", role: "group", "aria-label": "Actions for this notification" }, PLAIN_ACTIONS.map(([action, title, name]) =>
    h("button", { type: "button", class: "btn small", "data-action": action, on: { click: () => act(id, { push: number, action }) } }, icon(name), title)));
}
