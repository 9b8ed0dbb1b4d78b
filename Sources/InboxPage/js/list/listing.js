// Which pushes the table shows: the search, the outcome, the app and the page; and what arrives while it shows them.
import { get } from "../shared/api.js";
import { say, store } from "../shared/store.js";
import { changeOutcome, latestRows, PER_PAGE, showRows } from "./rows.js";
import { attempt } from "../copy.js";
import { writeAddress } from "./address.js";

// How long arrivals are gathered while the table shows a selection, which the mock makes.
const GATHERING = 700;
// The numbers below which each page begins; the first page begins at the newest push.
let starts = [null];
let next = null;
let found = null;
let asked = 0;
// Whether a load that the user requested is in progress.
let owed = false;
// What happened since the newest load began, because its answer can be older. `null` if no load is in progress.
let since = null;
let timer = null;

export const pageIndex = () => starts.length - 1;
export const hasNext = () => next !== null;
export const isSelection = () => queryText() !== "";
export const foundCount = () => found;

export function queryText() {
  return [store.query.trim(), store.outcome !== "all" && `outcome:${store.outcome}`, store.app && `topic:${store.app}*`].filter(Boolean).join(" ");
}

/// Shows the first page of another selection, and puts it in the address.
export function select({ isStep = true } = {}) { writeAddress(isStep); return reselect(); }

/// Shows the first page of the selection.
export function reselect() { starts = [null]; return load(); }

export function turn(by) {
  if (by < 0 && starts.length > 1) starts.pop();
  else if (by > 0 && next !== null) starts.push(next);
  else return undefined;
  return load();
}

/// Goes to a page by its number; only without a selection, because then the numbers of the pushes say where it begins.
export function goTo(page) {
  const newest = store.total;
  starts = [null, ...Array.from({ length: page }, (_, at) => newest - (at + 1) * PER_PAGE + 1)];
  return load();
}

// A load that the user did not request may wait. While the table is paused, it changes nothing, for example after the connection came
// back. It replaces an unfinished load that the user requested: then it may not wait.
export async function load({ mayWait = false } = {}) {
  const isOwed = owed || !mayWait;
  if (!isOwed && !store.live) return;
  owed = isOwed;
  const turnOf = ++asked;
  since = { arrived: [], changed: [] };
  const query = queryText();
  const start = starts.at(-1);
  const path = `/pushes?order=newest&limit=${PER_PAGE}${query && `&q=${encodeURIComponent(query)}`}${start === null ? "" : `&after=${start}`}`;
  const answer = await read(path);
  if (turnOf !== asked) return;
  owed = false;
  const { arrived, changed } = since;
  since = null;
  if (!answer || !isOwed && !store.live) return;
  next = answer.next === null ? null : Number(answer.next);
  store.total = Math.max(store.total, answer.total);
  // After a reset, the numbering continues, and the log has fewer pushes than the highest number although none was dropped.
  store.kept = answer.kept;
  store.isCut = answer.dropped_through > 0 && answer.total - answer.kept <= answer.dropped_through;
  found = query ? null : store.kept;
  showRows(answer.items, { mayWait: !isOwed });
  if (!query && start === null) insert(arrived.filter((push) => push.number > answer.total)); else say("listed");
  changeOutcomes(changed);
  if (query) await count(query, turnOf);
}

async function read(path) {
  try { const answer = await get(path); say("search-problem", null); return answer; } catch (error) {
    if (error.code?.startsWith("invalid_search") || error.code === "search_too_long") say("search-problem", error.message);
    else await attempt(() => { throw error; });
    return null;
  }
}

async function count(query, turnOf) {
  const answer = await attempt(() => get(`/pushes/count?q=${encodeURIComponent(query)}`));
  if (answer && turnOf === asked) { found = answer.count; say("listed"); }
}

/// Takes a batch of arrivals, newest last.
export function arrive(pushes) {
  if (!store.live || pageIndex() > 0) { say("listed"); return; }
  since?.arrived.push(...pushes);
  if (isSelection()) { timer ??= setTimeout(() => { timer = null; load({ mayWait: true }); }, GATHERING); return; }
  insert(pushes);
}

// Adds pushes above the rows. A push that already has a row can have a new outcome.
function insert(pushes) {
  const known = latestRows();
  const newest = known[0]?.number ?? 0;
  const fresh = pushes.filter((push) => push.number > newest).reverse();
  for (const push of pushes) if (push.number <= newest && push.outcome) changeOutcome(push.number, push.outcome);
  if (!fresh.length) { say("listed"); return; }
  const rows = [...fresh, ...known].slice(0, PER_PAGE);
  store.kept += fresh.length;
  found = store.kept;
  if (fresh.length + known.length > PER_PAGE) next = rows.at(-1).number;
  showRows(rows, { mayWait: true });
  say("listed");
}

/// Shows other outcomes in the rows of these pushes.
export function changeOutcomes(changes) {
  since?.changed.push(...changes);
  for (const each of changes) changeOutcome(each.number, each.outcome);
}
