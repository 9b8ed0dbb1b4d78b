// What was written in the composer, kept in this tab: it survives a look at another page, Back, and a reload.
import { space } from "../shared/api.js";

// The number of drafts that are kept. For each more, the oldest one goes.
const MOST = 5;
// The maximum size of a draft in characters, far above what APNs accepts. A longer one is not kept.
const LONGEST = 65536;
const KEY = `drafts ${space ?? ""}`;

const isDraft = (each) => [each?.id, each?.name, each?.text, ...Object.values(Object(each?.fields))].every((one) => typeof one === "string");

function all() {
  try { return JSON.parse(sessionStorage.getItem(KEY) ?? "[]").filter(isDraft); } catch { return []; }
}

/// The draft of this entry of the history; without a wanted content, else the newest one.
export function draftFor(wanted) {
  const drafts = all();
  return drafts.find((each) => each.id === history.state?.draft) ?? (wanted === undefined ? drafts.at(-1) : undefined);
}

/// Keeps a draft as the newest one, and for this entry of the history.
export function keepDraft(draft) {
  const others = all().filter((each) => each.id !== draft.id);
  const isShort = JSON.stringify(draft).length <= LONGEST;
  // The browser can refuse: then the draft lasts as long as the page of the composer.
  try { sessionStorage.setItem(KEY, JSON.stringify(isShort ? [...others, draft].slice(-MOST) : others)); } catch { return; }
  if (history.state?.draft !== draft.id) history.replaceState({ draft: draft.id }, "");
}

/// From now on, this entry of the history has no draft.
export const leaveDraft = () => history.replaceState(null, "");
