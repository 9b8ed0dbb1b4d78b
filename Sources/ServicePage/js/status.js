// The state of the apps, asked every two seconds while the page is visible. Rates are differences between two answers.
import { get } from "./api.js";

const PAUSE = 2000;
// The number of rates that a chart shows: two minutes.
const MOST_RATES = 60;

export const status = { apps: [], version: "", at: 0, isLive: false };
const listeners = new Set();
const rates = new Map();

/// Calls an action now and after each answer. Returns how to stop that.
export function watch(action) {
  listeners.add(action);
  if (status.at) action();
  return () => listeners.delete(action);
}

export const ratesOf = (app) => rates.get(app)?.values ?? [];
export const finishedOf = ({ counts }) => counts.accepted + counts.rejected + counts.unknown + counts.not_sent;

// Counts the starts and ends of polling, so that a late answer to a request of an earlier session changes nothing in this one.
let run = 0;

export async function poll() {
  const mine = ++run;
  while (mine === run) {
    if (!document.hidden) await ask(mine);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/// Stops, and forgets the apps: the next session can have others.
export function stopPolling() {
  run += 1;
  rates.clear();
  Object.assign(status, { apps: [], at: 0, isLive: false });
}

async function ask(mine) {
  try {
    const answer = await get("/v1/status");
    if (mine !== run) return;
    const now = performance.now();
    for (const app of answer.apps) note(app, now);
    Object.assign(status, { apps: answer.apps, version: answer.version ?? "", at: now, isLive: true });
  } catch (error) {
    if (mine !== run) return;
    if (error.status === 401) { stopPolling(); return; }
    status.isLive = false;
  }
  for (const action of listeners) action();
}

function note(app, now) {
  const done = finishedOf(app), before = rates.get(app.name);
  const values = before?.values ?? [];
  // The counters start again if the database was replaced.
  if (before && done >= before.done) values.push((done - before.done) * 1000 / Math.max(1, now - before.now));
  rates.set(app.name, { done, now, values: values.slice(-MOST_RATES) });
}
