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

let isRunning = false;

export async function poll() {
  if (isRunning) return;
  isRunning = true;
  while (isRunning) {
    if (!document.hidden) await ask();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

export const stopPolling = () => { isRunning = false; };

async function ask() {
  try {
    const answer = await get("/v1/status");
    const now = performance.now();
    for (const app of answer.apps) note(app, now);
    Object.assign(status, { apps: answer.apps, version: answer.version ?? "", at: now, isLive: true });
  } catch (error) {
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
