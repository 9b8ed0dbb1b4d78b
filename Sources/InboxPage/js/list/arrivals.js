// Takes the mock's events in batches: rows, counts and screens follow, each at its own pace.
import { $, number } from "../dom.js";
import { listen } from "../shared/events.js";
import { say, store } from "../shared/store.js";
import { plain } from "../strangers.js";
import { arrive, changeOutcomes, load } from "./listing.js";
import { PER_PAGE } from "./rows.js";
import { loadPhones, renewPhone, summary } from "../phone/phones.js";
import { isPush, textsOf } from "../shared/texts.js";
import { outcomeOf } from "../shared/row.js";
import { phone } from "../shared/store.js";

const COUNT_EVERY = 1000;
const SCREEN_EVERY = 250;
const changedPhones = new Set();
const RELOAD_AFTER = 700;
let counting = null, screening = null, reloading = null;

export function startArrivals() { return listen(handle); }

function handle(events) {
  const pushes = events.filter((each) => each.name === "push");
  for (const each of events) {
    if (each.id !== null && each.id > store.total) store.total = each.id;
    if (each.name === "gap") gap(JSON.parse(each.data));
    if (each.name === "phone") phoneChanged(JSON.parse(each.data));
  }
  // Nothing arrived, and no outcome changed: perhaps the mock was reset, and the log is empty.
  if (!pushes.length) { if (events.some(isBare)) reloading ??= setTimeout(() => { reloading = null; load({ mayWait: true }); }, RELOAD_AFTER); return; }
  const newest = pushes.slice(-PER_PAGE).map((each) => JSON.parse(each.data));
  announce(newest.at(-1), pushes.length);
  arrive(newest);
  for (const each of newest) if (each.phone) changedPhones.add(each.phone);
  if (changedPhones.size) screening ??= setTimeout(renewScreens, SCREEN_EVERY);
  countSoon();
}

function gap({ missed }) {
  if (typeof missed === "number") { say("missed", { count: missed }); load({ mayWait: true }); return; }
  store.total = 0;
  say("missed", { again: true });
}

const isBare = ({ name, data }) => name === "phone" && JSON.parse(data).changed.length === 0;

function phoneChanged({ phone: id, changed, cut }) {
  changeOutcomes(changed ?? []);
  if (cut) load({ mayWait: true });
  changedPhones.add(id);
  screening ??= setTimeout(renewScreens, SCREEN_EVERY);
  say("outcomes", (changed ?? []).map((each) => each.number));
  countSoon();
}

async function renewScreens() {
  const ids = [...changedPhones];
  changedPhones.clear();
  try {
    if (ids.some((id) => !phone(id))) await loadPhones(); else await Promise.all(ids.map(renewPhone));
  } catch { /* The next change reads it again. */ }
  screening = changedPhones.size ? setTimeout(renewScreens, SCREEN_EVERY) : null;
}

function countSoon() { counting ??= setTimeout(async () => { counting = null; try { await summary(); } catch { /* later */ } }, COUNT_EVERY); }

// For screen readers: one sentence for a batch.
function announce(push, count) {
  const { title, body } = textsOf(push);
  const what = [title, body].filter(Boolean).join(", ");
  $("news").textContent = count > 1 ? `${number(count)} new pushes` : plain(`${isPush(push) ? "New push" : "New request"}: ${what}, ${outcomeOf(push).text}`, 200);
}
