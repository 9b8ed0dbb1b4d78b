// What every view needs to know: the state of the apps and of the webhooks. Asked while the page is visible, and not more often than
// its figures change for a person.
import { get } from "./api.js";
import { may } from "./session.js";

const PAUSE = 3000;
// The webhooks are asked for with every fifth status.
const HOOKS_EVERY = 5;
// The number of samples that a line shows: six minutes.
const MOST_SAMPLES = 120;

export const state = { status: null, hooks: [], samples: [] };
const listeners = new Set();
// Counts the sessions, so that a late answer to an earlier one changes nothing in this one.
let run = 0, wake = () => {};

/// Calls an action now and after each answer. Returns how to stop that.
export function watch(action) {
  listeners.add(action);
  if (state.status) action();
  return () => listeners.delete(action);
}

export async function begin() {
  const mine = ++run;
  for (let turn = 0; mine === run && may("read"); turn += 1) {
    if (!document.hidden) await ask(mine, turn % HOOKS_EVERY === 0).catch(() => {});
    await new Promise((resolve) => { wake = resolve; setTimeout(resolve, PAUSE); });
  }
}

/// Asks at once: something was changed.
export const again = () => wake();

/// Forgets everything: the next session can have other apps.
export function end() {
  run += 1;
  Object.assign(state, { status: null, hooks: [], samples: [] });
}

async function ask(mine, withHooks) {
  const [status, hooks] = await Promise.all([get("/v1/status"), withHooks ? get("/v1/webhooks").catch(() => null) : null]);
  if (mine !== run) return;
  state.status = status;
  if (hooks) state.hooks = hooks.items;
  state.samples.push({ at: status.now, waiting: sum(({ counts }) => counts.waiting), late: Math.max(0, ...status.apps.map((app) => app.state === "paused" ? 0 : app.oldest_due_seconds ?? 0)) });
  state.samples.splice(0, state.samples.length - MOST_SAMPLES);
  for (const action of listeners) action();
}

export const sum = (value) => (state.status?.apps ?? []).reduce((all, app) => all + value(app), 0);
