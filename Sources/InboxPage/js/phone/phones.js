// Reads the phones and their screens, and changes them.
import { answers } from "../shared/answers.js";
import { find, write } from "../shared/api.js";
import { phone, say, store } from "../shared/store.js";
import { attempt, toast } from "../copy.js";

const summaries = answers();
// For each phone: the requests for it, the newest answer to them, and the requests for its screen.
const reads = new Map(), newest = new Map(), screens = new Map();
const of = (map, id) => { if (!map.has(id)) map.set(id, answers()); return map.get(id); };

/// The number of phones that are shown beside each other.
export const MOST_AT_ONCE = 12;

export async function loadPhones() {
  const list = await find("/phones");
  const items = list?.items ?? [];
  for (const each of items) await readPhone(each.id);
  store.phones = items.map((each) => newest.get(each.id) ?? { ...each, apps: [] });
  if (store.phone !== "all" && !phone(store.phone)) store.phone = store.phones[0]?.id ?? null;
  for (const id of store.screens.keys()) if (!phone(id)) store.screens.delete(id);
  await loadScreens();
  say("phones");
}

async function readPhone(id) {
  const turn = of(reads, id).ask();
  const one = await find(`/phones/${encodeURIComponent(id)}`);
  if (of(reads, id).mayShow(turn)) { if (one) newest.set(id, one); else newest.delete(id); }
  return newest.get(id);
}

/// The phones that the stage shows now.
export const shownPhones = () => store.phone === "all" ? store.phones.slice(0, MOST_AT_ONCE) : [phone(store.phone)].filter(Boolean);

export async function loadScreens() {
  await Promise.all(shownPhones().map((each) => loadScreen(each.id)));
}

export async function loadScreen(id) {
  const turn = of(screens, id).ask();
  const screen = await find(`/phones/${encodeURIComponent(id)}/screen`);
  if (screen && of(screens, id).mayShow(turn)) store.screens.set(id, screen);
}

/// Reads a phone again, because something on it changed.
export async function renewPhone(id) {
  const one = await readPhone(id);
  if (!one || !phone(id)) return loadPhones();
  const apps = (each) => JSON.stringify([each.name, each.apps.map((one) => [one.topic, one.name, one.glyph, one.hue])]);
  const isNewInRows = apps(one) !== apps(phone(id));
  store.phones = store.phones.map((each) => each.id === id ? one : each);
  if (shownPhones().some((each) => each.id === id)) await loadScreen(id);
  say("screen", { isNewInRows });
  return undefined;
}

export function change(id, form) { return attempt(async () => { await write("PATCH", `/phones/${encodeURIComponent(id)}`, form); await renewPhone(id); return true; }); }

export function changeApp(id, topic, form) {
  return attempt(async () => { await write("PATCH", `/phones/${encodeURIComponent(id)}/apps/${encodeURIComponent(topic)}`, form); await renewPhone(id); return true; });
}

/// Performs what a person or the app does with a notification.
export function act(id, form, done) {
  return attempt(async () => {
    const answer = await write("POST", `/phones/${encodeURIComponent(id)}/actions`, form);
    store.screens.set(id, answer.screen);
    toast(done ?? answer.outcome?.text ?? "Done", "tap");
    await renewPhone(id);
    if (form.push) say("acted", form.push);
    return answer;
  });
}

/// Reads how many pushes had which outcome.
export async function summary() {
  const turn = summaries.ask();
  const answer = await find("/pushes/summary");
  if (answer && summaries.mayShow(turn)) { store.counts = answer.counts; store.minutes = answer.minutes; say("counted"); }
}
